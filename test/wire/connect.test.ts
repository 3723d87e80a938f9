/** Checking keys over real connections, and telling whose a key is by its form. */
import assert from "node:assert/strict";
import { checkAccess } from "../../src/providers/connect/check-access.ts";
import { maskKey, ownerOfKey } from "../../src/providers/connect/key-owner.ts";
import { defaultModel, type ProviderID, providers } from "../../src/providers/providers.ts";
import { type Answer, type ModelServer, startModelServer } from "../model-server.ts";

describe("whose a key is", () => {
  for (const [key, owner] of [
    ["sk-ant-api03-abc", "anthropic"],
    ["sk-or-v1-abc", "openrouter"],
    ["sk-proj-abc", "openai"],
    [`sk-${"a".repeat(20)}T3BlbkFJ${"b".repeat(20)}`, "openai"],
    ["gsk_abc", "groq"],
    ["xai-abc", "xai"],
    ["csk-abc", "cerebras"],
    ["AIzaSyabc", "gemini"],
    ["ABSKabc", "bedrock"],
    ["github_pat_abc", "github-models"],
  ] as const) {
    it(`${key.slice(0, 12)}… is ${owner}'s`, () => assert.equal(ownerOfKey(key), owner));
  }

  it("names the likely ones where a form is that of several", () => {
    assert.deepEqual(ownerOfKey("sk-0123456789abcdef0123456789abcdef"), ["deepseek", "moonshot", "qwen", "openai"]);
    assert.deepEqual(ownerOfKey("0123456789abcdefghijklmnopqrstuv"), ["mistral", "azure"]);
    assert.deepEqual(ownerOfKey("nothing like it"), []);
  });

  it("shows the beginning and the end of a key alone", () => {
    assert.equal(maskKey("sk-ant-api03-0123456789-3fQ"), "sk-ant-••••••••••••3fQ");
    assert.equal(maskKey("short"), "••••••••••••");
  });
});

describe("the model to begin with", () => {
  const first = (provider: ProviderID, baseURL?: string) => defaultModel(provider, { apiKey: "k", baseURL }, {});

  it("is the provider's default also at another address of its own, such as a region", () => {
    const region = "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1";
    assert.equal(first("vertex", region), providers.vertex.defaultModel);
    assert.equal(first("openai", "https://api.openai.com/v1"), providers.openai.defaultModel);
    assert.equal(first("openai"), providers.openai.defaultModel);
  });

  it("is unknown at the server of somebody else, and where each account has its own names", () => {
    assert.equal(first("openai", "https://gateway.example/v1"), undefined);
    assert.equal(first("vertex", "https://aiplatform.googleapis.com.example/v1"), undefined);
    assert.equal(first("azure", "https://name.openai.azure.com/openai/v1"), undefined);
  });
});

describe("checking a key", () => {
  let server: ModelServer;
  let reply: Answer;
  before(async () => {
    server = await startModelServer(() => reply);
    server.facts["/v1/models"] = { data: [{ id: "the-model" }] };
  });
  after(() => server.stop());

  const check = () =>
    checkAccess(
      {
        providerID: "groq",
        access: { apiKey: "gsk_the-key-that-is-checked", baseURL: `${server.url}/v1` },
        chooseModel: (list) => (list?.type === "listed" ? list.models[0]?.modelID : undefined),
      },
      AbortSignal.timeout(10_000),
    );

  it("accepts one with which a model begins to answer", async () => {
    reply = [{ text: "Hello." }];
    const answer = await check();
    assert.equal(answer.type === "accepted" && answer.list?.type === "listed" && answer.list.models.length, 1);
    assert.equal(server.requests.at(-1)?.headers.authorization, "Bearer gsk_the-key-that-is-checked");
  });

  it("tells the server's words of one that is refused, without the key, also where the list is public", async () => {
    reply = { status: 401, body: { error: { message: "No such key: gsk_the-key-that-is-checked" } } };
    assert.deepEqual(await check(), { type: "refused", said: "No such key: …" });
  });

  it("tells an empty account from a wrong key", async () => {
    reply = { status: 402, body: { error: { message: "Insufficient Balance" } } };
    const answer = await check();
    assert.equal(answer.type === "no-credit" && answer.said, "Insufficient Balance.");
  });

  it("accepts one whose server is busy", async () => {
    reply = { status: 529, body: { error: { message: "Overloaded" } } };
    assert.equal((await check()).type, "accepted");
  });

  it("says that nothing answers", async () => {
    const access = { apiKey: "k", baseURL: "http://127.0.0.1:9/v1" };
    const asked = { providerID: "groq", access, chooseModel: () => "m" };
    assert.deepEqual(await checkAccess(asked, AbortSignal.timeout(10_000)), { type: "no-answer" });
  });
});
