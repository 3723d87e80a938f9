/** Names of the parts of a conversation, for people. */
import { placeName } from "../../chat/comments.ts";
import type { PieceView } from "../../chat/context-views.ts";
import type { Message, Part } from "../../chat/message.ts";
import { counted, t } from "../../l10n/l10n.ts";

const longestName = 80;

/** Returns the name of a part: a file, what a call was about, or the first words of a text in quotation marks. */
export function pieceName(part: Part, role: Message["role"]): string {
  return describePiece(part, role).name;
}

export function describePiece(part: Part, role: Message["role"]): Pick<PieceView, "kind" | "name" | "detail"> {
  switch (part.type) {
    case "text":
      return {
        kind: role === "user" ? "you" : "answer",
        name: quoted(part.text),
        detail: role === "user" ? t("you|wrote it") : "Rondo",
      };
    case "comment":
      return { kind: "comment", name: placeName(part), detail: t("your comment") };
    case "file": {
      const { source, mime } = part;
      const how = source && !source.whole ? t("attached, lines {0}–{1}", source.start, source.end) : t("attached|file");
      return { kind: mime.startsWith("image/") ? "image" : "file", ...inFolder(part.filename, how) };
    }
    case "tool": {
      const { tool, state } = part;
      const path = state.input["file_path"];
      if (tool === "read" && typeof path === "string") return { kind: "file", ...inFolder(path, t("read|file")) };
      const title = state.status === "pending" ? "" : (state.title ?? "");
      const output = state.status === "completed" ? state.output : state.status === "error" ? state.error : "";
      const detail = counted(output.split("\n").length, "output, {0} line", "output, {0} lines");
      return { kind: tool === "web_fetch" ? "page" : "output", name: cut(title || tool), detail };
    }
    default:
      return { kind: "output", name: part.type, detail: "" };
  }
}

/** Returns the name of a file, and its folder with what was done. */
function inFolder(path: string, done: string): Pick<PieceView, "name" | "detail"> {
  const parts = path.split(/[\\/]/);
  if (parts.at(-1) === "") parts.pop();
  const name = parts.pop() ?? path;
  const folder = path.slice(0, Math.max(0, path.lastIndexOf(name) - 1));
  return { name: cut(name || path), detail: folder === "" ? done : `${cut(folder)} · ${done}` };
}

function quoted(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return `“${cut(line)}”`;
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > longestName ? `${line.slice(0, longestName).toWellFormed()}…` : line;
}
