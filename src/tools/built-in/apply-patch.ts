import * as z from "zod/mini";
import { never } from "../../base/never.ts";
import type { CallMetadata, FileDiff } from "../../chat/message.ts";
import type { Preview } from "../../chat/requests.ts";
import { msg, msgCount } from "../../l10n/l10n.ts";
import { countDeleted } from "../command/effects/deleted-files.ts";
import { deletedInGit } from "../command/effects/deletions.ts";
import { knownProblems, newProblems } from "../editing/new-problems.ts";
import { type EditTarget, openTarget, openWhole } from "../editing/plan-change.ts";
import { fileRequirements } from "../file-access/requirements.ts";
import type { TextFile } from "../host.ts";
import { applyChunks } from "../patch/apply-chunks.ts";
import { commit, type FileWrite } from "../patch/commit-files.ts";
import { type FileChange, parsePatch } from "../patch/parse-patch.ts";
import { compare, inContext, toFileDiff } from "../text/diff.ts";
import { countLines, plural } from "../text/text.ts";
import { type CallEffects, defineTool, type ToolContext, ToolError } from "../tool.ts";

/** The patches that OpenAI's models are trained to write, in Lark's notation. */
const patchGrammar = `start: begin file+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?
file: add | delete | update
add: "*** Add File: " path LF ("+" /(.*)/ LF)+
delete: "*** Delete File: " path LF
update: "*** Update File: " path LF move? lines?
move: "*** Move to: " path LF
lines: (head | line)+ last?
head: ("@@" | "@@ " /(.+)/) LF
line: ("+" | "-" | " ") /(.*)/ LF
last: "*** End of File" LF
path: /(.+)/
%import common.LF`;

export const applyPatch = defineTool({
  name: "apply_patch",
  sideEffect: "mutating",
  description:
    "Changes files by a patch, all or none: *** Begin Patch, then for each file *** Add File: path, *** Delete File: path, or *** Update File: path (*** Move to: path) with chunks of @@ and lines that begin with a space, - or +, then *** End Patch. Three lines of context around each change; @@ names the function where they are not unique.",
  // OpenAI's models use this name.
  input: z.object({ input: z.string().check(z.minLength(1)) }),
  freeform: { grammar: patchGrammar, argument: "input" },
  async prepare({ input: patch }, context) {
    const { host, seen, signal } = context;
    const steps: PatchStep[] = [];
    for (const change of mergeChanges(parsePatch(patch))) steps.push(...(await planSteps(change, context)));
    assertOnce(steps);
    // Deletions come last, so that a failed write does not cost a file.
    steps.sort((a, b) => Number(a.text === undefined) - Number(b.text === undefined));
    const diffs = steps.map(({ target, text }) => diffOf(target, text ?? ""));
    return {
      title: patchTitle(steps),
      preview: (await deletionPreview(steps, signal)) ?? previewOf(diffs),
      requires: steps.flatMap(({ target }) => fileRequirements("edit", target.location, host)),
      writes: steps.map(({ target }) => target.location.path),
      effects: async (effectSignal) => await effectsOf(steps, effectSignal),
      run: async () => {
        const known = await Promise.all(steps.map(({ target, old }) => knownProblems(host, target.location.path, old)));
        const after = await commit(host.workspace, steps, signal);
        for (const [index, { target }] of steps.entries()) {
          const file = after[index];
          if (file) seen.set(file.path, file.version);
          else seen.delete(target.location.path);
        }
        const words = steps.map((step, index) => describeStep(step, after[index]));
        const problems = await Promise.all(
          after.map((file, index) => (file ? newProblems(host, known[index], file, signal) : "")),
        );
        return {
          output: words.join("\n\n") + problems.join(""),
          metadata: metadataOf(steps.map(({ target }, index) => diffOf(target, after[index]?.text ?? ""))),
        };
      },
    };
  },
});

interface PatchStep extends FileWrite {
  /** The text before the change; for a moved file, its text at the old path. */
  old: string;
  /** The step that writes the moved text, for the deletion at the old path. */
  movedBy?: PatchStep;
  done: string;
}

/** Joins chunks for the same file that stand in several places of the patch. */
function mergeChanges(changes: readonly FileChange[]): FileChange[] {
  const all: FileChange[] = [];
  for (const change of changes) {
    const same = all.find((other) => other.path === change.path);
    if (same?.type === "update" && change.type === "update" && same.to === change.to)
      same.chunks.push(...change.chunks);
    else all.push(change);
  }
  return all;
}

async function planSteps(change: FileChange, context: ToolContext): Promise<PatchStep[]> {
  const { path } = change;
  switch (change.type) {
    case "add": {
      const target = await openNew(path, "Change it with *** Update File.", context);
      const done = `${target.location.relative} is created; it has ${plural(countLines(change.text), "line")}.`;
      return [{ target, text: change.text, old: "", done }];
    }
    case "delete": {
      const target = await openWhole(path, false, "delete it", context);
      const { location, before } = target;
      return [{ target, text: undefined, old: before?.text ?? "", done: `${location.relative} is deleted.` }];
    }
    case "update":
      return await updateSteps(change, context);
    default:
      return never(change);
  }
}

