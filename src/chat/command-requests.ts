/** Messages about commands that MCP servers offer: the values of an argument, and a prompt that is being asked for. */
import * as z from "zod/mini";

const text = z.string().check(z.maxLength(10_000));

/** The part of `ToHost`. */
export const commandRequests = [
  /** Asks for the values of an argument. Answered with `argument-values`. `given`: the other arguments. */
  z.object({
    type: z.literal("list-values"),
    command: z.string().check(z.maxLength(200)),
    argument: z.string().check(z.maxLength(200)),
    value: text,
    given: z.record(z.string().check(z.maxLength(200)), text),
  }),
  /** Writes a commit message into the box of the Source Control view. */
  z.object({ type: z.literal("write-commit-message") }),
  /** Ends the wait for what a server says; the message comes back. */
  z.object({ type: z.literal("stop-asking") }),
] as const;

/** What a server offers for an argument of which `value` is written; none: it offers nothing. */
export interface ArgumentValues {
  command: string;
  argument: string;
  value: string;
  values: string[];
}
