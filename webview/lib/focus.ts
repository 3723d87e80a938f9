/** Where the focus goes when something opens, and when it is closed again. */
import { panel } from "./panel.svelte.ts";

/** Takes the focus; taken down with the focus inside, hands it back to where it was. */
export function takesFocus(element: HTMLElement): () => void {
  const opener = document.activeElement;
  element.focus({ preventScroll: true });
  return () => {
    const inside = document.activeElement === document.body || element.contains(document.activeElement);
    if (!inside) return;
    const back = opener instanceof HTMLElement && opener.isConnected && opener !== document.body ? opener : panel.field;
    back?.focus({ preventScroll: true });
  };
}

/** Of the views that stand in place of the log: Escape returns to the conversation. */
export function escapeToConversation(event: KeyboardEvent): void {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  event.preventDefault();
  panel.view = "chat";
}