async function updateSteps({ path, to, chunks }: Extract<FileChange, { type: "update" }>, context: ToolContext) {
  const { target, before } = await openOld(path, context);
  const { relative } = before;
  const { text, notes } = applyChunks(before.text, chunks, relative, context.seen.has(before.path));
  const words = notes.length === 0 ? "" : ` ${notes.join(" ")}`;
  if (to === undefined) {
    if (text === before.text)
      throw new ToolError(
        `The patch changes nothing in ${relative}. Nothing was changed.`,
        msg("The patch would change nothing in {0}; the model tries again.", relative),
      );
    return [{ target, text, old: before.text, done: `${relative} is changed.${words}` }];
  }
  const moved = await openNew(to, "Move to another name.", context);
  const done = `${relative} is now ${moved.location.relative}.${words}`;
  const write: PatchStep = { target: moved, text, old: before.text, done };
  return [write, { target, text: undefined, old: before.text, movedBy: write, done: `${relative} is deleted.` }];
}

async function openOld(path: string, context: ToolContext): Promise<{ target: EditTarget; before: TextFile }> {
  const target = await openTarget(path, false, context);
  const { before } = target;
  // `openTarget` returns no text only if the file may be missing.
  if (!before) throw new ToolError(msg("{0} does not exist.", path));
  return { target, before };
}

async function openNew(path: string, advice: string, context: ToolContext): Promise<EditTarget> {
  const target = await openTarget(path, true, context);
  if (!target.before) return target;
  throw new ToolError(
    `${target.location.relative} exists already. ${advice} Nothing was changed.`,
    msg("{0} exists already. Nothing was changed; the model tries again.", target.location.relative),
  );
}

function assertOnce(steps: readonly PatchStep[]): void {
  const paths = new Set<string>();
  for (const { target } of steps) {
    const { path, relative } = target.location;
    if (paths.has(path))
      throw new ToolError(
        `The patch names ${relative} twice. Nothing was changed.`,
        msg("The patch names {0} twice. Nothing was changed; the model tries again.", relative),
      );
    paths.add(path);
  }
}

function patchTitle(steps: readonly PatchStep[]): string {
  const [first, second, ...more] = steps;
  const name = first?.target.location.relative ?? "";
  if (first && !second) {
    if (first.text === undefined) return msg("Delete {0}", name);
    return first.target.before ? msg("Edit {0}", name) : msg("Create {0}", name);
  }
  const isMove = more.length === 0 && second?.movedBy !== undefined && second.movedBy === first;
  if (steps.every(isDeletion)) return msgCount(steps.length, "Delete {0} file", "Delete {0} files");
  if (isMove) return msg("Move {0} to {1}", second?.target.location.relative ?? "", name);
  return msgCount(steps.length, "Patch {0} file", "Patch {0} files");
}

function describeStep({ done, target, text }: PatchStep, after: TextFile | undefined): string {
  if (!after) return done;
  const formatted = after.text === text ? "" : " The editor changed it further on save (a formatter, perhaps).";
  if (!target.before) return done + formatted;
  return `${done}${formatted} It reads there now:\n${inContext(compare(target.before.text, after.text), 80)}`;
}

function diffOf({ location, before }: EditTarget, text: string): FileDiff {
  return toFileDiff(location.relative, compare(before?.text ?? "", text));
}

function previewOf(diffs: FileDiff[]): Preview {
  const [diff] = diffs;
  return diff && diffs.length === 1 ? { type: "diff", diff } : { type: "diffs", diffs };
}

const isDeletion = ({ text }: PatchStep) => text === undefined;

/** Returns a list of files for a patch that does nothing but delete. */
async function deletionPreview(steps: readonly PatchStep[], signal: AbortSignal): Promise<Preview | undefined> {
  if (!steps.every(isDeletion)) return undefined;
  const files: { path: string; inGit: boolean }[] = [];
  for (const { target } of steps) {
    const { inGit } = await countDeleted([target.location.path], signal);
    files.push({ path: target.location.relative, inGit: inGit === 1 });
  }
  const what = files.length === 1 ? "it" : "them";
  return { type: "deletion", files, copy: msg("Rondo keeps a copy: a reject in the review writes {0} again.", what) };
}

/** What is deleted for good. A moved file is not. */
async function effectsOf(steps: readonly PatchStep[], signal: AbortSignal): Promise<CallEffects> {
  const paths = steps
    .filter((step) => isDeletion(step) && step.movedBy === undefined)
    .map(({ target }) => target.location.path);
  if (paths.length === 0) return { effects: [], connectors: [] };
  const said = deletedInGit(await countDeleted(paths, signal));
  const sentence = msg("It deletes {0}.", plural(paths.length, "file"));
  return { effects: [{ risk: "deletes", sentence, detail: said, marks: [] }], connectors: [] };
}

function metadataOf(diffs: FileDiff[]): CallMetadata {
  const [diff] = diffs;
  return diff && diffs.length === 1 ? { diff } : { diffs };
}
