/** The first request of a conversation, as it is sent to each provider: made by the real encoders and SDKs, taken by a loopback server. */
import { once } from "node:events";
import { createServer } from "node:http";
import { openModel, type ProviderID, providers } from "../../src/providers/providers.ts";
import { builtInTools } from "../../src/tools/built-in/all.ts";
import { Harness } from "../loop/harness.ts";

export interface FirstRequest {
  providerID: ProviderID;
  modelID: string;
  /** Where the provider would get it. */
  url: string;
  /** The body to the byte, but for the path of the folder, whose length depends on the machine: `usualFolder`. */
  body: string;
}

/** Models of providers that have no default. */
const usualModels: Partial<Record<ProviderID, string>> = {
  azure: "gpt-6.1-terra",
  openrouter: "anthropic/claude-sonnet-5.5",
  "github-models": "openai/gpt-5",
};

/** Addresses of accounts that do not exist. */
const accounts: Partial<Record<ProviderID, string>> = {
  azure: "https://example.openai.azure.com/openai/v1",
  bedrock: "https://bedrock-mantle.us-east-1.api.aws",
  vertex: "https://aiplatform.googleapis.com/v1/projects/example/locations/global",
};

const usualFolder = "/home/user/projects/shop";

const isReplyPath = /\/(messages|responses|completions|chat|models\/[^/]+:(raw|stream)\w+)$/i;

/** Sends a short prompt to the default agent in an empty folder, with the tools of an editor. */
export async function firstRequest(providerID: ProviderID, modelID = modelOf(providerID)): Promise<FirstRequest> {
  const usual = accounts[providerID] ?? providers[providerID].baseURL ?? "http://localhost:1";
  const taken: { url: string; body: string }[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const url = String(incoming.headers["x-meant-for"] ?? new URL(incoming.url ?? "", usual));
    if (isReplyPath.test(new URL(url).pathname)) taken.push({ url, body: Buffer.concat(chunks).toString() });
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "This server only takes requests." } }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const here = `http://127.0.0.1:${address.port}`;
  const realFetch = globalThis.fetch;
  // The rules of a provider depend on its address, so that only the last step leads elsewhere.
  globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("x-meant-for", String(input instanceof Request ? input.url : input));
    return realFetch(here, { ...init, headers });
  };
  // Local servers are not asked with `fetch`.
  const baseURL = usual.replace(/^http:\/\/localhost:\d+/, here);
  const harness = new Harness([], {
    tools: builtInTools({ editor: true }),
    choices: { model: { providerID, modelID } },
    gitState: async () => "none",
    openModel: () => openModel(providerID, { apiKey: "a-key", baseURL }),
  });
  try {
    await harness.turn("Why does the test of the cart fail?");
  } finally {
    globalThis.fetch = realFetch;
    await harness.close();
    server.closeAllConnections();
    server.close();
  }
  const [first] = taken;
  if (!first) throw new Error(`${providerID} was not asked.`);
  const within = (text: string) => JSON.stringify(text).slice(1, -1);
  return { providerID, modelID, ...first, body: first.body.replaceAll(within(harness.folder), usualFolder) };
}

function modelOf(providerID: ProviderID): string {
  return providers[providerID].defaultModel ?? usualModels[providerID] ?? "qwen3.8-coder";
}
