/** Describes neighbouring calls of one kind in one line: what was read, edited or searched for. */

import type { ToolPart } from "../../src/chat/message.ts";
import { counted, formatted, t } from "../../src/l10n/l10n.ts";
import { argumentsOf, type ToolLine, toolKindOf, toolLineOf } from "../calls/tool-line.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";
import { baseName } from "../text/format.ts";

export interface GroupLine extends Pick<ToolLine, "glyph" | "verb" | "object" | "code"> {
  /** How many are not named: "and 2 more"; empty if all are. */
  rest: string;
}

/** Files that a line names. Of patterns it names one, which may contain any sign. */
const mostNames = 2;

export function groupLine(parts: readonly ToolPart[], cwd: string): GroupLine {
  switch (toolKindOf(parts[0]?.tool ?? "")) {
    case "read":
      return { glyph: "files", verb: t("Read|done"), code: false, ...named(fileNames(parts), mostNames) };
    case "edit":
      return { glyph: "edit", verb: t("Edited"), code: false, ...named(fileNames(parts), mostNames) };
    case "search": {
      const patterns = parts.map((part) => toolLineOf(part, false, cwd).object);
      return { glyph: "search", verb: t("Searched"), code: true, ...named([...new Set(patterns)], 1) };
    }
    default:
      return {
        glyph: "tools",
        verb: t("Used"),
        code: false,
        object: counted(parts.length, "{0} tool", "{0} tools"),
        rest: "",
      };
  }
}

function named(names: readonly string[], most: number): { object: string; rest: string } {
  const left = names.length - most;
  return {
    object: names.slice(0, most).join(", "),
    rest: left > 0 ? t("and {0} more", formatted(left)) : "",
  };
}

/** Returns the names of the files, each once. Files of one name have their folder before it. */
function fileNames(parts: readonly ToolPart[]): string[] {
  const paths = [...new Set(parts.flatMap(pathsOf))];
  const names = paths.map(baseName);
  return paths.map((path, at) => {
    const name = names[at] ?? "";
    const isShared = names.some((other, index) => other === name && index !== at);
    return escapeInvisible(isShared ? path.split(/[/\\]/).slice(-2).join("/") : name);
  });
}

/** Returns the files of a call: those that it has changed, else the one that it was called with. */
function pathsOf(part: ToolPart): string[] {
  const { state } = part;
  const input = argumentsOf(part);
  const changed = state.status === "completed" ? state.metadata.diffs?.map(({ path }) => path) : undefined;
  const paths = changed ?? [input["file_path"] ?? input["notebook_path"] ?? ""];
  const known = paths.filter((path) => path !== "");
  return known.length > 0 ? known : [toolLineOf(part, false, "").object];
}

/** Returns the one file that the call has read or edited; undefined if there is none, or several. */
export function fileOf(part: ToolPart): string | undefined {
  const kind = toolKindOf(part.tool);
  if (kind !== "read" && kind !== "edit") return undefined;
  const { state } = part;
  if (state.status === "completed" && (state.metadata.diffs?.length ?? 0) > 1) return undefined;
  const input = argumentsOf(part);
  return input["file_path"] ?? input["notebook_path"];
}
