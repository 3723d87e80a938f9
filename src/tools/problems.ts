/** What the editor complains about after a change and did not before. */
import type { Host, Problem, TextFile } from "./host.ts";
import { cutLine, plural, splitLines } from "./text.ts";

/** How often each complaint is there. Undefined: there is no editor that knows. */
export type KnownProblems = ReadonlyMap<string, number> | undefined;

/** ms */
const wait = 2_000;
const shown = 10;

/** Of a file before it is changed; `text` is what it reads. */
export async function knownProblems({ editor }: Host, path: string, text: string): Promise<KnownProblems> {
  if (!editor) return undefined;
  const lines = splitLines(text);
  const known = new Map<string, number>();
  for (const problem of await editor.problems(path).catch(() => [])) {
    const key = keyOf(problem, lines);
    known.set(key, (known.get(key) ?? 0) + 1);
  }
  return known;
}

/**
 * A paragraph to append to the answer: the errors and warnings of the file that are not among the known ones, waited for
 * at most 2 s; empty for none. Never throws: the change is made whatever the editor thinks of it.
 */
export async function newProblems(
  { editor }: Host,
  known: KnownProblems,
  after: TextFile,
  signal: AbortSignal,
): Promise<string> {
  if (!editor || !known) return "";
  const found = await editor.settledProblems(after.path, wait, signal).catch(() => []);
  const lines = splitLines(after.text);
  const left = new Map(known);
  const fresh = found.filter((problem) => {
    if (problem.severity !== "error" && problem.severity !== "warning") return false;
    const key = keyOf(problem, lines);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
  if (fresh.length === 0) return "";
  // What is sure to break comes first.
  const sorted = fresh.toSorted(
    (a, b) => Number(a.severity !== "error") - Number(b.severity !== "error") || a.line - b.line,
  );
  const words = sorted.slice(0, shown).map(describe);
  if (fresh.length > shown) words.push(`(${plural(fresh.length - shown, "more problem")})`);
  return `\n\nNew problems in ${after.relative} after this edit:\n${words.join("\n")}`;
}

/** By its line's text, not its number: that changes with every line above. */
function keyOf({ message, source, line }: Problem, lines: readonly string[]): string {
  return JSON.stringify([message, source, lines[line - 1]?.trim()]);
}

function describe({ line, severity, message, source }: Problem): string {
  return `line ${line}: ${severity}${source === "" ? "" : ` ${source}`} ${cutLine(message, 500)}`;
}
