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

/** @throws JobError for a diagram that cannot be drawn */
export function readDiagram(source: string): Diagram {
  if (source.length > maxSourceCharacters) throw new JobError(msg("It is too long."));
  const { title: named, body } = withoutFrontMatter(source);
  const lines: string[] = [];
  let title = named;
  let describes = false;
  for (const line of withoutDirectives(body).split("\n")) {
    const words = line.trim();
    if (/^accDescr\s*\{/.test(words)) describes = true;
    if (/^accTitle\s*:/.test(words)) title = words.slice(words.indexOf(":") + 1).trim();
    const isDrawn = words !== "" && !words.startsWith("%%") && !/^acc(?:Title|Descr)\b/.test(words);
    if (isDrawn && !describes && !styling.test(words)) lines.push(line);
    if (describes && words.includes("}")) describes = false;
  }
  const first = lines[0]?.trim() ?? "";
  if (first === "") throw new JobError(msg("There is nothing in it."));
  const kind = kinds.find(([begins]) => begins.test(first))?.[1];
  if (kind === undefined) {
    const word = (first.split(/\s/)[0] ?? "").slice(0, 30);
    throw new JobError(
      msg(
        "Rondo draws flowcharts, and state, sequence, class, entity relationship and XY diagrams, but not “{0}”.",
        word,
      ),
    );
  }
  // A class of members is a block, not a style.
  return { kind, title, text: lines.join("\n").replace(/:::[\w-]+/g, "") };
}

/** One that does not end is left for the comments. */
function withoutDirectives(text: string): string {
  const [first = "", ...others] = text.split("%%{");
  const rest = others.map((part) => {
    const end = part.indexOf("}%%");
    return end < 0 ? `%%{${part}` : part.slice(end + 3);
  });
  return [first, ...rest].join("");
}

function withoutFrontMatter(source: string): { title: string; body: string } {
  const lines = source.trimStart().split("\n");
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (lines[0]?.trimEnd() !== "---" || end < 0) return { title: "", body: source };
  const named = lines.slice(1, end).find((line) => line.startsWith("title:")) ?? "";
  const title = named.slice("title:".length).trim();
  const isQuoted = /^["']/.test(title) && title.length > 1 && title.endsWith(title.charAt(0));
  return { title: isQuoted ? title.slice(1, -1) : title, body: lines.slice(end + 1).join("\n") };
}

/** @throws JobError for a diagram whose layout would take too long */
export function checkDiagram({ text }: Diagram): void {
  const lines = text.split("\n");
  if (lines.length > maxLines || arrowsIn(lines) > maxArrows) throw new JobError(msg("It is too large."));
}

/** Of all kinds of arrows; those of sequences have a line each. An arrow with words in its midst counts twice. */
const arrow = /[-=.~]{2,}/;

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
  const texts = svg
    .split("<text")
    .slice(1)
    .map((part) => plainText(part.slice(part.indexOf(">") + 1, part.indexOf("</text>"))));
  return [...new Set(texts.filter((text) => text !== ""))].join(", ");
}

const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", amp: "&" };

function plainText(inner: string): string {
  // Each line of a text is an element of its own.
  const text = inner
    .replaceAll("</tspan><tspan", "</tspan> <tspan")
    .split("<")
    .map((part, at) => (at === 0 ? part : part.slice(part.indexOf(">") + 1)))
    .join("");
  return text
    .replace(/&(#39|\w+);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\s+/g, " ")
    .trim();
}
