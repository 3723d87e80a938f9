/** Sessions share what a provider has said about its rate limit: real SDK, real server, real files. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { ModelError, ModelRequest } from "../../src/loop/model.ts";
import { openModel } from "../../src/providers/providers.ts";
import { RateLimits } from "../../src/providers/shared/rate-limits.ts";
import { type Answer, type ModelServer, startModelServer } from "../model-server.ts";

const tooMany = (seconds: string): Answer => ({
  status: 429,
  headers: { "retry-after": seconds },
  body: { type: "error", error: { type: "rate_limit_error", message: "Slow down." } },
});

describe("rate limits that sessions share", () => {
  let folder: string;
  let server: ModelServer;
  let answers: Answer[];

  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-limits-"));
    answers = [];
    server = await startModelServer(() => answers.shift() ?? [{ text: "Yes." }]);
  });
  afterEach(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Asks as one conversation would. Returns the error, if there is one. */
  async function ask(limits: RateLimits, conversationID: string, change: { model?: string; apiKey?: string } = {}) {
    const { model = "claude-sonnet-5", apiKey = "sk-secret" } = change;
    const access = { apiKey, baseURL: server.url };
    const shared = limits.shared(await openModel("anthropic", access), access);
    const request: ModelRequest = {
      ...{ model, conversationID, system: "", entries: [], unboundEntries: 0, imagelessEntries: 0, tools: [] },
      ...{ toolUse: "none", temperature: undefined, options: {}, contextWindow: undefined, maxTokens: 100 },
      ...{ thinking: "off", signal: new AbortController().signal, onBytes() {} },
    };
    let error: ModelError | undefined;
    for await (const event of shared.stream(request)) if (event.type === "error") error = event.error;
    return error;
  }

  it("W5 a session that another was told to wait for waits without asking, and may ask when it decides to", async () => {
    const limits = new RateLimits(folder);
    answers = [tooMany("30")];
    const first = await ask(limits, "first");
    assert.equal(first?.kind, "rate-limit");
    assert.equal(first.retryAfterMs, 30_000);

    const second = await ask(limits, "second");
    assert.equal(second?.kind, "rate-limit");
    assert.ok(second.retryAfterMs !== undefined && second.retryAfterMs > 20_000 && second.retryAfterMs <= 32_000);
    assert.equal(second.shouldRetry, true);
    assert.equal(server.requests.length, 1, "the second did not ask");

    assert.equal(await ask(limits, "second"), undefined, "Try now asks");
    assert.equal(await ask(limits, "first"), undefined);
    assert.equal(server.requests.length, 3);
  });

  it("W5 the wait is over for all sessions and windows when an answer comes before its time", async () => {
    const limits = new RateLimits(folder);
    const elsewhere = new RateLimits(folder);
    answers = [tooMany("30"), [{ text: "Already." }], tooMany("30")];
    await ask(limits, "first");
    assert.equal((await ask(elsewhere, "second"))?.kind, "rate-limit");
    assert.equal(await ask(limits, "first"), undefined, "Try now asks");
    assert.equal((await ask(elsewhere, "second"))?.retryAfterMs, 30_000, "it asked, and was told anew");
    assert.equal(server.requests.length, 3);
    assert.equal((await ask(limits, "third"))?.kind, "rate-limit");
    assert.equal(server.requests.length, 3);
  });

  it("W5 holds for the same account and model alone", async () => {
    const limits = new RateLimits(folder);
    answers = [tooMany("30")];
    await ask(limits, "first");
    assert.equal(await ask(limits, "second", { model: "claude-haiku-5" }), undefined);
    assert.equal(await ask(limits, "third", { apiKey: "another" }), undefined);
    assert.equal((await ask(limits, "fourth"))?.kind, "rate-limit");
  });

  it("W5 is known in other windows; the file holds no key, and a broken one is ignored", async () => {
    answers = [tooMany("30")];
    await ask(new RateLimits(folder), "first");
    assert.equal((await ask(new RateLimits(folder), "second"))?.kind, "rate-limit");
    assert.equal(server.requests.length, 1);
    const [name = ""] = readdirSync(folder);
    const file = path.join(folder, name);
    assert.doesNotMatch(`${name} ${readFileSync(file, "utf8")}`, /secret/);
    writeFileSync(file, '{"claude-sonnet-5": "soon"');
    assert.equal(await ask(new RateLimits(folder), "third"), undefined);
  });

  it("W5 an answer without a time, or with days, stops no other session; nor does a folder that cannot be written", async () => {
    const limits = new RateLimits(folder);
    answers = [tooMany("200000")];
    await ask(limits, "first");
    assert.equal(await ask(limits, "second"), undefined);

    const file = path.join(folder, "file");
    writeFileSync(file, "");
    const unwritable = new RateLimits(file);
    answers = [tooMany("30")];
    assert.equal((await ask(unwritable, "first"))?.kind, "rate-limit");
    assert.equal((await ask(unwritable, "second"))?.kind, "rate-limit", "this window knows");
  });
});
