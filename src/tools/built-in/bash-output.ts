import * as z from "zod/mini";
import type { BackgroundCommand } from "../../chat/events.ts";
import { msg } from "../../l10n/l10n.ts";
import type { Background } from "../host.ts";
import { withHint } from "../text/model-hint.ts";
import { headOf, splitLines } from "../text/text.ts";
import { defineTool, ToolError, type ToolResult } from "../tool.ts";

export const bashOutput = defineTool({
  name: "bash_output",
  sideEffect: "read-only",
  description:
    "Returns the new output of a background command and whether it still runs; without id, lists all of them.",
  input: z.object({
    id: z.optional(z.string()).check(z.describe('Like "bash_1"')),
    filter: z.optional(z.string()).check(z.describe("Only lines with this text")),
  }),
  async prepare({ id, filter = "" }, { host: { background }, signal }) {
    signal.throwIfAborted();
    return {
      title: id === undefined ? msg("List background commands") : msg("Read output of {0}", id),
      preview: { type: "text", text: "" },
      requires: [],
      writes: [],
      run: async () => (id === undefined ? listResult(background) : readNewOutput(background, id, filter)),
    };
  },
});

export function findCommand(background: Background, id: string): BackgroundCommand {
  const command = background.list().find((one) => one.id === id);
  if (command) return command;
  throw new ToolError(
    `There is no background command "${id}". ${listCommands(background)}`,
    msg("There is no background command {0} any more.", id),
  );
}

function listResult(background: Background): ToolResult {
  const text = listCommands(background, describeForPeople);
  return { output: listCommands(background), metadata: { words: { at: 0, text } } };
}

function listCommands(background: Background, describe = describeState): string {
  const lines = background.list().map((one) => `${one.id} (${describe(one)}): ${headOf(one.command, 200)}`);
  return lines.length === 0 ? "There are no background commands." : lines.join("\n");
}

function readNewOutput(background: Background, id: string, filter: string): ToolResult {
  const command = findCommand(background, id);
  const { text = "", outputFile } = background.read(id) ?? {};
  const lines = splitLines(text).filter((line) => line.includes(filter));
  const what = filter === "" ? "new output" : "new output with this text";
  const shown = lines.length === 0 ? `(no ${what})` : lines.join("\n");
  const { output, metadata } = withHint(`${shown}\n`, `[${describeState(command)}]`, `[${describeForPeople(command)}]`);
  return { output, metadata: { outputFile, ...metadata } };
}

function describeState({ state }: BackgroundCommand): string {
  if (state.type === "ended") return state.words;
  if (state.type === "running") return "running";
  if (state.by === "user") return "waits for the user, who is asked for a password in the terminal; let it wait";
  return `waits for input after ${JSON.stringify(state.prompt)}, which nobody can type: end it and run it non-interactively`;
}

function describeForPeople(command: BackgroundCommand): string {
  const { state } = command;
  if (state.type !== "waiting") return describeState(command);
  return state.by === "user"
    ? msg("asks for a password in the terminal")
    : msg("waits for input after {0}", JSON.stringify(state.prompt));
}
