/**
 * Keeps the focus in the panel. When the focused element goes, for example because its row was removed or its button is
 * disabled, the browser gives the focus to the page's body, where no key does anything and a screen reader begins anew.
 */
import { handFocusTo } from "./focus.ts";
import { panel } from "./panel.svelte.ts";

interface FocusPlace {
  element: Element;
  next: Element | null;
  previous: Element | null;
}

const focusable =
  "button:not(:disabled, [tabindex='-1']), input:not(:disabled), textarea, select, summary, [tabindex='0']";

/** The focused element and all around it, with their neighbours. */
let places: FocusPlace[] = [];

function remember(event: FocusEvent): void {
  places = [];
  for (let element = event.target; element instanceof Element && element !== document.body; ) {
    places.push({ element, next: element.nextElementSibling, previous: element.previousElementSibling });
    element = element.parentElement;
  }
}

function canTake(element: Element | null | undefined): element is HTMLElement {
  return (
    element instanceof HTMLElement && element.isConnected && element.checkVisibility() && element.matches(focusable)
  );
}

/** Returns what takes the focus in an element: the message box if it is there, itself, or its first control. */
function targetIn(element: Element | null): HTMLElement | undefined {
  if (!element?.isConnected) return undefined;
  if (panel.field && element.contains(panel.field) && canTake(panel.field)) return panel.field;
  return [element, ...element.querySelectorAll(focusable)].find(canTake);
}

/** Gives the focus to what is nearest to the element that had it and is gone. A click beside all controls drops it too. */
function recover(): void {
  const [lost] = places;
  if (!lost || document.activeElement !== document.body || !document.hasFocus() || canTake(lost.element)) return;
  for (const { element, next, previous } of places) {
    const target = element.isConnected ? targetIn(element) : (targetIn(next) ?? targetIn(previous));
    if (!target) continue;
    handFocusTo(target);
    return;
  }
}

/** The browser drops the focus of a hidden or disabled element only with the next frame. */
function recoverSoon(): void {
  requestAnimationFrame(() => requestAnimationFrame(recover));
}

export function guardFocus(): void {
  document.addEventListener("focusin", remember);
  document.addEventListener("keydown", recover, true);
  for (const event of ["keydown", "click"]) document.addEventListener(event, recoverSoon);
  for (const event of ["message", "focus"]) window.addEventListener(event, recoverSoon);
}
