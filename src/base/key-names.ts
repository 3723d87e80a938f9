/** Names of environment variables that hold keys of model providers. Nothing that Rondo starts sees them. */

/** A provider reads its key from one of these: the type of `ProviderFamily` refuses any other name. */
export const keyVariables = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "AZURE_OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "OPENROUTER_API_KEY",
  "XAI_API_KEY",
  "DEEPSEEK_API_KEY",
  "MOONSHOT_API_KEY",
  "ZAI_API_KEY",
  "DASHSCOPE_API_KEY",
  "MISTRAL_API_KEY",
  "GROQ_API_KEY",
  "CEREBRAS_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "VERTEX_ACCESS_TOKEN",
  "GITHUB_MODELS_TOKEN",
  "OLLAMA_API_KEY",
  "LM_STUDIO_API_KEY",
  "LLAMA_CPP_API_KEY",
  "VLLM_API_KEY",
  "JAN_API_KEY",
] as const;
export type KeyVariable = (typeof keyVariables)[number];

/** Keys of the same providers that other programs read. */
const otherNames = ["GOOGLE_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"];

const makers = keyVariables.flatMap((name) => /^(.+)_API_KEY$/.exec(name)?.[1] ?? []).join("|");
/** Of the makers also names such as ANTHROPIC_AUTH_TOKEN, OPENAI_ADMIN_KEY, OPENAI_API_KEY_DEV, ANTHROPIC_CUSTOM_HEADERS. */
const keyName = new RegExp(
  `^(?=\\w+$)(${[...keyVariables, ...otherNames].join("|")}|(${makers})_(\\w+_)?(API_KEYS?(_\\w+)?|KEY|TOKEN|SECRET|HEADERS))$`,
  // Windows does not tell small from capital letters.
  "i",
);

export function isKeyName(name: string): boolean {
  return keyName.test(name);
}

/** Tokens of accounts: commands have the same one under a name of its own, such as GITHUB_TOKEN, and need it. */
const accountToken = /^(GITHUB_MODELS_TOKEN|VERTEX_ACCESS_TOKEN)$/i;

/** Shorter values are placeholders, such as "ollama", which other variables may contain by chance. */
const minKeyLength = 16;

/** Returns the names of all variables that hold a key: by their names, or because a key is part of their values. */
export function keysIn(env: Readonly<Record<string, string | undefined>>): string[] {
  const entries = Object.entries(env);
  const keys = entries.flatMap(([name, value = ""]) =>
    isKeyName(name) && !accountToken.test(name) && value.length >= minKeyLength ? [value] : [],
  );
  return entries.flatMap(([name, value = ""]) =>
    isKeyName(name) || keys.some((key) => value.includes(key)) ? [name] : [],
  );
}
