/** The lines that a comment is about, as the conversation shows them. */
import type { CommentPart } from "../../src/chat/message.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";
import { shortened } from "../text/format.ts";

const mostLines = 3;
const mostCharacters = 200;

export function quotedLines({ source }: CommentPart): string {
  return source.text
    .split("\n", mostLines)
    .map((line) => escapeInvisible(shortened(line, mostCharacters)))
    .join("\n")
    .trimEnd();
}
