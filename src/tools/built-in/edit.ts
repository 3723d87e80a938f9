import * as z from "zod/mini";
import { describeEdit, editFields, editText } from "../editing/edit-text.ts";
import { openTarget, planChange } from "../editing/plan-change.ts";
import { defineTool } from "../tool.ts";

export const edit = defineTool({
  name: "edit",
  sideEffect: "mutating",
  description:
    "Replaces old_string by new_string in a file. old_string must be exactly the file's text, white space included and without line numbers, and occur once; give lines around it to make it unique, or set replace_all. Line endings need no care.",
  input: z.object({
    file_path: z.string().check(z.minLength(1), z.describe("Absolute, or relative to the workspace folder")),
    ...editFields,
  }),
  async prepare(wish, context) {
    const target = await openTarget(wish.file_path, wish.old_string === "", context);
    const { location, before } = target;
    const edited = editText(before?.text ?? "", wish, location.relative, context.seen.has(location.path));
    return planChange(target, edited.text, `${location.relative} is changed${describeEdit(edited)}`, context);
  },
});
