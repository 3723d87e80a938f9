/** Writes and deletes several files, or none of them, as far as a disk allows. */
import type { EditTarget } from "../editing/plan-change.ts";
import type { TextFile, Workspace } from "../host.ts";
import { ToolError } from "../tool.ts";

/** `text` is the file's new text; undefined deletes it. */
export interface FileWrite {
  target: EditTarget;
  text: string | undefined;
}

/** Returns the files afterwards, undefined for deleted ones. @throws ToolError if a step failed; all are undone */
export async function commit(workspace: Workspace, steps: readonly FileWrite[], signal: AbortSignal) {
  const done: (TextFile | undefined)[] = [];
  try {
    for (const { target, text } of steps) {
      const { location, before } = target;
      const version = before?.version ?? "missing";
      if (text === undefined) await workspace.remove(location, version, signal);
      done.push(text === undefined ? undefined : await workspace.write(location, text, version, signal));
    }
    return done;
  } catch (error) {
    const left = await takeBack(workspace, steps, done);
    if (!(error instanceof ToolError)) throw error;
    const rest = left.length === 0 ? "Nothing was changed." : `Changed and not restored: ${left.join(", ")}.`;
    throw new ToolError(`${error.message} ${rest}`, `${error.words} ${rest}`);
  }
}

/** Undoes steps, even after Stop. Returns the files that could not be restored. */
async function takeBack(workspace: Workspace, steps: readonly FileWrite[], done: readonly (TextFile | undefined)[]) {
  const { signal } = new AbortController();
  const left: string[] = [];
  for (const [index, after] of [...done.entries()].reverse()) {
    const target = steps[index]?.target;
    if (!target) continue;
    const { location, before } = target;
    const version = after?.version ?? "missing";
    try {
      if (before) await workspace.write(location, before.text, version, signal);
      else await workspace.remove(location, version, signal);
    } catch {
      left.push(location.relative);
    }
  }
  return left;
}
