/** What the environment says beside key and address goes only to the server that it was meant for. */
import assert from "node:assert/strict";
import {
  accessFromEnvironment,
  headersFromEnvironment,
  openModel,
  type ProviderAccess,
  type ProviderID,
  providerIDs,
} from "../../src/providers/providers.ts";
import { type ModelServer, startModelServer } from "../model-server.ts";
import { ask, request } from "./ask.ts";

const secret = "meant-for-one-server";
/** Every variable that one of the SDKs reads (`readEnv` in their sources) and would send. */
const variables = {
  ANTHROPIC_AUTH_TOKEN: secret,
  ANTHROPIC_CUSTOM_HEADERS: `X-Gate: ${secret}-1\n not a header\nX-Team : ${secret}-2`,
  ANTHROPIC_ORGANIZATION_ID: secret,
  ANTHROPIC_PROFILE: secret,
  ANTHROPIC_WORKSPACE_ID: secret,
  OPENAI_ADMIN_KEY: secret,
  OPENAI_CUSTOM_HEADERS: `X-Gate: ${secret}-3\nAuthorization: Basic ${secret}`,
  OPENAI_ORG_ID: `${secret}-org`,
  OPENAI_PROJECT_ID: `${secret}-project`,
};

describe("headers from the environment", () => {
  let server: ModelServer;
  before(async () => {
    Object.assign(process.env, variables);
    server = await startModelServer(() => [{ text: "ok" }]);
  });
  after(async () => {
    for (const name of Object.keys(variables)) delete process.env[name];
    await server.stop();
  });

  /** Returns the headers of the first request to the provider. */
  async function headersOf(provider: string, access: Partial<ProviderAccess>) {
    const asked = server.requests.length;
    const model = await openModel(provider, { apiKey: "own-key", baseURL: server.url, ...access });
    await ask(model, request()).catch(() => {});
    return server.requests[asked]?.headers ?? assert.fail("no request");
  }

  const own = [
    ["mine", "messages"],
    ["mine", "chat"],
    ["mine", "responses"],
  ] as const;
  for (const [provider, api] of [...providerIDs.map((id) => [id, "auto"] as const), ...own]) {
    it(`${provider} ${api}: a server of the settings gets none of them`, async () => {
      const isNamed = (id: string): id is ProviderID => providerIDs.some((one) => one === id);
      const headers = isNamed(provider) ? headersFromEnvironment(provider, server.url, process.env) : {};
      const sent = await headersOf(provider, { api, headers });
      assert.ok(!JSON.stringify(sent).includes(secret), JSON.stringify(sent));
    });
  }

  it("the variables are there again for everybody else", () => {
    for (const [name, value] of Object.entries(variables)) assert.equal(process.env[name], value);
  });

  for (const [provider, expected] of [
    ["anthropic", { "x-gate": `${secret}-1`, "x-team": `${secret}-2` }],
    [
      "openai",
      {
        "x-gate": `${secret}-3`,
        "openai-organization": `${secret}-org`,
        "openai-project": `${secret}-project`,
        authorization: `Basic ${secret}`,
      },
    ],
  ] as const) {
    it(`${provider}: the server of the same environment gets its own`, async () => {
      const env = { ...process.env, [`${provider.toUpperCase()}_BASE_URL`]: `${server.url}/` };
      const access = accessFromEnvironment(provider, env);
      const headers = headersFromEnvironment(provider, server.url, env);
      const sent = await headersOf(provider, { ...access, apiKey: "own-key", headers });
      for (const [name, value] of Object.entries(expected)) assert.equal(sent[name], value);
    });
  }

  it("without an address in the environment they are meant for the provider's own", () => {
    const org = { "openai-organization": "org" };
    const env = { OPENAI_ORG_ID: "org" };
    assert.deepEqual(headersFromEnvironment("openai", undefined, env), org);
    assert.deepEqual(headersFromEnvironment("openai", "https://api.openai.com/v1/", env), org);
    const elsewhere = { ...env, OPENAI_BASE_URL: "https://gateway.example/v1" };
    assert.deepEqual(headersFromEnvironment("openai", "https://api.openai.com/v1", elsewhere), {});
    assert.deepEqual(headersFromEnvironment("openai", "https://gateway.example.evil/v1", elsewhere), {});
    assert.deepEqual(headersFromEnvironment("groq", undefined, env), {});
  });
});
