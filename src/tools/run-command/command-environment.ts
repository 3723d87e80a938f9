/** What commands find in their environment. */
import { markVariable } from "./process-tree.ts";

const hidden = /^(ANTHROPIC_API_KEY|OPENAI_API_KEY|ELECTRON_.*|VSCODE_.*)$/;

/** So that nothing waits for a person, and output comes as it is written. */
export const nonInteractive: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  // An editor that ends at once: what it was to write stays empty, and the program gives up.
  GIT_EDITOR: "true",
  EDITOR: "true",
  VISUAL: "true",
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  SSH_ASKPASS_REQUIRE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  PYTHONUNBUFFERED: "1",
};

/** Without keys, and without what belongs to the editor's own process. */
export function commandEnvironment(mark: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !hidden.test(name));
  return { ...Object.fromEntries(inherited), ...nonInteractive, TERM: "dumb", [markVariable]: mark };
}
