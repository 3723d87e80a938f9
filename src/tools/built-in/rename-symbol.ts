import path from "node:path";
import * as z from "zod/mini";
import { unlessAborted } from "../../base/node/until-aborted.ts";
import { msg } from "../../l10n/l10n.ts";
import { planServiceEdit } from "../editing/plan-service-edit.ts";
import { defineTool } from "../tool.ts";
import { requireEditor } from "./diagnostics.ts";

export const renameSymbol = defineTool({
  name: "rename_symbol",
  sideEffect: "mutating",
  description: "Renames a symbol in all files by the editor's language services.",
  input: z.object({
    path: z.string().check(z.minLength(1)),
    line: z.int().check(z.gte(1)),
    symbol: z.string().check(z.minLength(1)),
    new_name: z.string().check(z.minLength(1)),
  }),
  async prepare({ path: file, line, symbol, new_name }, context) {
    const editor = requireEditor(context.host.editor);
    const location = await context.host.workspace.locate(file);
    const edits = await unlessAborted(editor.rename(location.path, line, symbol, new_name), context.signal);
    const plan = await planServiceEdit(msg("Rename {0} to {1}", symbol, new_name), edits, context);
    const named = edits.map((edit) => edit.path).find((one) => path.parse(one).name === symbol);
    if (named === undefined) return plan;
    // Services may rename the file, too, which the editor's API does not tell.
    const hint = `\n\n${path.basename(named)} has the old name: move it if the language wants that.`;
    return {
      ...plan,
      async run(progress) {
        const result = await plan.run(progress);
        return { ...result, output: result.output + hint };
      },
    };
  },
});
