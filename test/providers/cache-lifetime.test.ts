/** How long a provider's cache lasts, as far as the provider documents it (C8). */
import assert from "node:assert/strict";
import { cacheLifetime, isExpired } from "../../src/providers/families/cache-lifetime.ts";

function lifetime(providerID: string, modelID: string, writtenForHour = 0) {
  const counts = { read: 1000, written: 100, sent: 1200, at: 0, lifetime: undefined };
  return cacheLifetime({ ...counts, writtenForHour, model: { providerID, modelID } });
}

describe("the lifetime of a cache", () => {
  it("C8 Claude keeps it for five minutes after each use, or an hour where that was written", () => {
    assert.deepEqual(lifetime("anthropic", "claude-sonnet-5"), { type: "renewed", ms: 300_000 });
    assert.deepEqual(lifetime("anthropic", "claude-sonnet-5", 100), { type: "renewed", ms: 3_600_000 });
  });

  it("C8 OpenAI clears it in memory within an hour, or keeps it for a day at most, by model", () => {
    const idle = { type: "idle", fromMs: 300_000, toMs: 600_000, atMostMs: 3_600_000 };
    for (const model of ["gpt-4o", "gpt-4o-mini", "o3", "o4-mini"])
      assert.deepEqual(lifetime("openai", model), idle, model);
    for (const model of ["gpt-4.1", "gpt-5", "gpt-5-codex", "gpt-5.1", "gpt-5.4", "gpt-5.5"])
      assert.deepEqual(lifetime("openai", model), { type: "at-most", ms: 86_400_000 }, model);
  });

  it("C8 has expired where the longest time that is documented is over, and never where none is", () => {
    const cache = { read: 1, written: 1, writtenForHour: 0, sent: 2, at: 1000, model: { providerID: "", modelID: "" } };
    const idle = { type: "idle", fromMs: 1, toMs: 2, atMostMs: 500 } as const;
    assert.deepEqual(
      [1499, 1500].map((now) => isExpired({ ...cache, lifetime: idle }, now)),
      [false, true],
    );
    assert.deepEqual(
      [1499, 1500].map((now) => isExpired({ ...cache, lifetime: { type: "renewed", ms: 500 } }, now)),
      [false, true],
    );
    assert.equal(isExpired({ ...cache, lifetime: undefined }, 1e15), false);
  });

  it("C8 nothing is said where nothing is documented", () => {
    for (const model of ["gpt-5.6-terra", "gpt-6.2-sol", "gpt-50", "omni"])
      assert.equal(lifetime("openai", model), undefined);
    for (const provider of ["xai", "openrouter", "ollama", "bedrock"])
      assert.equal(lifetime(provider, "claude-sonnet-5"), undefined);
  });
});
