import type { Attachment } from "svelte/attachments";

/** Scrolls a list so that the element with the id that `id` returns is in sight, whenever it changes. */
export function intoView(id: () => string): Attachment<HTMLElement> {
  return (list) => {
    const active = list.querySelector(`[id="${id()}"]`);
    active?.scrollIntoView({ block: "nearest" });
  };
}
