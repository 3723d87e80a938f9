import * as z from "zod/mini";
import { never } from "../loop/never.ts";
import { compare, inContext, toFileDiff } from "./diff.ts";
import { asText, requireTrust, staleSentence } from "./files.ts";
import type { FileKind, TextFile } from "./host.ts";
import { hasLineNumbers, nearest } from "./nearest.ts";
import { replace } from "./replace.ts";
import { fileNeeds } from "./scope.ts";
import { cutLine, numbered, plural, splitLines } from "./text.ts";
import { defineTool, type FilesSeen, ToolError } from "./tool.ts";

const input = z.object({
  file_path: z.string().check(z.minLength(1), z.describe("Absolute, or relative to the workspace folder")),
  old_string: z
    .string()
    .check(z.describe("Text to be replaced, exactly as it is in the file; empty only to make a new file")),
  new_string: z.string().check(z.describe("Text to put there")),
  replace_all: z.optional(z.boolean()).check(z.describe("Replace every occurrence")),
});
type Input = z.infer<typeof input>;

export const edit = defineTool({
  name: "edit",
  sideEffect: "mutating",
  description:
    "Replaces old_string by new_string in a file. old_string must be exactly the file's text, white space included and without line numbers, and occur once; give lines around it to make it unique, or set replace_all. Line endings need no care.",
  input,
  async prepare(wish, { host, seen, signal }) {
    signal.throwIfAborted();
    requireTrust(host.workspace);
    const location = await host.workspace.locate(wish.file_path);
    const before = existing(await host.workspace.open(location.path, signal), wish);
    const { text, count } = before ? change(before, wish, seen) : { text: wish.new_string, count: 1 };
    const { relative } = location;
    const hunks = compare(before?.text ?? "", text);
    return {
      title: `${before ? "Edit" : "Create"} ${relative}`,
      preview: { type: "diff", diff: toFileDiff(relative, hunks) },
      needs: fileNeeds("edit", location, host),
      run: async () => {
        const after = await host.workspace.write(location, text, before?.version ?? "missing", signal);
        seen.set(after.path, after.version);
        const isAsWritten = after.text === text;
        const now = isAsWritten ? hunks : compare(before?.text ?? "", after.text);
        const places = count > 1 ? ` in ${count} places` : "";
        const formatted = isAsWritten ? "" : " The editor changed it further on save (a formatter, perhaps).";
        return {
          output: `${relative} is changed${places}.${formatted} It reads there now:\n${inContext(now, 80)}`,
          metadata: { diff: toFileDiff(relative, now) },
        };
      },
    };
  },
});

/** The file to edit; undefined when an empty old_string is to make a new one. */
function existing(kind: FileKind, wish: Input): TextFile | undefined {
  if (kind.type === "missing" && wish.old_string === "") return undefined;
  const file = asText(kind);
  if (wish.old_string !== "" || file.text === "") return file;
  throw new ToolError(
    `old_string is empty, which is only for new files, but ${file.relative} has text. Give the text to be replaced.`,
  );
}

function change(file: TextFile, wish: Input, seen: FilesSeen): { text: string; count: number } {
  const known = seen.get(file.path);
  if (known !== undefined && known !== file.version) throw new ToolError(staleSentence(file.relative));
  if (file.text === "" && wish.old_string === "") return { text: wish.new_string, count: 1 };
  const result = replace(file.text, wish.old_string, wish.new_string, wish.replace_all ?? false);
  switch (result.type) {
    case "replaced":
      return result;
    case "same":
      throw new ToolError(
        "old_string and new_string are the same (line endings are kept as the file has them): nothing to do.",
      );
    case "ambiguous":
      throw new ToolError(
        `old_string occurs ${result.count} times in ${file.relative}, on ${lineList(result)}. Add lines around the one you mean, or set replace_all.`,
      );
    case "not-found":
      throw new ToolError(describeMiss(file, wish.old_string, known !== undefined));
    default:
      return never(result);
  }
}

function lineList({ count, lines }: { count: number; lines: readonly number[] }): string {
  const unique = [...new Set(lines)];
  return `${unique.length === 1 ? "line" : "lines"} ${unique.join(", ")}${count > lines.length ? ", …" : ""}`;
}

/** Says where something like it is. The text of a file that the model has not read stays hidden: no one allowed reading it. */
function describeMiss(file: TextFile, wanted: string, isKnown: boolean): string {
  const sentences = [`old_string was not found in ${file.relative}.`];
  const isNumbered = hasLineNumbers(wanted);
  if (isNumbered) sentences.push("It begins with line numbers, which are no part of the file: leave them out.");
  const near = nearest(file.text, isNumbered ? wanted.replace(/^ *\d+\t/gm, "") : wanted);
  if (near) {
    const place = near.first === near.last ? `Line ${near.first}` : `Lines ${near.first}–${near.last}`;
    const verb = near.first === near.last ? "differs" : "differ";
    if (near.onlyWhiteSpace && !isNumbered) sentences.push(`${place} ${verb} from it only in white space.`);
    else sentences.push(`${place} ${near.first === near.last ? "is" : "are"} the nearest.`);
  }
  if (!isKnown) return [...sentences, "You have not read this file: read it first."].join(" ");
  if (!near)
    return [
      ...sentences,
      `Nothing like it is among its ${plural(splitLines(file.text).length, "line")}: read it again.`,
    ].join(" ");
  const lines = splitLines(file.text).slice(near.first - 1, Math.min(near.last, near.first + 29));
  const shown = lines.map((line, index) => numbered(cutLine(line, 500), near.first + index));
  return `${sentences.join(" ")} The file reads there:\n${shown.join("\n")}\nCopy the text exactly, tabs and spaces too.`;
}
