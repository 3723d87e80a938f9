/** An edit while its arguments are still being written: what it will change, as far as it is known. */
import type { ToolPart } from "../../src/chat/message.ts";
import { draftRows, type Row } from "../lib/diff-rows.ts";
import { argumentsOf, objectsOf } from "../lib/tool-line.ts";

interface Draft {
  path: string;
  rows: Row[];
}

/** A file each, in the order in which they are written; empty while there is nothing to show. */
export function draftsOf(part: ToolPart): Draft[] {
  return draftsIn(part).filter(({ rows }) => rows.length > 0);
}

function draftsIn(part: ToolPart): Draft[] {
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

const gap: Row = { kind: "skip", number: undefined, text: "…" };

function between(rows: Row[], at: number): Row[] {
  return at === 0 ? rows : [gap, ...rows];
}

const fileLine = /^\*\*\* (?:Add|Update|Delete) File: (.*)$/;
const kinds: Record<string, Row["kind"]> = { "+": "add", "-": "del", " ": "same" };

/** Of a patch as OpenAI's models write it. */
function patchDrafts(patch: string): Draft[] {
  const drafts: Draft[] = [];
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
