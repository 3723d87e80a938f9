/** What the editor complains about after a change and did not before. */
import type { Host, Problem, TextFile } from "../host.ts";
import { cutLine, plural, splitLines } from "../text/text.ts";

/** Undefined: there is no editor that knows. */
export type KnownProblems = ProblemSnapshot | undefined;

interface ProblemSnapshot {
  /** How often each complaint is there. */
  counts: ReadonlyMap<string, number>;
  /** The lines of the file; undefined where all its problems are among the known ones. */
  lines: ReadonlySet<string> | undefined;
}

/** ms */
const settleTimeoutMs = 2_000;
const maxProblems = 10;

/** Of a file before it is changed; `text` is what it reads. */
export async function knownProblems({ editor }: Host, path: string, text: string): Promise<KnownProblems> {
  if (!editor) return undefined;
  const lines = splitLines(text);
  const counts = new Map<string, number>();
  for (const problem of await editor.problems(path).catch(() => [])) {
    const key = problemKey(problem, lines);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isWatched = text === "" || (await editor.watches(path).catch(() => false));
  return { counts, lines: isWatched ? undefined : new Set(lines.map((line) => line.trim())) };
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
  const found = await editor.settledProblems(after.path, settleTimeoutMs, signal).catch(() => []);
  const lines = splitLines(after.text);
  const left = new Map(known.counts);
  const unknown = found.filter((problem) => {
    if (problem.severity !== "error" && problem.severity !== "warning") return false;
    const key = problemKey(problem, lines);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
  // Where the editor knew nothing of the file, what it says of lines that are as they were may be as old as they are.
  const isFresh = ({ line }: Problem) => !known.lines?.has(lines[line - 1]?.trim() ?? "");
  const fresh = unknown.filter(isFresh);
  const others = unknown.length - fresh.length;
  if (fresh.length === 0) return others === 0 ? "" : `\n\n${otherProblemsNote(after.relative, others)}`;
  // What is sure to break comes first.
  const sorted = fresh.toSorted(
    (a, b) => Number(a.severity !== "error") - Number(b.severity !== "error") || a.line - b.line,
  );
  const words = sorted.slice(0, maxProblems).map(describeProblem);
  if (fresh.length > maxProblems) words.push(`(${plural(fresh.length - maxProblems, "more problem")})`);
  if (others > 0) words.push(otherProblemsNote(after.relative, others));
  return `\n\nNew problems in ${after.relative} after this edit:\n${words.join("\n")}`;
}

function otherProblemsNote(name: string, count: number): string {
  const which = count === 1 ? "a problem" : plural(count, "problem");
  return `${name} has ${which} in lines that this edit did not change, perhaps from before: diagnostics lists them.`;
}

/** By its line's text, not its number: that changes with every line above. */
function problemKey({ message, source, line }: Problem, lines: readonly string[]): string {
  return JSON.stringify([message, source, lines[line - 1]?.trim()]);
}

function describeProblem({ line, severity, message, source }: Problem): string {
  return `line ${line}: ${severity}${source === "" ? "" : ` ${source}`} ${cutLine(message, 500)}`;
}
