/** The flags of the command line, and its help. Imports nothing large: both are read before anything else is loaded. */

import { parseArgs } from "node:util";
import { flagOf, flagTexts, settingNames, sharedSettings } from "../base/settings.ts";
import { localized, msg } from "../l10n/l10n.ts";

/** Invalid arguments: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

const known = {
  cwd: text,
  provider: text,
  "base-url": text,
  api: text,
  model: text,
  "fallback-model": text,
  agent: text,
  "permission-mode": text,
  "allowed-tools": text,
  "disallowed-tools": text,
  prices: text,
  "model-options": text,
  "max-retries": text,
  "max-prompt-bytes": text,
  "context-window": text,
  "append-system-prompt": text,
  "session-dir": text,
  "session-id": text,
  resume: text,
  continue: flag,
  "fork-session": flag,
  "no-persist": flag,
  "no-title": flag,
  "output-format": text,
  "include-partial-messages": flag,
  "input-format": text,
  rules: text,
  sandbox: text,
  "mcp-config": text,
  "project-mcp": flag,
  "project-hooks": flag,
  "pass-env": { type: "string", multiple: true },
  settings: text,
  "add-dir": { type: "string", multiple: true },
  trace: text,
  "trace-collector": text,
  untrusted: flag,
  explain: flag,
  help: flag,
} as const;

/** Not for `t`, to which a "|" is more than a sign. `{settings}` stands for their flags. */
const help = msg(`Usage: node dist/headless.js [options] PROMPT

Runs one prompt in one folder. Without PROMPT, standard input is read.

  --cwd DIR                    the folder to work in (default: the current one)
  --add-dir DIR                a further folder that tools may use; repeatable
  --provider NAME  --base-url URL  --model ID  --fallback-model ID
  --api auto|responses|chat    which of OpenAI's APIs the server is asked with
  --agent NAME                 build, plan, or an agent from a file
  --permission-mode default|acceptEdits|plan|bypassPermissions
                               nobody can answer, so calls that would ask are denied
  --allowed-tools A,B          --disallowed-tools A,B
  --rules FILE                 JSON list of {permission, pattern, action}; the last match wins
  --sandbox off|workspace|workspace-network
                               what commands may do: writes in the folders only, with or without network
  --mcp-config FILE            MCP servers, in the form of .mcp.json
  --project-mcp                starts the servers of the folder's .mcp.json
  --settings FILE              hooks, in the format of Claude Code's settings
  --project-hooks              runs the hooks of the folder's .claude/settings.json and settings.local.json
  --pass-env NAME              pass a variable with a key on to commands and hooks; repeatable
  --untrusted                  behaves as in a workspace that is not trusted
{settings}
  --max-prompt-bytes N         the longest text of one message (default: 1048576)
  --context-window N  --max-retries N
  --model-options FILE         JSON: {model: {…}}, parameters of its requests
  --prices FILE                JSON: {model: {input, output, cacheRead?, cacheWrite?}}, USD per million tokens
  --append-system-prompt TEXT
  --session-dir DIR  --session-id ID  --resume ID  --continue  --fork-session  --no-persist
  --no-title                   does not ask the model for a title of a new session
  --output-format text|json|stream-json  --include-partial-messages
  --input-format text|stream-json
                               stream-json: one user message or control_request per line
  --trace FILE                 writes the time, tokens and cost of each step as JSON
  --trace-collector URL        sends them to an OpenTelemetry collector
  --explain                    runs nothing; reads {tool, input} lines, prints what would be asked

Exit code: 0 success, 1 the turn failed, 2 invalid arguments, 130 interrupted.
`);

/** Returns the help, in the user's language. */
export const usage = () => localized(help).replace("{settings}", settingLines);

/** The flags of settings, each with its text at the column of all others. */
function settingLines(): string {
  const texts = flagTexts();
  const lines = settingNames.map((name) => {
    const { value, text } = texts[name];
    return `${`  --${flagOf(name)} ${value}`.padEnd(30)} ${text}`;
  });
  return lines.join("\n");
}

function settingFlags() {
  return Object.fromEntries(
    settingNames.map((name) => [flagOf(name), sharedSettings[name].type === "boolean" ? flag : text]),
  );
}

/** @throws UsageError where a flag is unknown or lacks its value */
export function flagsOf(argv: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { ...settingFlags(), ...known },
      allowPositionals: true,
    });
    /** By the names of `flagOf`; each is told apart where it is read. */
    const settings: Readonly<Record<string, unknown>> = values;
    return { values, positionals, settings };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
