/** VS Code's proxy: requests to providers, for facts and for lists of models go through it. */
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { askProvider, listProviderModels, openModel } from "../../src/providers/providers.ts";
import { startModelServer } from "../model-server.ts";
import { startProxy } from "../proxy.ts";
import { ask, request } from "../wire/ask.ts";

describe("VS Code's proxy", () => {
  const http = vscode.workspace.getConfiguration("http");
  const { Global } = vscode.ConfigurationTarget;
  const stops: (() => Promise<void>)[] = [];
  let asked: string[] = [];

  before(async () => {
    const server = await startModelServer(() => [{ text: "Hello." }]);
    const proxy = await startProxy(Number(new URL(server.url).port));
    stops.push(proxy.stop, server.stop);
    asked = proxy.asked;
    await http.update("proxy", proxy.url, Global);
    await http.update("proxySupport", "override", Global);
  });

  after(async () => {
    await http.update("proxy", undefined, Global);
    await http.update("proxySupport", undefined, Global);
    for (const stop of stops) await stop();
  });

  it("M1 every provider's requests, and questions about models, go through it", async () => {
    const signal = AbortSignal.timeout(10_000);
    for (const [provider, api] of [
      ["anthropic", "messages"],
      ["openai", "chat"],
      ["openai", "responses"],
      ["azure", "auto"],
      ["bedrock", "auto"],
      ["vertex", "auto"],
    ] as const) {
      asked.length = 0;
      const access = { apiKey: "test-key-1", baseURL: `http://${provider}.example.test/v1`, api };
      const model = await openModel(provider, access);
      const { error } = await ask(
        model,
        request({ model: provider === "bedrock" ? "anthropic.claude-opus-5-5" : "m" }),
      );
      assert.equal(error, undefined, provider);
      assert.match(asked[0] ?? "", new RegExp(`^${provider}\\.example\\.test(:80)?$`));
    }
    asked.length = 0;
    const access = { apiKey: "test-key-1", baseURL: "http://facts.example.test/v1" };
    await askProvider("openrouter", access, "m", signal);
    await listProviderModels("openrouter", access, signal);
    assert.equal(asked.length, 2);
  });
});
