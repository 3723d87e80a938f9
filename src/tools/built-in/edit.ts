import * as z from "zod/mini";
import { describeEdit, editFields, editText } from "../editing/edit-text.ts";
import { openTarget, planChange } from "../editing/plan-change.ts";
import { defineTool } from "../tool.ts";

export const edit = defineTool({
  name: "edit",
  sideEffect: "mutating",
  description:
    "Replaces old_string by new_string in a file. old_string must match the file's text exactly, including white space, without line numbers, and only once: add lines around it, or set replace_all. Line endings do not matter.",
  input: z.object({
    file_path: z.string().check(z.minLength(1)),
    ...editFields,
  }),
  async prepare(wish, context) {
    const target = await openTarget(wish.file_path, wish.old_string === "", context);
    const { location, before } = target;
    const edited = editText(before?.text ?? "", wish, location.relative, context.seen.has(location.path));
    return planChange(target, edited.text, `${location.relative} is changed${describeEdit(edited)}`, context);
  },
});
