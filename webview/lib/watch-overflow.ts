/**
 * Boxes that scroll take the focus, so that keys scroll them (WCAG 2.1.1), but only while there is something to scroll:
 * https://www.w3.org/WAI/WCAG22/Techniques/general/G202
 */

import { t } from "../../src/l10n/l10n.ts";

const names = new WeakMap<Element, string>();

const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) if (target instanceof HTMLElement) update(target);
});

/** Watches a box, until the returned function is called. `name`: what a screen reader calls it. */
export function watchOverflow(box: HTMLElement, name: string): () => void {
  if (names.has(box)) update(box);
  // The observer calls at once when it begins.
  else observer.observe(box);
  names.set(box, name);
  return () => {
    observer.unobserve(box);
    names.delete(box);
  };
}

/** Call this when the content of a watched box has changed, but perhaps not its size. */
export function contentChanged(box: HTMLElement): void {
  if (names.has(box)) update(box);
}

/** Watches the boxes in an answer: tables, code in lists, and formulas. They are let go when they leave the page. */
export function watchBoxes(root: HTMLElement): void {
  for (const math of root.querySelectorAll<HTMLElement>(".Maths.drawn:not(.display, .wide)")) {
    const width = math.firstElementChild?.getBoundingClientRect().width ?? 0;
    // A formula in a line does not wrap. One that is wider than the line stands alone, and scrolls.
    if (width > root.clientWidth) math.classList.add("wide");
  }
  for (const box of root.querySelectorAll<HTMLElement>(".Wide, :is(li, blockquote) pre, .Maths:is(.display, .wide)")) {
    const name = box.matches(".Wide") ? t("Table") : box.matches("pre") ? t("Code") : t("Formula");
    watchOverflow(box, name);
  }
}

function update(box: HTMLElement): void {
  const name = names.get(box);
  if (name === undefined) return;
  if (!box.isConnected) {
    observer.unobserve(box);
    names.delete(box);
    return;
  }
  // Fractions of a pixel are nothing to scroll.
  const scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
  if (scrolls) {
    box.tabIndex = 0;
    box.role = "region";
    box.ariaLabel = name;
  } else if (box !== document.activeElement) {
    for (const attribute of ["tabindex", "role", "aria-label"]) box.removeAttribute(attribute);
  }
}
