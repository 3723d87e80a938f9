/** What stands below the line of a call when it is open. */
import type { FileDiff, ToolPart } from "../../src/chat/message.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";
import { shortened } from "../text/format.ts";
import { argumentsOf, resultOf, toolLineOf } from "./tool-line.ts";

interface CallBody {
  /** The command, if it has several lines: the line of the call has only the first. */
  script: string;
  diffs: readonly FileDiff[];
  /** The newest lines of a command that runs. */
  live: string;
  output: string;
  error: string;
}

/** A longer error in one line is cut. */
const mostErrorCharacters = 10_000;

export function callBody(part: ToolPart): CallBody {
  const { state } = part;
  const { command = "" } = argumentsOf(part);
  const result = resultOf(part);
  return {
    script: command.includes("\n") && toolLineOf(part, false, "").code ? escapeInvisible(command) : "",
    diffs: diffsOf(part),
    live: state.status === "running" ? (state.metadata?.live ?? "") : "",
    output: state.status === "completed" ? result : "",
    error: state.status === "error" ? result : "",
  };
}

function diffsOf({ state }: ToolPart): readonly FileDiff[] {
  const { diffs, diff } = ("metadata" in state ? state.metadata : undefined) ?? {};
  return diffs ?? (diff ? [diff] : []);
}

/** Returns an error of one line as it is shown; longer ones are an output. */
export function shownError(error: string): string {
  return escapeInvisible(shortened(error, mostErrorCharacters));
}
