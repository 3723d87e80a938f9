/** Problems that the editor reports after a change and did not report before. */
import type { CodeProblem, Host, TextFile } from "../host.ts";
import { cutLine, plural, splitLines } from "../text/text.ts";

/** `lines`: the file's, if the editor may not know all its problems. */
type KnownProblems = { counts: ReadonlyMap<string, number>; lines: ReadonlySet<string> | undefined } | undefined;

const settleTimeoutMs = 2_000;
const maxProblems = 10;

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

/** Returns a paragraph for the model, or "". Never throws: the change is already made. */
export async function newProblems({ editor }: Host, known: KnownProblems, after: TextFile, signal: AbortSignal) {
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
  // If the editor did not know the file before, problems in unchanged lines may be old.
  const isFresh = ({ line }: CodeProblem) => !known.lines?.has(lines[line - 1]?.trim() ?? "");
  const fresh = unknown.filter(isFresh);
  const others = unknown.length - fresh.length;
  if (fresh.length === 0) return others === 0 ? "" : `\n\n${otherProblemsNote(after.relative, others)}`;
  const sorted = fresh.toSorted(
    (a, b) => Number(a.severity !== "error") - Number(b.severity !== "error") || a.line - b.line,
  );
  const words = sorted.slice(0, maxProblems).map(({ line, severity, message, source }) => {
    return `line ${line}: ${severity}${source === "" ? "" : ` ${source}`} ${cutLine(message, 500)}`;
  });
  if (fresh.length > maxProblems) words.push(`(${plural(fresh.length - maxProblems, "more problem")})`);
  if (others > 0) words.push(otherProblemsNote(after.relative, others));
  return `\n\nNew problems in ${after.relative} after this edit:\n${words.join("\n")}`;
}

function otherProblemsNote(name: string, count: number): string {
  const which = count === 1 ? "a problem" : plural(count, "problem");
  return `${name} has ${which} in lines that this edit did not change, perhaps from before: diagnostics lists them.`;
}

/** Identifies a problem by its line's text, because line numbers shift. */
function problemKey({ message, source, line }: CodeProblem, lines: readonly string[]): string {
  return JSON.stringify([message, source, lines[line - 1]?.trim()]);
}
