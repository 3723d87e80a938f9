/** Tells from a tool call where the agent reads or writes. Pure. */
import * as z from "zod/mini";
import { diffsOf } from "../../chat/diffs.ts";
import type { ToolPart } from "../../chat/message.ts";

/** A place in a file. Lines are counted from 0, the last one is included. */
export interface AgentPlace {
  /** As the agent or the diff names it: absolute, or relative to a folder of the workspace. */
  path: string;
  action: "reads" | "writes";
  at: { type: "start" } | { type: "lines"; first: number; last: number } | { type: "text"; text: string };
}

const ReadInput = z.object({
  file_path: z.string(),
  offset: z.optional(z.int().check(z.gte(0))),
  limit: z.optional(z.int().check(z.gte(1))),
});
const EditInput = z.object({ file_path: z.string(), old_string: z.string() });
const MultiEditInput = z.object({ file_path: z.string(), edits: z.array(z.object({ old_string: z.string() })) });

/** Returns undefined for a call that is not at work in a file. A call may be at work only after it is allowed. */
export function placeOfCall({ tool, state }: ToolPart): AgentPlace | undefined {
  if (state.status === "running") return tool === "read" ? placeOfRead(state.input) : placeOfEdit(tool, state.input);
  const diff = state.status === "completed" ? diffsOf(state.metadata)[0] : undefined;
  // The path of a moved file is "old → new".
  const path = diff?.path.split(" → ").at(-1);
  return diff && path !== undefined ? { path, action: "writes", at: firstChange(diff.patch) } : undefined;
}

function placeOfRead(input: unknown): AgentPlace | undefined {
  const read = ReadInput.safeParse(input).data;
  if (!read) return undefined;
  const { file_path: path, offset = 1, limit } = read;
  const first = Math.max(0, offset - 1);
  const isWhole = first === 0 && limit === undefined;
  const at = isWhole ? { type: "start" as const } : { type: "lines" as const, first, last: first + (limit ?? 1) - 1 };
  return { path, action: "reads", at };
}

function placeOfEdit(tool: string, input: unknown): AgentPlace | undefined {
  if (tool === "edit") {
    const edit = EditInput.safeParse(input).data;
    return edit && { path: edit.file_path, action: "writes", at: { type: "text", text: edit.old_string } };
  }
  if (tool !== "multi_edit") return undefined;
  const edits = MultiEditInput.safeParse(input).data;
  return (
    edits && { path: edits.file_path, action: "writes", at: { type: "text", text: edits.edits[0]?.old_string ?? "" } }
  );
}

const hunkHead = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/;

/** Returns the first lines of the new text that a unified diff adds, or the line at which it only removes some. */
function firstChange(patch: string): AgentPlace["at"] {
  let line: number | undefined;
  let first: number | undefined;
  for (const row of patch.split("\n")) {
    const head = hunkHead.exec(row);
    // An empty side counts from the line before it.
    if (head && line === undefined) line = Number(head[1]) - (head[2] === "0" ? 0 : 1);
    else if (head) break;
    else if (line === undefined) continue;
    else if (row.startsWith("+")) {
      first ??= line;
      line++;
    } else if (row.startsWith("-")) first ??= line;
    else if (first === undefined) line++;
    else break;
  }
  if (first === undefined || line === undefined) return { type: "start" };
  return { type: "lines", first, last: Math.max(first, line - 1) };
}
