/** What opens over the panel, and goes when the user turns to something else: menus, and the picker of models. */
import { untrack } from "svelte";
import type { Attachment } from "svelte/attachments";

/**
 * Focuses an element of the box, and calls `onclose` for a press or a focus outside of it. When the box goes with the
 * focus in it, the focus returns to where it was.
 */
export function popup(
  onclose: () => void,
  first: (box: HTMLElement) => HTMLElement | null | undefined,
): Attachment<HTMLElement> {
  return (box) => {
    const opener = document.activeElement;
    untrack(() => first(box))?.focus();
    // The button that opened it closes it on its own.
    const isOutside = (target: EventTarget | null) =>
      target instanceof Element && !box.contains(target) && !target.closest("[aria-haspopup]");
    const closeOnPress = ({ target }: PointerEvent) => isOutside(target) && onclose();
    const closeOnBlur = ({ relatedTarget }: FocusEvent) => isOutside(relatedTarget) && onclose();
    window.addEventListener("pointerdown", closeOnPress);
    box.addEventListener("focusout", closeOnBlur);
    return () => {
      window.removeEventListener("pointerdown", closeOnPress);
      box.removeEventListener("focusout", closeOnBlur);
      const inside = document.activeElement === document.body || box.contains(document.activeElement);
      if (inside && opener instanceof HTMLElement) opener.focus();
    };
  };
}
