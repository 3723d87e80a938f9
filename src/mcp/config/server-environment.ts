/** Variables in the configuration of MCP servers. */

/** Rondo's own keys: no configuration can pass them to a server. */
const ownKeys = /^(ANTHROPIC|OPENAI)_API_KEY$/i;

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
