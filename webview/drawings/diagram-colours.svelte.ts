/** The colours in which diagrams are drawn: those of the theme, as an image knows nothing of the page's styles. */
import { untrack } from "svelte";
import type { DiagramColours } from "../workers/diagrams.ts";

export interface DiagramLook {
  colours: DiagramColours;
  font: string;
}

class Looks {
  #look = $state.raw<DiagramLook>();
  #observer: MutationObserver | undefined;

  /** The present look, which changes with the theme. `element`: one whose colours are those of the page. */
  of(element: HTMLElement): DiagramLook {
    this.#observe(element);
    const look = this.#look ?? lookOf(element);
    // Else the effect that asks would run again.
    untrack(() => {
      this.#look ??= look;
    });
    return look;
  }

  /** VS Code sets the theme's colours on the root element, and the kind of theme on the body. */
  #observe(element: HTMLElement): void {
    if (this.#observer) return;
    this.#observer = new MutationObserver(() => {
      const next = lookOf(document.body.contains(element) ? element : document.body);
      if (JSON.stringify(next) !== JSON.stringify(this.#look)) this.#look = next;
    });
    this.#observer.observe(document.documentElement, { attributes: true });
    this.#observer.observe(document.body, { attributes: true });
  }
}

export const diagramLooks = new Looks();

function lookOf(element: HTMLElement): DiagramLook {
  const style = getComputedStyle(element);
  const colour = (name: string, otherwise: Rgb) => toRgb(style.getPropertyValue(name)) ?? otherwise;
  const isContrast = document.body.classList.contains("vscode-high-contrast");
  const ground = colour("--vscode-editor-background", [255, 255, 255]);
  const ink = colour("--vscode-editor-foreground", [0, 0, 0]);
  const edge = colour("--vscode-contrastBorder", ink);
  const mix = (share: number) => (isContrast ? ink : between(ink, ground, share));
  return {
    colours: {
      ground: toHex(ground),
      ink: toHex(ink),
      quiet: toHex(mix(0.85)),
      line: toHex(mix(0.65)),
      border: toHex(isContrast ? edge : mix(0.5)),
      box: toHex(isContrast ? ground : between(ink, ground, 0.07)),
      accent: toHex(mix(0.75)),
    },
    // The first family that the system has counts; quotes would end the text of a style.
    font:
      style.fontFamily
        .replace(/[^\w ,-]/g, "")
        .split(",")[0]
        ?.trim() || "sans-serif",
  };
}

type Rgb = readonly [number, number, number];

/** Lets the browser read a colour in any notation. */
function toRgb(colour: string): Rgb | undefined {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!context || !CSS.supports("color", colour.trim())) return undefined;
  context.fillStyle = colour.trim();
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

/** `share`: of the first, between 0 and 1. */
function between(one: Rgb, other: Rgb, share: number): Rgb {
  const mixed = (at: 0 | 1 | 2) => Math.round(one[at] * share + other[at] * (1 - share));
  return [mixed(0), mixed(1), mixed(2)];
}

function toHex(colour: Rgb): string {
  return `#${colour.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
