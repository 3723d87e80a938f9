/** Plans a change of several files that the editor's language services have worked out. */
import type { FileDiff } from "../../chat/message.ts";
import { msg } from "../../l10n/l10n.ts";
import { asText, openToChange, requireTrust } from "../file-access/file-checks.ts";
import { fileRequirements } from "../file-access/requirements.ts";
import type { PlacedEdit, ServiceEdit, TextFile, TextPlace } from "../host.ts";
import { commit, type FileWrite } from "../patch/commit-files.ts";
import { compare, inContext, toFileDiff } from "../text/diff.ts";
import { isCrlf, plural } from "../text/text.ts";
import { type ToolContext, ToolError, type ToolPlan } from "../tool.ts";
import { knownProblems, newProblems } from "./new-problems.ts";

const maxFiles = 200;
/** Lines of changes shown to the model; of more files it gets the names. */
const maxShownFiles = 10;

type ServiceWrite = FileWrite & { before: TextFile; text: string };

/** @throws ToolError if a file may not be changed, or the editor has another text of it */
export async function planServiceEdit(title: string, edits: readonly ServiceEdit[], context: ToolContext) {
  requireTrust(context.host.workspace);
  if (edits.length > maxFiles)
    throw new ToolError(msg("{0} would change {1} files: too many at once.", title, edits.length));
  const writes: ServiceWrite[] = [];
  for (const edit of edits) {
    const write = await planWrite(edit, context);
    if (write.text !== write.before.text) writes.push(write);
  }
  if (writes.length === 0) throw new ToolError(msg("The language services change nothing there."));
  return planOf(title, writes, context);
}

async function planWrite({ path, known, edits }: ServiceEdit, { host, seen, signal }: ToolContext) {
  const location = await host.workspace.locate(path);
  const before = asText(await openToChange(location, host, seen, signal));
  const text = lineFeeds(known) === lineFeeds(before.text) ? applyEdits(before.text, edits) : undefined;
  if (text === undefined)
    throw new ToolError(
      `The editor has another text of ${location.relative}. Try again.`,
      msg("{0} has changed in the editor; the model tries again.", location.relative),
    );
  return { target: { location, before }, before, text };
}

function planOf(title: string, writes: readonly ServiceWrite[], { host, seen, signal }: ToolContext): ToolPlan {
  const diffs = writes.map(({ before, text }) => diffOf(before, text));
  const [diff] = diffs;
  return {
    title,
    preview: diff && diffs.length === 1 ? { type: "diff", diff } : { type: "diffs", diffs },
    requires: writes.flatMap(({ before }) => fileRequirements("edit", before, host)),
    writes: writes.map(({ before }) => before.path),
    run: async () => {
      const known = await Promise.all(writes.map(({ before }) => knownProblems(host, before.path, before.text)));
      const after = await commit(host.workspace, writes, signal);
      const told = await Promise.all(
        writes.map(async ({ before }, index) => {
          const file = after[index];
          if (!file) throw new Error(`${before.path} was not written`);
          // Whoever knew the file knows it still: the change is in the result.
          const isShown = index < maxShownFiles;
          if (seen.get(before.path) === before.version && isShown) seen.set(file.path, file.version);
          const shown = isShown ? `. It reads there now:\n${inContext(compare(before.text, file.text), 40)}` : ".";
          const problems = await newProblems(host, known[index], file, signal);
          return {
            words: msg("{0} is changed{1}{2}", before.relative, shown, problems),
            diff: diffOf(before, file.text),
          };
        }),
      );
      const [only] = told;
      return {
        output: [`${plural(told.length, "file")} changed.`, ...told.map(({ words }) => words)].join("\n\n"),
        metadata: only && told.length === 1 ? { diff: only.diff } : { diffs: told.map((one) => one.diff) },
      };
    },
  };
}

const diffOf = (before: TextFile, text: string): FileDiff => toFileDiff(before.relative, compare(before.text, text));

const lineFeeds = (text: string): string => text.replaceAll(/\r\n?/g, "\n");

// Edits of language services, by lines and columns, applied to a text with any line endings. Pure.

/** Returns undefined if two edits overlap. Insertions at one place keep their order. */
export function applyEdits(text: string, edits: readonly PlacedEdit[]): string | undefined {
  const starts = lineStarts(text);
  const offset = ({ line, character }: TextPlace) => {
    const start = starts[line] ?? text.length;
    const end = (starts[line + 1] ?? text.length + 1) - 1;
    const next = text[end - 1] === "\r" && text[end] === "\n" ? end - 1 : end;
    return Math.min(start + character, next);
  };
  const placed = edits.map((edit) => ({ from: offset(edit.from), to: offset(edit.to), text: edit.text }));
  placed.sort((a, b) => a.from - b.from || a.to - b.to);
  const crlf = isCrlf(text);
  let result = "";
  let at = 0;
  for (const { from, to, text: added } of placed) {
    if (from < at || to < from) return undefined;
    const lines = added.replaceAll(/\r\n?/g, "\n");
    result += text.slice(at, from) + (crlf ? lines.replaceAll("\n", "\r\n") : lines);
    at = to;
  }
  return result + text.slice(at);
}

/** As editors count lines: `\r\n`, `\n` and `\r` end one. */
function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ 0: end, index }) => index + end.length)];
}
