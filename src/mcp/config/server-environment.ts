/** The environment of MCP servers: everything except keys. */

/** Variables that servers do not inherit: keys of providers, and variables of the editor's own process. */
const withheld =
  /^((ANTHROPIC|OPENAI|AZURE_OPENAI|OPENROUTER|GEMINI|GOOGLE|MISTRAL|GROQ|DEEPSEEK|XAI)_(API_KEY|AUTH_TOKEN)|CLAUDE_CODE_OAUTH_TOKEN|ELECTRON_.*|VSCODE_.*)$/i;

/** Rondo's own keys: no configuration can pass them to a server. */
const ownKeys = /^(ANTHROPIC|OPENAI)_API_KEY$/i;

/** Returns the environment of a local server. `own` are the variables of its configuration. */
export function serverEnvironment(env: NodeJS.ProcessEnv, own: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(env).filter(([name]) => !withheld.test(name));
  return { ...Object.fromEntries(inherited), ...own };
}

const variable = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

type ExpandedText = { type: "text"; text: string } | { type: "unusable"; why: string };

/** Replaces `${NAME}` and `${NAME:-default}`. An empty variable counts as not set. */
export function expandVariables(value: string, env: NodeJS.ProcessEnv): ExpandedText {
  let why = "";
  const text = value.replace(variable, (_, name: string, fallback: string | undefined) => {
    if (ownKeys.test(name)) why ||= `$${name} is not given to servers`;
    const found = env[name] || fallback;
    if (found === undefined) why ||= `$${name} is not set in the environment`;
    return found ?? "";
  });
  return why === "" ? { type: "text", text } : { type: "unusable", why };
}

/** Returns the names of the variables in a text, each once. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(variable)].map(([, name = ""]) => name))];
}

/** Whether the host of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
