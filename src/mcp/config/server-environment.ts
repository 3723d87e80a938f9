/** What servers see of the environment: all of it but keys. */

/** Keys of providers, and what belongs to the editor's own process. */
const withheld =
  /^((ANTHROPIC|OPENAI|AZURE_OPENAI|OPENROUTER|GEMINI|GOOGLE|MISTRAL|GROQ|DEEPSEEK|XAI)_(API_KEY|AUTH_TOKEN)|CLAUDE_CODE_OAUTH_TOKEN|ELECTRON_.*|VSCODE_.*)$/i;

/** The keys that Rondo itself works with: no configuration can hand them to a server. */
const ownKeys = /^(ANTHROPIC|OPENAI)_API_KEY$/i;

/** The environment of a server that is started here. `own`: what its configuration adds. */
export function serverEnvironment(env: NodeJS.ProcessEnv, own: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(env).filter(([name]) => !withheld.test(name));
  return { ...Object.fromEntries(inherited), ...own };
}

const variable = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

type Expanded = { type: "text"; text: string } | { type: "unusable"; why: string };

/** Puts values in for `${NAME}` and `${NAME:-default}`; an empty variable counts as not set. */
export function expand(value: string, env: NodeJS.ProcessEnv): Expanded {
  let why = "";
  const text = value.replace(variable, (_, name: string, usual: string | undefined) => {
    if (ownKeys.test(name)) why ||= `$${name} is not given to servers`;
    const found = env[name] || usual;
    if (found === undefined) why ||= `$${name} is not set in the environment`;
    return found ?? "";
  });
  return why === "" ? { type: "text", text } : { type: "unusable", why };
}

/** The variables that a text names, each once. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(variable)].map(([, name = ""]) => name))];
}

/** Whether a host of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
