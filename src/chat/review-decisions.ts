/** Decisions of the user about changes of the agent, as a session records them until the model is told. */
import * as z from "zod/mini";

/** What a decision did to a place of the file. Texts are whole lines; `line` counts from 1, in the file as it was then. */
const DecidedHunk = z.object({ line: z.number(), removed: z.string(), added: z.string() });
export type DecidedHunk = z.infer<typeof DecidedHunk>;

/** The version of a file's text; null: there was no file. */
const Version = z.nullable(z.string());

export const ReviewDecision = z.object({
  id: z.string(),
  /** ms since 1970 */
  time: z.number(),
  /** The file as the model names it: relative to its workspace folder, else absolute. */
  name: z.string(),
  /** The real path. */
  path: z.string(),
  /** `restored`: the rejected change was put back. `edited`: accepted with changes that the user has made in it. */
  action: z.enum(["rejected", "restored", "edited"]),
  hunks: z.array(DecidedHunk),
  /** First lines of further hunks, whose texts are not kept. */
  others: z.array(z.number()),
  before: Version,
  after: Version,
});
export type ReviewDecision = z.infer<typeof ReviewDecision>;
