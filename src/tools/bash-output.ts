import * as z from "zod/mini";
import type { BackgroundCommand } from "../loop/events.ts";
import { never } from "../loop/never.ts";
import type { Background } from "./host.ts";
import { splitLines } from "./text.ts";
import { defineTool, ToolError } from "./tool.ts";

export const bashOutput = defineTool({
  name: "bash_output",
  sideEffect: "read-only",
  description:
    "What a background command has put out since you read it last, and whether it still runs. Without id: all there are.",
  input: z.object({
    id: z.optional(z.string()).check(z.describe('Like "bash_1"')),
    filter: z.optional(z.string()).check(z.describe("Only lines that hold this text")),
  }),
  async prepare({ id, filter = "" }, { host: { background }, signal }) {
    signal.throwIfAborted();
    return {
      title: id === undefined ? "List background commands" : `Read output of ${id}`,
      preview: { type: "text", text: "" },
      needs: [],
      writes: [],
      run: async () => ({
        output: id === undefined ? overview(background) : news(background, id, filter),
        metadata: {},
      }),
    };
  },
});

/** @throws ToolError when there is no such command */
export function known(background: Background, id: string): BackgroundCommand {
  const command = background.list().find((one) => one.id === id);
  if (command) return command;
  throw new ToolError(`There is no background command "${id}". ${overview(background)}`);
}

function overview(background: Background): string {
  const lines = background.list().map((one) => `${one.id} (${inWords(one)}): ${one.command}`);
  return lines.length === 0 ? "There are no background commands." : lines.join("\n");
}

function news(background: Background, id: string, filter: string): string {
  known(background, id);
  const read = background.read(id);
  const lines = splitLines(read?.text ?? "").filter((line) => line.includes(filter));
  const what = filter === "" ? "new output" : "new output with this text";
  return `${lines.length === 0 ? `(no ${what})` : lines.join("\n")}\n\n[${inWords(known(background, id))}]`;
}

function inWords({ state }: BackgroundCommand): string {
  switch (state.type) {
    case "running":
      return "running";
    case "waiting":
      return `waits for someone to type, after ${JSON.stringify(state.prompt)}; nobody can: end it and run it so that it asks nothing`;
    case "ended":
      return state.words;
    default:
      return never(state);
  }
}
