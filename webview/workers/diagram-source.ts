/** Reads the text of a Mermaid diagram: what it draws, and what it would only say about colours, links and settings. */
import { msg } from "../../src/l10n/l10n.ts";
import { JobError } from "./jobs.ts";

export interface Diagram {
  /** "Flowchart", "Sequence diagram" */
  kind: string;
  /** Empty without one. */
  title: string;
  /** Without front matter, directives, comments, links and styles. */
  text: string;
}

/** First words of diagrams that can be drawn. */
const kinds: readonly [RegExp, string][] = [
  [/^(?:graph|flowchart)\b/i, msg("Flowchart")],
  [/^stateDiagram(?:-v2)?\b/i, msg("State diagram")],
  [/^sequenceDiagram\b/i, msg("Sequence diagram")],
  [/^classDiagram\b/i, msg("Class diagram")],
  [/^erDiagram\b/i, msg("Entity relationship diagram")],
  [/^xychart(?:-beta)?\b/i, msg("Chart")],
];

const maxSourceCharacters = 20_000;
const maxLines = 400;
/** Arrows of one diagram; `A & B --> C & D` counts as four. */
const maxArrows = 250;

/**
 * Lines that change looks or make something clickable, in all kinds of diagrams. Colours follow the theme, so that text
 * stays readable: https://mermaid.js.org/syntax/flowchart.html#styling-and-classes
 */
const styling =
  /^(?:classDef|class(?=\s+[\w,]+\s+\w+\s*;?$)|cssClass|style|linkStyle|click|link|links|callback|href)\s/;
const spoken = /^acc(?:Title|Descr)\s*:\s*(.*)$/;

/** @throws JobError for a diagram that cannot be drawn */
export function readDiagram(source: string): Diagram {
  if (source.length > maxSourceCharacters) throw new JobError(msg("It is too long."));
  const { title: named, body } = withoutFrontMatter(source);
  const withoutDirectives = body.replace(/%%\{[\s\S]*?\}%%/g, "").replace(/^\s*accDescr\s*\{[^}]*\}/gm, "");
  let title = named;
  const lines = withoutDirectives.split("\n").flatMap((line) => {
    const words = line.trim();
    if (words === "" || words.startsWith("%%")) return [];
    const [, said] = spoken.exec(words) ?? [];
    if (said !== undefined) {
      if (words.startsWith("accTitle")) title = said;
      return [];
    }
    return styling.test(words) ? [] : [line];
  });
  const first = lines[0]?.trim() ?? "";
  if (first === "") throw new JobError(msg("There is nothing in it."));
  const kind = kinds.find(([begins]) => begins.test(first))?.[1];
  if (kind === undefined) {
    const word = (first.split(/\s/)[0] ?? "").slice(0, 30);
    throw new JobError(
      msg(
        "Rondo draws flowcharts, and state, sequence, class, entity relationship and XY diagrams, but no “{0}”.",
        word,
      ),
    );
  }
  // A class of members is a block, not a style.
  return { kind, title, text: lines.join("\n").replace(/:::[\w-]+/g, "") };
}

function withoutFrontMatter(source: string): { title: string; body: string } {
  const [all = "", inner = ""] = /^\s*---\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(source) ?? [];
  const [, title = ""] = /^title:[ \t]*(.*)$/m.exec(inner) ?? [];
  return { title: title.replace(/^(["'])(.*)\1$/, "$2").trim(), body: source.slice(all.length) };
}

/** @throws JobError for a diagram whose layout would take too long */
export function checkDiagram({ text }: Diagram): void {
  const lines = text.split("\n");
  if (lines.length > maxLines || arrowsIn(lines) > maxArrows) throw new JobError(msg("It is too large."));
}

const arrow = /[<ox]?(?:--+|==+|-\.+-?)(?:>{1,2}|[ox)](?=\s)|(?=[|\s\w"[({]))|--?\|>|<\|--|\.\.\|?>/g;

/** Returns about how many arrows the lines draw, at most too many. */
function arrowsIn(lines: readonly string[]): number {
  let count = 0;
  for (const line of lines) {
    // Between two arrows stand nodes, which `&` multiplies: each with each.
    const groups = line.split(arrow).map((part) => part.split("&").length);
    for (let at = 1; at < groups.length; at++) count += (groups[at - 1] ?? 1) * (groups[at] ?? 1);
  }
  return count;
}

/** Returns the texts of a drawn diagram, each once. */
export function drawnTexts(svg: string): string {
  const texts = [...svg.matchAll(/<text\b[^>]*>([\s\S]*?)<\/text>/g)].map(([, inner = ""]) => plainText(inner));
  return [...new Set(texts.filter((text) => text !== ""))].join(", ");
}

const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", amp: "&" };

function plainText(inner: string): string {
  const text = inner.replace(/<\/tspan>\s*<tspan/g, "</tspan> <tspan").replace(/<[^>]*>/g, "");
  return text
    .replace(/&(#39|\w+);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\s+/g, " ")
    .trim();
}
