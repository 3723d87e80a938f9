/**
 * Boxes that scroll take the focus, so that keys scroll them (WCAG 2.1.1), but only while there is something to scroll:
 * https://www.w3.org/WAI/WCAG22/Techniques/general/G202
 *
 * All are measured by one observer, when the page has its layout: to measure them as they change would make a layout
 * for each.
 */

import { t } from "../../src/l10n/l10n.ts";

const names = new WeakMap<Element, string>();
/** Answers whose formulas in lines are measured. */
const answers = new WeakSet<Element>();

const observer = new ResizeObserver((entries) => {
  const changes = entries.flatMap(({ target }) => (target instanceof HTMLElement ? measure(target) : []));
  for (const change of changes) change();
});

/** Has a box measured in the next layout, also if its size stays the same. */
function observe(box: Element): void {
  observer.unobserve(box);
  observer.observe(box);
}

/** Watches a box, until the returned function is called. `name`: what a screen reader calls it. */
export function watchOverflow(box: HTMLElement, name: string): () => void {
  names.set(box, name);
  observe(box);
  return () => {
    observer.unobserve(box);
    names.delete(box);
  };
}

/** Call this when the content of a watched box has changed, but perhaps not its size. */
export function contentChanged(box: HTMLElement): void {
  if (names.has(box)) observe(box);
}

/** Watches the boxes in an answer: tables, code in lists, and formulas. They are let go when they leave the page. */
export function watchBoxes(root: HTMLElement): void {
  if (root.querySelector(".Maths")) {
    answers.add(root);
    observe(root);
  }
  for (const box of root.querySelectorAll<HTMLElement>(".Wide, :is(li, blockquote) pre, .Maths:is(.display, .wide)")) {
    const name = box.matches(".Wide") ? t("Table") : box.matches("pre") ? t("Code") : t("Formula");
    watchOverflow(box, name);
  }
}

/** Returns what is to be changed. Reads only, so that the next box needs no new layout. */
function measure(box: HTMLElement): (() => void)[] {
  if (!box.isConnected) {
    observer.unobserve(box);
    names.delete(box);
    return [];
  }
  return [...(answers.has(box) ? [...wideMaths(box)] : []), ...scrolling(box)];
}

function scrolling(box: HTMLElement): (() => void)[] {
  const name = names.get(box);
  if (name === undefined) return [];
  // Fractions of a pixel are nothing to scroll.
  const scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
  const isSame = scrolls ? box.role === "region" && box.ariaLabel === name : box.role !== "region";
  if (isSame || (!scrolls && box === document.activeElement)) return [];
  return [
    () => {
      if (scrolls) {
        box.tabIndex = 0;
        box.role = "region";
        box.ariaLabel = name;
      } else for (const attribute of ["tabindex", "role", "aria-label"]) box.removeAttribute(attribute);
    },
  ];
}

/** A formula in a line does not wrap. One that is wider than the line stands alone, and scrolls. */
function wideMaths(root: HTMLElement): (() => void)[] {
  const width = root.clientWidth;
  return [...root.querySelectorAll<HTMLElement>(".Maths.drawn:not(.display, .wide)")]
    .filter((maths) => (maths.firstElementChild?.getBoundingClientRect().width ?? 0) > width)
    .map((maths) => () => {
      maths.classList.add("wide");
      watchOverflow(maths, t("Formula"));
    });
}
