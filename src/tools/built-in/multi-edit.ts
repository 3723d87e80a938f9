import * as z from "zod/mini";
import { msg } from "../../l10n/l10n.ts";
import { editText } from "../editing/edit-text.ts";
import { openTarget, planChange } from "../editing/plan-change.ts";
import { plural } from "../text/text.ts";
import { defineTool, ToolError } from "../tool.ts";

/** The fields of edit without descriptions, which would be sent with each request. */
const editFields = { old_string: z.string(), new_string: z.string(), replace_all: z.optional(z.boolean()) };

export const multiEdit = defineTool({
  name: "multi_edit",
  sideEffect: "mutating",
  description:
    "Several edits in one file, by the rules of edit: each in the text that the ones before leave, all or none.",
  input: z.object({
    file_path: z.string().check(z.minLength(1)),
    edits: z.array(z.object(editFields)).check(z.minLength(1)),
  }),
  async prepare({ file_path, edits }, context) {
    const target = await openTarget(file_path, edits[0]?.old_string === "", context);
    const { relative, path } = target.location;
    const isKnown = context.seen.has(path);
    let text = target.before?.text ?? "";
    const notes: string[] = [];
    for (const [index, one] of edits.entries()) {
      const name = `Edit ${index + 1} of ${edits.length}`;
      try {
        const edited = editText(text, one, relative, isKnown);
        text = edited.text;
        if (edited.note !== "") notes.push(`${name}: ${edited.note}`);
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        throw new ToolError(
          `${name} failed, so none was made. ${error.message}`,
          msg("None of the edits was made. {0}", error.words),
        );
      }
    }
    const done = [`${relative} is changed by ${plural(edits.length, "edit")}.`, ...notes];
    return planChange(target, text, done.join(" "), context);
  },
});
