import * as z from "zod/mini";
import { msg } from "../../l10n/l10n.ts";
import { knownProblems, newProblems } from "../editing/new-problems.ts";
import { openWhole } from "../editing/plan-change.ts";
import { fileRequirements } from "../file-access/requirements.ts";
import { compare, inContext, toFileDiff } from "../text/diff.ts";
import { countLines, isCrlf, plural } from "../text/text.ts";
import { defineTool } from "../tool.ts";

export const write = defineTool({
  name: "write",
  sideEffect: "mutating",
  description:
    "Creates a file and its parent folders, or replaces a whole file that you have read. To change parts of a file use edit.",
  input: z.object({
    file_path: z.string().check(z.minLength(1)),
    content: z.string(),
  }),
  async prepare({ file_path, content }, context) {
    const { host, seen, signal } = context;
    const advice = "write it, or change parts of it with edit";
    const { location, before } = await openWhole(file_path, true, advice, context);
    // The file keeps CRLF line endings even if the content has none.
    const text =
      before && isCrlf(before.text) && !content.includes("\r\n") ? content.replaceAll("\n", "\r\n") : content;
    const diff = toFileDiff(location.relative, compare(before?.text ?? "", text));
    return {
      title: before ? msg("Replace {0}", location.relative) : msg("Create {0}", location.relative),
      preview: { type: "diff", diff },
      requires: fileRequirements("edit", location, host),
      writes: [location.path],
      run: async () => {
        const complaints = await knownProblems(host, location.path, before?.text ?? "");
        const after = await host.workspace.write(location, text, before?.version ?? "missing", signal);
        seen.set(after.path, after.version);
        const expected = text.startsWith("\ufeff") ? text.slice(1) : text;
        const formatted = inContext(compare(expected, after.text), 100);
        const sentences = [
          `${location.relative} is ${before ? "replaced" : "created"}; it has ${plural(countLines(after.text), "line")} now.`,
        ];
        if (formatted !== "") {
          sentences.push(
            `The editor changed it on save (a formatter, perhaps). These lines are other than written:\n${formatted}`,
          );
        }
        return {
          output: sentences.join(" ") + (await newProblems(host, complaints, after, signal)),
          metadata: {
            diff: after.text === text ? diff : toFileDiff(location.relative, compare(before?.text ?? "", after.text)),
          },
        };
      },
    };
  },
});
