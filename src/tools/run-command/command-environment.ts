/** The environment variables of commands, hooks and servers. */
import { markVariable } from "./process-tree.ts";

const hidden = /^(ANTHROPIC_API_KEY|OPENAI_API_KEY|ELECTRON_.*|VSCODE_.*)$/;

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

export function commandEnvironment(mark: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !hidden.test(name));
  return { ...Object.fromEntries(inherited), ...nonInteractive, TERM: "dumb", [markVariable]: mark };
}

const withheld =
  /^((ANTHROPIC|OPENAI|AZURE_OPENAI|OPENROUTER|GEMINI|GOOGLE|MISTRAL|GROQ|DEEPSEEK|XAI)_(API_KEY|AUTH_TOKEN)|CLAUDE_CODE_OAUTH_TOKEN|ELECTRON_.*|VSCODE_.*)$/i;

/** Returns the environment without keys of providers and without the editor's own variables, for hooks and servers. */
export function withoutKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !withheld.test(name)));
}
