import * as z from "zod/mini";
import type { Question } from "../../chat/requests.ts";
import { msg } from "../../l10n/l10n.ts";
import { withHint } from "../text/model-hint.ts";
import { headOf } from "../text/text.ts";
import { askUserName, defineTool } from "../tool.ts";

const Text = z.string().check(z.trim(), z.minLength(1));

export const askUser = defineTool({
  name: askUserName,
  sideEffect: "none",
  // The user may take any amount of time.
  timeoutMs: "own",
  description:
    "Asks the user to choose; they can type another answer. Only for what you can neither find out nor guess.",
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
          favorite: z.optional(z.string()),
        }),
      )
      .check(z.minLength(1), z.maxLength(4)),
  }),
  async prepare({ questions }, { askUser }) {
    const asked: Question[] = questions.map(({ question, header, options, multiple = false, favorite = "" }) => ({
      question,
      header,
      options: options.map(({ label, description = "" }) => ({ label, description })),
      multiple,
      favorite: options.some(({ label }) => label === favorite.trim()) ? favorite.trim() : "",
    }));
    return {
      title: asked.length === 1 ? headOf(asked[0]?.question ?? "", 100) : msg("Ask {0} questions", asked.length),
      preview: { type: "text", text: asked.map(({ question }) => question).join("\n") },
      requires: [],
      writes: [],
      run: async () => {
        const answers = await askUser(asked);
        const lines = asked.map(({ question }, at) => `${question}\n→ ${answers?.[at]?.join("; ") || "(no answer)"}`);
        return answers ? { output: lines.join("\n\n"), metadata: {} } : withHint("", skipped, "You let Rondo decide.");
      },
    };
  },
});

const skipped = "The user lets you decide. Choose what fits best, say what you chose and why, and go on.";
