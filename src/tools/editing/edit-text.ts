/** Replaces a text once, with the error messages of edit and multi_edit. */

import * as z from "zod/mini";
import { never } from "../../base/never.ts";
import { msg } from "../../l10n/l10n.ts";
import { describeMiss, notFoundWords } from "../fuzzy-match/describe-miss.ts";
import { replaceText } from "../fuzzy-match/replace-text.ts";
import { plural } from "../text/text.ts";
import { ToolError } from "../tool.ts";

export const editFields = {
  old_string: z.string().check(z.describe("Empty only to create a file")),
  new_string: z.string(),
  replace_all: z.optional(z.boolean()),
};

type EditInput = z.infer<z.ZodMiniObject<typeof editFields>>;

export interface EditedText {
  text: string;
  count: number;
  /** Differences between the text found and old_string, in sentences; empty if there are none. */
  note: string;
}

/** Errors name the file, and quote it if the model knows it. @throws ToolError if not exactly one place matches */
export function editText(text: string, wish: EditInput, name: string, isKnown: boolean): EditedText {
  if (!wish.new_string.isWellFormed())
    throw new ToolError(
      "new_string holds half a character (a lone surrogate).",
      msg("The new text holds half a character; the model tries again."),
    );
  if (wish.old_string === "" && text === "") return { text: wish.new_string, count: 1, note: "" };
  if (wish.old_string === "") {
    throw new ToolError(
      `old_string is empty, which is only for new files, but ${name} has text. Give the text to be replaced.`,
      msg("The edit does not say what to replace; the model tries again."),
    );
  }
  const result = replaceText(text, wish.old_string, wish.new_string, wish.replace_all ?? false);
  switch (result.type) {
    case "replaced":
      return result;
    case "same":
      throw new ToolError(
        "old_string and new_string are the same (line endings are kept as the file has them): nothing to do.",
        msg("The edit would change nothing."),
      );
    case "done":
      throw new ToolError(
        `${name} already contains new_string there: nothing to do. ${result.note}`,
        msg("The file has this text already."),
      );
    case "ambiguous":
      throw new ToolError(
        `old_string occurs ${result.count} times in ${name}${result.exact ? "" : ", not exactly but nearly"}, on ${listLines(result)}. Add lines around the one you mean, or set replace_all.`,
        msg("The text is there {0} times; the model tries again.", result.count),
      );
    case "not-found":
      throw new ToolError(
        describeMiss(`old_string was not found in ${name}.`, text, wish.old_string, isKnown),
        notFoundWords,
      );
    default:
      return never(result);
  }
}

function listLines({ count, lines }: { count: number; lines: readonly number[] }): string {
  const unique = [...new Set(lines)];
  return `${unique.length === 1 ? "line" : "lines"} ${unique.join(", ")}${count > lines.length ? ", …" : ""}`;
}

/** Returns the end of a sentence about the change: " in 3 places. old_string differed in …" */
export function describeEdit({ count, note }: EditedText): string {
  return `${count > 1 ? ` in ${plural(count, "place")}` : ""}.${note === "" ? "" : ` ${note}`}`;
}
