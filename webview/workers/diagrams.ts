/** The worker that draws Mermaid diagrams as SVG. */
import { renderMermaidSVG } from "beautiful-mermaid";
import { msg } from "../../src/l10n/l10n.ts";
import { checkDiagram, drawnTexts, readDiagram } from "./diagram-source.ts";
import { JobError, serve } from "./jobs.ts";

/** Colours as `#rrggbb`. */
export interface DiagramColours {
  ground: string;
  ink: string;
  quiet: string;
  line: string;
  border: string;
  box: string;
  accent: string;
}

export interface DiagramInput {
  source: string;
  colours: DiagramColours;
  font: string;
}

export interface DrawnDiagram {
  svg: string;
  width: number;
  height: number;
  /** In English. */
  kind: string;
  title: string;
  texts: string;
}

const maxCharacters = 1_000_000;
const maxPixels = 20_000;

function draw({ source, colours, font }: DiagramInput): DrawnDiagram {
  const diagram = readDiagram(source);
  checkDiagram(diagram);
  const { ground, ink, quiet, line, border, box, accent } = colours;
  const drawn = renderMermaidSVG(diagram.text, {
    ...{ bg: ground, fg: ink, muted: quiet, surface: box, transparent: true, padding: 8, font },
    ...{ line, border, accent },
  });
  // An image loads nothing, but what it names would still be looked at as a request.
  const lines = drawn.split("\n").filter((line) => !line.trimStart().startsWith("@import"));
  const svg = lines.join("\n").toWellFormed();
  const [, width = 0, height = 0] = /^<svg[^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg)?.map(Number) ?? [];
  if (width < 1 || height < 1 || !svg.includes("</text>")) throw new JobError(msg("There is nothing in it."));
  if (svg.length > maxCharacters || width > maxPixels || height > maxPixels)
    throw new JobError(msg("It is too large."));
  return { svg, width, height, kind: diagram.kind, title: diagram.title, texts: drawnTexts(svg) };
}

// The library hides `self` where there is no `document`, and puts it back (src/elk-instance.ts): in a worker that throws.
Object.assign(globalThis, { document: null });
Object.defineProperty(globalThis, "self", { value: globalThis, writable: true });
serve(draw, () => msg("It is not a Mermaid diagram, or one of a form that Rondo cannot read."));
