import type { Attachment } from "svelte/attachments";

/** Scrolls a list so that the element with the id that `id` returns is in sight, whenever it or the list's size changes. */
export function intoView(id: () => string): Attachment<HTMLElement> {
  return (list) => {
    const active = list.querySelector(`[id="${id()}"]`);
    if (!active) return;
    active.scrollIntoView({ block: "nearest" });
    const sizes = new ResizeObserver(() => active.scrollIntoView({ block: "nearest" }));
    sizes.observe(list);
    return () => sizes.disconnect();
  };
}
