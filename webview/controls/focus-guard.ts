/**
 * Keeps the focus in the panel. When the focused element goes, for example because its row was removed or its button is
 * disabled, the browser gives the focus to the page's body, where no key does anything and a screen reader begins anew.
 */
import type { ToPanel } from "../../src/chat/protocol.ts";
import { isStreamedText } from "../panel/draw-schedule.ts";
import { panel } from "../panel/panel.svelte.ts";
import { handFocusTo } from "./focus.ts";

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
function lookAfterFrames(): void {
  requestAnimationFrame(() => requestAnimationFrame(recover));
}

/** Longer than streamed text waits for keys (`draw-schedule.ts`), so that it is drawn by then. */
const textPauseMs = 250;
const keyPauseMs = 30;

/** When it looks next, as a performance time; undefined: it will not. */
let lookAt: number | undefined;
let lookTimer: number | undefined;

/**
 * Looks after a pause, not in the next frames: a frame that is asked for with each key and each piece of streamed text
 * would make the letter that is typed wait for the frame after that one. A key that is pressed before looks itself.
 */
function lookSoon(pauseMs: number): void {
  const at = performance.now() + pauseMs;
  if (lookAt !== undefined && lookAt <= at) return;
  clearTimeout(lookTimer);
  lookAt = at;
  lookTimer = window.setTimeout(() => {
    lookAt = undefined;
    const { activeElement } = document;
    const isLeaving = activeElement?.matches(":disabled") || activeElement?.checkVisibility() === false;
    if (isLeaving) lookAfterFrames();
    else recover();
  }, pauseMs);
}

export function guardFocus(): void {
  document.addEventListener("focusin", remember);
  document.addEventListener("keydown", recover, true);
  document.addEventListener("keydown", () => lookSoon(keyPauseMs));
  document.addEventListener("click", lookAfterFrames);
  window.addEventListener("focus", lookAfterFrames);
  window.addEventListener("message", ({ data }: MessageEvent<ToPanel>) =>
    isStreamedText(data) ? lookSoon(textPauseMs) : lookAfterFrames(),
  );
}
