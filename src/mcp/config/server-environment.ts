/** Variables in the configuration of MCP servers. */

import { isKeyName, keysIn } from "../../base/key-names.ts";
import { msg } from "../../l10n/l10n.ts";

/** `passed`: names of keys that a configuration may pass to a server. */
export interface ServerVariables {
  env: NodeJS.ProcessEnv;
  passed: readonly string[];
}

const variable = /\$\{([A-Za-z_]\w*)(?::-((?:(?!\$\{)[^}])*))?\}/g;

type ExpandedText = { type: "text"; text: string } | { type: "unusable"; why: string };

/**
 * Replaces `${NAME}` and `${NAME:-default}`. An empty variable counts as not set. Keys of model providers are not given,
 * whatever they are called.
 */
export function expandVariables(value: string, { env, passed }: ServerVariables): ExpandedText {
  if (!value.includes("${")) return { type: "text", text: value };
  let why = "";
  const keys = keysIn(env);
  const text = value.replace(variable, (_, name: string, fallback: string | undefined) => {
    if ((isKeyName(name) || keys.includes(name)) && !passed.includes(name)) {
      why ||= msg(
        "{0} is a key of a model provider and not given to servers unless rondo.terminal.passEnvironment (--pass-env) names it",
        `$${name}`,
      );
    }
    const found = env[name] || fallback;
    if (found === undefined) why ||= msg("{0} is not set in the environment", `$${name}`);
    return found ?? "";
  });
  return why === "" ? { type: "text", text } : { type: "unusable", why };
}

/** Returns the names of the variables in a text, each once. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(variable)].map(([, name = ""]) => name))];
}
