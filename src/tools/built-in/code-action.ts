import * as z from "zod/mini";
import { unlessAborted } from "../../base/node/until-aborted.ts";
import { msg, msgCount } from "../../l10n/l10n.ts";
import { planServiceEdit } from "../editing/plan-service-edit.ts";
import { fileRequirements } from "../file-access/requirements.ts";
import type { ServiceAction } from "../host.ts";
import { cutLine } from "../text/text.ts";
import { defineTool, ToolError } from "../tool.ts";
import { requireEditor } from "./diagnostics.ts";

const maxListed = 50;

export const codeAction = defineTool({
  name: "code_action",
  sideEffect: "mutating",
  description:
    "Lists the editor's quick fixes and refactorings for lines of a file; with title, applies one. kind: like source.organizeImports",
  input: z.object({
    path: z.string().check(z.minLength(1)),
    line: z.int().check(z.gte(1)),
    end_line: z.optional(z.int().check(z.gte(1))),
    kind: z.optional(z.string()),
    title: z.optional(z.string()),
  }),
  async prepare({ path, line, end_line, kind, title }, context) {
    const { host, signal } = context;
    const editor = requireEditor(host.editor);
    const location = await host.workspace.locate(path);
    const lines = { first: line, last: Math.max(line, end_line ?? line) };
    const find = () => unlessAborted(editor.actions(location.path, lines, kind ?? ""), signal);
    if (title === undefined) {
      const listing = msg("Actions for {0}:{1}", location.relative, line);
      return {
        title: listing,
        preview: { type: "text", text: listing },
        requires: fileRequirements("read", location, host),
        writes: [],
        run: async () => listed(await find()),
      };
    }
    const actions = await find();
    const action = actions.find((one) => one.title === title);
    if (!action)
      throw new ToolError(
        `There is no such action there. ${listed(actions).output}`,
        msg("The editor has no such action there; the model tries again."),
      );
    if (action.edits === undefined) {
      throw new ToolError(
        `"${title}" runs a command of the editor, whose effects are not known before: change the files yourself.`,
        msg(
          "“{0}” runs a command of the editor, whose effects are not known before; the model edits the files.",
          title,
        ),
      );
    }
    return await planServiceEdit(msg("{0} in {1}", cutLine(title, 200), location.relative), action.edits, context);
  },
});

function listed(actions: readonly ServiceAction[]) {
  const usable = actions.filter(({ edits }) => edits !== undefined);
  const lines = usable
    .slice(0, maxListed)
    .map(({ title, kind }) => `- ${cutLine(title, 200)}${kind === "" ? "" : ` (${kind})`}`);
  return {
    output:
      lines.length === 0 ? "There are no actions that can be applied." : `These can be applied:\n${lines.join("\n")}`,
    metadata: { fact: msgCount(lines.length, "{0} action", "{0} actions") },
  };
}
