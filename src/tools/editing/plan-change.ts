/** Opens the files that tools change, and plans the change of one. */
import { msg } from "../../l10n/l10n.ts";
import { asSeen, openToChange, requireRead, requireTrust } from "../file-access/file-checks.ts";
import { fileRequirements } from "../file-access/requirements.ts";
import type { Location, TextFile } from "../host.ts";
import { compare, inContext, toFileDiff } from "../text/diff.ts";
import type { ToolContext, ToolPlan } from "../tool.ts";
import { knownProblems, newProblems } from "./new-problems.ts";

export interface EditTarget {
  location: Location;
  /** Undefined for a new file. */
  before: TextFile | undefined;
}

/** @throws ToolError if there is no text file that may be changed, or it has changed since the model saw it */
export async function openTarget(name: string, mayBeMissing: boolean, context: ToolContext): Promise<EditTarget> {
  const { host, seen, signal } = context;
  signal.throwIfAborted();
  requireTrust(host.workspace);
  const location = await host.workspace.locate(name);
  if (mayBeMissing && (await host.workspace.look(location)) === "missing") return { location, before: undefined };
  const before = asSeen(await openToChange(location, host, seen, signal), seen);
  return { location, before };
}

/** Opens a file whose whole text goes. `then`: what to do after reading. @throws ToolError as `openTarget`, or if unread */
export async function openWhole(name: string, mayBeMissing: boolean, then: string, context: ToolContext) {
  const { host, seen, signal } = context;
  signal.throwIfAborted();
  requireTrust(host.workspace);
  const location = await host.workspace.locate(name);
  const kind = await host.workspace.open(location, signal);
  if (mayBeMissing && kind.type === "missing") return { location, before: undefined };
  const before = asSeen(kind, seen);
  requireRead(before, seen, then);
  return { location, before };
}

/** `done` describes the change in sentences; the result shows the new text after it. */
export function planChange(
  { location, before }: EditTarget,
  text: string,
  done: string,
  context: ToolContext,
): ToolPlan {
  const { host, seen, signal } = context;
  const { relative } = location;
  const old = before?.text ?? "";
  const hunks = compare(old, text);
  return {
    title: before ? msg("Edit {0}", relative) : msg("Create {0}", relative),
    preview: { type: "diff", diff: toFileDiff(relative, hunks) },
    requires: fileRequirements("edit", location, host),
    writes: [location.path],
    run: async () => {
      const known = await knownProblems(host, location.path, old);
      const after = await host.workspace.write(location, text, before?.version ?? "missing", signal);
      seen.set(after.path, after.version);
      const isAsWritten = after.text === text;
      const now = isAsWritten ? hunks : compare(old, after.text);
      const formatted = isAsWritten ? "" : " The editor changed it further on save (a formatter, perhaps).";
      const reads = after.text === "" ? "It is empty now." : `It reads there now:\n${inContext(now, 80)}`;
      const problems = await newProblems(host, known, after, signal);
      return { output: `${done}${formatted} ${reads}${problems}`, metadata: { diff: toFileDiff(relative, now) } };
    },
  };
}
