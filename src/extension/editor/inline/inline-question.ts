/** The question of an inline prompt, and the code in its answer. Pure. Its texts are for the model. */
import { fenceFor } from "../../../base/fence.ts";
import { headOf, tailOf } from "../../../tools/text/text.ts";

/** Characters of the file before and after the place. */
const maxAround = 12_000;

export interface InlinePlace {
  file: string;
  language: string;
  before: string;
  /** The text that is replaced, whole lines; empty to insert. */
  text: string;
  after: string;
}

/** `wishes`: what the user has asked for at this place, the newest last. */
export function inlineQuestion(
  { file, language, before, text, after }: InlinePlace,
  wishes: readonly string[],
): string {
  const shown = { before: tailOf(before, maxAround), after: headOf(after, maxAround) };
  const fence = fenceFor(shown.before + text + shown.after);
  const block = (code: string) => `${fence}\n${code}${code === "" || code.endsWith("\n") ? "" : "\n"}${fence}`;
  const earlier = wishes.slice(0, -1).map((wish) => `- ${wish}`);
  const sections = [
    `File ${file} (${language}).`,
    `Before the place:\n${block(shown.before)}`,
    text.trim() === "" ? "The place is empty: write what belongs there." : `The text at the place:\n${block(text)}`,
    `After the place:\n${block(shown.after)}`,
    earlier.length > 0 && `Done already at this place:\n${earlier.join("\n")}`,
    `Do this: ${wishes.at(-1) ?? ""}`,
  ];
  return sections.filter(Boolean).join("\n\n");
}

/** Returns the code of an answer, without the fence that models like to put around it. Also while it streams. */
export function codeFrom(answer: string, isWhole: boolean): string {
  const start = /^\s*(`{3,})[^\n`]*(\n|$)/.exec(answer);
  if (!start) return isWhole || !/^\s*`{0,2}$/.test(answer) ? answer : "";
  const code = answer.slice(start[0].length);
  const end = code.lastIndexOf(`\n${start[1]}`);
  if (code.startsWith(start[1] ?? "```")) return "";
  if (end >= 0) return code.slice(0, end + 1);
  // The beginning of the closing fence may be the last that has come.
  return isWhole ? code : code.replace(/\n`*$/, "");
}
