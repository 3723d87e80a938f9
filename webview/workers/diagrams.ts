/** The worker that draws Mermaid diagrams as SVG. */
import { renderMermaidSVG } from "beautiful-mermaid";
import { checkDiagram, describeDiagram, readDiagram } from "./diagram-source.ts";
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
  /** What it shows, for those who do not see it. */
  words: string;
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
  if (width < 1 || height < 1 || !svg.includes("</text>")) throw new JobError("There is nothing in it.");
  if (svg.length > maxCharacters || width > maxPixels || height > maxPixels) throw new JobError("It is too large.");
  return { svg, width, height, words: describeDiagram(diagram, svg) };
}

// The library hides `self` where there is no `document`, and puts it back (src/elk-instance.ts): in a worker that throws.
Object.assign(globalThis, { document: null });
Object.defineProperty(globalThis, "self", { value: globalThis, writable: true });
serve(draw, () => "It is not a Mermaid diagram, or one of a form that Rondo cannot read.");
