/** Moves the focus when something opens, and back when it closes. */
import { panel } from "../panel/panel.svelte.ts";

/**
 * Focuses an element in place of one that is gone. The page keeps an active element while the focus is elsewhere in VS
 * Code, and focusing another one would take it from there.
 */
export function handFocusTo(element: HTMLElement | null | undefined): void {
  if (document.hasFocus()) element?.focus({ preventScroll: true });
}

/** Takes the focus. If it is still inside when the element is removed, returns it to where it was. */
export function takesFocus(element: HTMLElement): () => void {
  const opener = document.activeElement;
  element.focus({ preventScroll: true });
  return () => {
    const inside = document.activeElement === document.body || element.contains(document.activeElement);
    if (!inside) return;
    const back = opener instanceof HTMLElement && opener.isConnected && opener !== document.body ? opener : panel.field;
    handFocusTo(back);
  };
}

export function escapeToConversation(event: KeyboardEvent): void {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  event.preventDefault();
  panel.view = "chat";
}

export function focusOnMount(element: HTMLElement): void {
  element.focus();
}
