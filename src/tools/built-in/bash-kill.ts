import * as z from "zod/mini";
import { msg } from "../../l10n/l10n.ts";
import { defineTool } from "../tool.ts";
import { findCommand } from "./bash-output.ts";

export const bashKill = defineTool({
  name: "bash_kill",
  sideEffect: "mutating",
  description: "Terminates a background command and all processes it started.",
  input: z.object({ id: z.string() }),
  async prepare({ id }, { host: { background }, signal }) {
    signal.throwIfAborted();
    const { command } = findCommand(background, id);
    return {
      title: msg("End {0}", id),
      preview: { type: "text", text: command },
      requires: [],
      writes: [],
      run: async () => {
        const wasRunning = await background.kill(id);
        return { output: wasRunning ? `${id} was ended.` : `${id} had ended already.`, metadata: {} };
      },
    };
  },
});
