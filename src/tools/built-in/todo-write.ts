import * as z from "zod/mini";
import { msg } from "../../l10n/l10n.ts";
import { defineTool } from "../tool.ts";

/** The list is the call's input: the panel shows it from there, and compaction keeps the open items (survivors.ts). */
export const todoWrite = defineTool({
  name: "todo_write",
  sideEffect: "none",
  description:
    "Shows the user the steps of your work. For three steps or more: write the list first, and again when a step begins or is done. Replaces the whole list; one step is in_progress.",
  input: z.object({
    todos: z
      .array(
        z.object({
          content: z.string().check(z.trim(), z.minLength(1)),
          status: z.enum(["pending", "in_progress", "completed"]),
        }),
      )
      .check(z.maxLength(50)),
  }),
  async prepare({ todos }) {
    const done = todos.filter(({ status }) => status === "completed").length;
    const fact = todos.length === 0 ? "empty" : `${done} of ${todos.length} done`;
    return {
      title: msg("Update the to-dos"),
      preview: { type: "text", text: todos.map(({ content, status }) => `[${status}] ${content}`).join("\n") },
      requires: [],
      writes: [],
      run: async () => ({ output: fact, metadata: { fact } }),
    };
  },
});
