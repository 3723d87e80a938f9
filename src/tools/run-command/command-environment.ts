/** The environment variables of commands. */

import { withoutKeys } from "../../base/node/without-keys.ts";
import { markVariable } from "./process-tree.ts";

/** Makes programs non-interactive and their output unbuffered. */
export const nonInteractive: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  // An editor that exits at once: the text stays empty and the program gives up.
  GIT_EDITOR: "true",
  EDITOR: "true",
  VISUAL: "true",
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  SSH_ASKPASS_REQUIRE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  PYTHONUNBUFFERED: "1",
};

/** `passed`: variables that the user lets through. */
export function commandEnvironment(mark: string, passed: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { ...withoutKeys(process.env, passed), ...nonInteractive, TERM: "dumb", [markVariable]: mark };
}
