import http from "node:http";
import { msg } from "../l10n/l10n.ts";

const variables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

/** As VS Code does, which asks no proxy for them either. */
const loopback = "localhost,127.0.0.1,::1";

/**
 * Sends requests through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, as other command-line programs do; Node
 * does so only with NODE_USE_ENV_PROXY. Web pages are fetched without it. Returns a sentence where it cannot be used.
 */
export function useEnvironmentProxy(env: NodeJS.ProcessEnv): string | undefined {
  const name = variables.find((one) => env[one]);
  if (name === undefined || env["NODE_USE_ENV_PROXY"] === "1") return undefined;
  // From Node 24.14 on (nodejs.org/api/http.html, setGlobalProxyFromEnv), which the types do not know yet.
  const use: unknown = "setGlobalProxyFromEnv" in http ? http.setGlobalProxyFromEnv : undefined;
  if (typeof use !== "function") {
    return msg("The proxy of {0} is not used: Node {1} needs NODE_USE_ENV_PROXY=1, too.", name, process.version);
  }
  const given = env["no_proxy"] || env["NO_PROXY"];
  const no_proxy = given === "*" ? given : [given, loopback].filter(Boolean).join(",");
  try {
    use({ ...env, no_proxy });
    return undefined;
  } catch {
    return msg("The proxy of {0} is not used: its value is not an address.", name);
  }
}
