/** What every screen must keep where the system sets the colours (forced colours) or wants no motion. */
import type { Page } from "playwright-core";

/** Returns what moves, one sentence each. */
export async function moving(page: Page): Promise<string[]> {
  return await page.evaluate(() =>
    document.getAnimations().map(({ effect }) => {
      const target = effect instanceof KeyframeEffect ? effect.target : null;
      return `${target?.tagName.toLowerCase()}.${target?.className} moves`;
    }),
  );
}

interface Drawn {
  element: Element;
  pseudo: "" | "::before" | "::after";
  /** `chosen`: it is selected, pressed, ticked or current. */
  kind: "shape" | "chosen";
}

declare global {
  interface Window {
    drawn: Drawn[];
  }
}

/**
 * Returns what can no longer be seen, or told from its like, with the colours of the system, one sentence each: these
 * leave no background of the page's own.
 */
export async function vanishing(page: Page): Promise<string[]> {
  await page.evaluate(inspect, "before" as const);
  await page.emulateMedia({ forcedColors: "active" });
  try {
    return await page.evaluate(inspect, "after" as const);
  } finally {
    await page.emulateMedia({ forcedColors: null });
  }
}

/** Runs in the page. `before` notes what a background alone draws, and what is chosen; `after` looks at it again. */
function inspect(when: "before" | "after"): string[] {
  const states = ["aria-selected", "aria-pressed", "aria-checked", "aria-current"];
  const isChosen = (one: Element) => states.some((name) => (one.getAttribute(name) ?? "false") !== "false");
  const isClear = (colour: string) => colour === "transparent" || /^rgba\(.*, 0\)$/.test(colour);
  // The system's colours keep the alpha of the page's own, over their own kind.
  const solid = (colour: string) => colour.replace(/^rgba\((.*), [\d.]+\)$/, "rgb($1)");
  const pixels = (length: string) => Number.parseFloat(length) || 0;
  const backgroundOf = (element: Element | null): string => {
    for (let one = element; one; one = one.parentElement) {
      const { backgroundColor } = getComputedStyle(one);
      if (!isClear(backgroundColor)) return solid(backgroundColor);
    }
    return "";
  };
  const around = ({ element, pseudo }: Omit<Drawn, "kind">) =>
    backgroundOf(pseudo === "" ? element.parentElement : element);
  const isFilled = (one: Omit<Drawn, "kind">) => {
    const { backgroundColor } = getComputedStyle(one.element, one.pseudo || null);
    return !isClear(backgroundColor) && solid(backgroundColor) !== around(one);
  };
  const hasEdge = ({ element, pseudo }: Drawn) => {
    const style = getComputedStyle(element, pseudo || null);
    const widths = [style.borderTopWidth, style.borderRightWidth, style.borderBottomWidth, style.borderLeftWidth];
    return widths.some((width) => pixels(width) > 0) || style.outlineStyle !== "none";
  };
  const lookOf = (element: Element): string => {
    const looks = [element, ...element.children].map((one) => {
      const { outlineStyle, borderStyle, borderWidth, borderColor, fontWeight } = getComputedStyle(one);
      return [outlineStyle, borderStyle, borderWidth, solid(borderColor), fontWeight, backgroundOf(one)].join();
    });
    const signs = [...element.querySelectorAll(".codicon")].map(({ className }) => className);
    return [...looks, ...signs].join("|");
  };
  /** Whether neither its state changes its look, nor, in a list, a sign of its own tells it from the others. */
  const isUntold = (element: Element) => {
    const look = lookOf(element);
    const given = states.map((name) => [name, element.getAttribute(name)] as const);
    for (const [name, value] of given) if (value !== null) element.setAttribute(name, "false");
    const without = lookOf(element);
    for (const [name, value] of given) if (value !== null) element.setAttribute(name, value);
    if (look !== without) return false;
    if (element.hasAttribute("aria-pressed")) return true;
    const beside = [...(element.parentElement?.children ?? [])];
    const others = beside.filter((one) => one.tagName === element.tagName && !isChosen(one) && one.checkVisibility());
    return others.some((one) => lookOf(one) === look);
  };

  if (when === "after") {
    const faults = window.drawn.flatMap((one) => {
      const name = `${one.element.tagName.toLowerCase()}.${one.element.classList[0] ?? ""}${one.pseudo}`;
      if (one.kind === "chosen") return isUntold(one.element) ? [`${name} looks as if it were not chosen`] : [];
      return isFilled(one) || hasEdge(one) ? [] : [`${name} vanishes`];
    });
    return [...new Set(faults)];
  }
  window.drawn = [];
  for (const element of document.body.querySelectorAll("*")) {
    const { width, height } = element.getBoundingClientRect();
    if (width < 2 || height < 2 || !element.checkVisibility({ opacityProperty: true })) continue;
    if (isChosen(element)) window.drawn.push({ element, pseudo: "", kind: "chosen" });
    for (const pseudo of ["", "::before", "::after"] as const) {
      const style = getComputedStyle(element, pseudo || null);
      const isShape =
        pseudo === ""
          ? element.childNodes.length === 0 && element.matches(":not(input, textarea, select)")
          : style.content === '""' && pixels(style.width) >= 2 && pixels(style.height) >= 2;
      if (isShape && isFilled({ element, pseudo })) window.drawn.push({ element, pseudo, kind: "shape" });
    }
  }
  return [];
}
