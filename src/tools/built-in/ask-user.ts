import * as z from "zod/mini";
import type { Question } from "../../chat/requests.ts";
import { headOf } from "../text/text.ts";
import { defineTool } from "../tool.ts";

/** Characters. */
const longestTitle = 100;
const Text = z.string().check(z.trim(), z.minLength(1));

export const askUser = defineTool({
  name: "ask_user",
  sideEffect: "none",
  // The user may take any time.
  timeout: "own",
  description:
    "Asks the user to decide, with answers to choose from; they can always say something else. Only for what you cannot find out, and where a wrong guess would cost more than the question.",
  input: z.object({
    questions: z
      .array(
        z.object({
          question: Text,
          header: z.string().check(z.describe("One or two words")),
          options: z
            .array(z.object({ label: Text, description: z.optional(z.string()) }))
            .check(z.minLength(2), z.maxLength(6)),
          multiple: z.optional(z.boolean()),
        }),
      )
      .check(z.minLength(1), z.maxLength(4)),
  }),
  async prepare({ questions }, { askUser }) {
    const asked: Question[] = questions.map(({ question, header, options, multiple = false }) => ({
      question,
      header,
      options: options.map(({ label, description = "" }) => ({ label, description })),
      multiple,
    }));
    return {
      title: asked.length === 1 ? headOf(asked[0]?.question ?? "", longestTitle) : `Ask ${asked.length} questions`,
      preview: { type: "questions", questions: asked },
      requires: [],
      writes: [],
      run: async () => {
        const answers = await askUser(asked);
        return { output: asked.map((one, at) => formatAnswer(one, answers[at] ?? [])).join("\n\n"), metadata: {} };
      },
    };
  },
});

function formatAnswer({ question }: Question, answers: readonly string[]): string {
  return `${question}\n→ ${answers.length === 0 ? "(no answer)" : answers.join("; ")}`;
}
