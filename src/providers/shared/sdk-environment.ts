/** What the environment says about requests to a provider, apart from its key and its address. */

/** Names that the SDKs of Anthropic and OpenAI read (`readEnv` in their `client.mjs`). */
const sdkVariable = /^(ANTHROPIC|OPENAI)_/i;

/**
 * Constructs a client that takes nothing from the environment. The SDKs read headers, keys and organizations there and
 * would send them to every server, also to one of another provider. Nothing else runs meanwhile.
 */
export function withoutSdkVariables<T>(construct: () => T): T {
  const hidden = Object.entries(process.env).filter(([name]) => sdkVariable.test(name));
  for (const [name] of hidden) delete process.env[name];
  try {
    return construct();
  } finally {
    for (const [name, value] of hidden) process.env[name] = value;
  }
}

/** Returns the headers that the provider's own SDK would take from the environment. */
export function sdkHeaders(provider: string, env: NodeJS.ProcessEnv): Record<string, string> {
  switch (provider) {
    case "anthropic":
      return parseHeaders(env["ANTHROPIC_CUSTOM_HEADERS"]);
    case "openai":
      return {
        ...(env["OPENAI_ORG_ID"] && { "openai-organization": env["OPENAI_ORG_ID"] }),
        ...(env["OPENAI_PROJECT_ID"] && { "openai-project": env["OPENAI_PROJECT_ID"] }),
        ...parseHeaders(env["OPENAI_CUSTOM_HEADERS"]),
      };
    default:
      return {};
  }
}

/** One `Name: value` per line. */
function parseHeaders(text = ""): Record<string, string> {
  const lines = [...text.matchAll(/^[ \t]*([!#$%&'*+.^_`|~\w-]+)[ \t]*:(.*)$/gm)];
  return Object.fromEntries(lines.map(([, name = "", value = ""]) => [name.toLowerCase(), value.trim()]));
}
