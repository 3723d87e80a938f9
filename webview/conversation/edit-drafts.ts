/** Shows an edit while the model still writes its arguments. */
import type { ToolPart } from "../../src/chat/message.ts";
import { type DiffRow, draftRows } from "../calls/diff-rows.ts";
import { argumentsOf, objectsOf } from "../calls/tool-line.ts";

interface EditDraft {
  path: string;
  rows: DiffRow[];
}

/** Returns one draft per file, in the order in which they are written; empty while there is nothing to show. */
export function draftsOf(part: ToolPart): EditDraft[] {
  return draftsIn(part).filter(({ rows }) => rows.length > 0);
}

function draftsIn(part: ToolPart): EditDraft[] {
  const input = argumentsOf(part);
  const path = input["file_path"] ?? input["notebook_path"] ?? "";
  switch (part.tool) {
    case "edit":
      return [{ path, rows: draftRows(input["old_string"], input["new_string"]) }];
    case "write":
      return [{ path, rows: draftRows(undefined, input["content"]) }];
    case "notebook_edit":
      return [{ path, rows: draftRows(undefined, input["new_source"]) }];
    case "multi_edit": {
      const edits = objectsOf(part, "edits").map((edit) => draftRows(edit["old_string"], edit["new_string"]));
      return [{ path, rows: edits.filter((rows) => rows.length > 0).flatMap(between) }];
    }
    case "apply_patch":
      return patchDrafts(input["patch"] ?? input["input"] ?? "");
    default:
      return [];
  }
}

const gap: DiffRow = { kind: "skip", number: undefined, text: "…" };

function between(rows: DiffRow[], at: number): DiffRow[] {
  return at === 0 ? rows : [gap, ...rows];
}

const fileLine = /^\*\*\* (?:Add|Update|Delete) File: (.*)$/;
const kinds: Record<string, DiffRow["kind"]> = { "+": "add", "-": "del", " ": "same" };

function patchDrafts(patch: string): EditDraft[] {
  const drafts: EditDraft[] = [];
  for (const line of patch.split("\n")) {
    const path = fileLine.exec(line)?.[1];
    if (path !== undefined) drafts.push({ path: path.trim(), rows: [] });
    const draft = drafts.at(-1);
    if (!draft || line.startsWith("***")) continue;
    const kind = kinds[line.charAt(0)];
    if (kind) draft.rows.push({ kind, number: undefined, text: line.slice(1) });
    else if (line.startsWith("@@") && draft.rows.length > 0) draft.rows.push(gap);
  }
  return drafts;
}
