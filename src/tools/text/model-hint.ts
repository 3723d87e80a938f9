import type { CallMetadata } from "../../chat/message.ts";

/** Ends a result with words for the model; people read `plain` in their place. */
export function withHint(
  output: string,
  hint: string,
  plain: string,
  separator: "\n" | " " = "\n",
): { output: string; metadata: Required<Pick<CallMetadata, "words">> } {
  const start = output === "" ? "" : `${output}${separator}`;
  return { output: start + hint, metadata: { words: { at: start.length, text: plain } } };
}
