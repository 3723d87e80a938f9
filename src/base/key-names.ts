/** Names of environment variables that hold keys of model providers. Nothing that Rondo starts sees them. */
import { accountTokens, keyVariables, otherKeyVariables } from "./key-variables.ts";

const makers = keyVariables.flatMap((name) => /^(.+)_API_KEY$/.exec(name)?.[1] ?? []).join("|");
/** Of the makers also names such as ANTHROPIC_AUTH_TOKEN, OPENAI_ADMIN_KEY, OPENAI_API_KEY_DEV, ANTHROPIC_CUSTOM_HEADERS. */
const keyName = new RegExp(
  `^(?=\\w+$)(${[...keyVariables, ...otherKeyVariables].join("|")}|(${makers})_(\\w+_)?(API_KEYS?(_\\w+)?|KEY|TOKEN|SECRET|HEADERS))$`,
  // Windows does not tell small from capital letters.
  "i",
);

export function isKeyName(name: string): boolean {
  return keyName.test(name);
}

/** Shorter values are placeholders, such as "ollama", which other variables may contain by chance. */
const minKeyLength = 16;

/** Returns the names of all variables that hold a key: by their names, or because a key is part of their values. */
export function keysIn(env: Readonly<Record<string, string | undefined>>): string[] {
  const entries = Object.entries(env);
  // Commands have the token of an account under a name of its own, too, such as GITHUB_TOKEN, and need it.
  const keys = entries.flatMap(([name, value = ""]) =>
    isKeyName(name) && !accountTokens.includes(name.toUpperCase()) && value.length >= minKeyLength ? [value] : [],
  );
  return entries.flatMap(([name, value = ""]) =>
    isKeyName(name) || keys.some((key) => value.includes(key)) ? [name] : [],
  );
}
