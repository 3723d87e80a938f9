import assert from "node:assert/strict";
import { ModelError, type ModelErrorKind } from "../../src/loop/model.ts";
import { isRetryable, retryDelay } from "../../src/loop/reply/reply.ts";
import { failure } from "../scripted-model.ts";
import { harnesses, until } from "./harness.ts";

const read = { call: "read", input: { file_path: "a.txt" } };

describe("retries", () => {
  const open = harnesses();

  it("H1 H4 idle, busy, retry, busy, idle; the partial reply is replaced without duplicates", async () => {
    const h = open([{ say: [{ thinking: "Hm." }, "Half an", read], fail: failure("network") }, ["Whole."]]);
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.text(), "Whole.");
    assert.equal(h.calls.length, 0);
    assert.deepEqual(
      h.chat.messages.at(-1)?.parts.map((part) => part.type),
      ["retry", "step-start", "text", "step-finish"],
    );
    assert.deepEqual(
      h.events.flatMap((event) => (event.type === "status" ? [event.status.type] : [])),
      ["busy", "retry", "busy", "idle"],
    );
  });

  it("E5 a stream that is cut off is a network error, never a finished reply", async () => {
    const h = open([{ say: ["Half"], noEnd: true }, { say: [read], noEnd: true }, ["Whole."]], {
      files: { "a.txt": "x" },
    });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.equal(h.model.requests.length, 3);
    assert.deepEqual(h.calls, []);
  });

  it("H4 tools that have run do not run again", async () => {
    const count = { call: "bash", input: { command: "echo x >> log" } };
    const h = open([[count], { fail: failure("server") }, { fail: failure("server") }, ["Done."]], {
      mode: "bypassPermissions",
    });
    await h.turn();
    assert.equal(h.read("log"), "x\n");
    assert.equal(h.model.requests.length, 4);
  });

  it("H2 after maxRetries the error ends the turn, the received part is kept, and the next prompt works", async () => {
    const fail = { say: ["Half"], fail: failure("overloaded") };
    const h = open([fail, fail, fail, fail, ["Whole."]]);
    const end = await h.turn();
    assert.equal(end.reason, "error");
    assert.deepEqual(end.error, { code: "overloaded", message: "It failed (overloaded).", next: "Do something." });
    assert.equal(h.model.requests.length, 4);
    assert.equal(h.text(), "Half");
    assert.deepEqual(
      h.chat.messages.at(-1)?.parts.flatMap((part) => (part.type === "retry" ? [part.attempt] : [])),
      [1, 2, 3],
    );
    assert.equal((await h.turn()).reason, "end_turn");
  });

  it("H3 the server's requested delay is respected and shown", async () => {
    const h = open([{ fail: failure("rate-limit", { retryAfterMs: 80 }) }, ["Whole."]], {
      limits: { retryBackoffMs: 60_000 },
    });
    const started = Date.now();
    const turn = h.turn();
    await until(() => h.chat.status.type === "retry");
    const { status } = h.chat;
    assert.ok(status.type === "retry" && status.nextAt >= started + 80 && status.nextAt < started + 1000);
    await turn;
    assert.ok(Date.now() - started >= 80);
  });

  it("H3 Try now skips the delay", async () => {
    const h = open([{ fail: failure("rate-limit", { retryAfterMs: 60_000 }) }, ["Whole."]]);
    const turn = h.turn();
    await until(() => h.chat.status.type === "retry");
    h.session.retryNow();
    assert.equal((await turn).reason, "end_turn");
  });

  it("maxRetries 0 sends one request", async () => {
    const h = open([{ fail: failure("network") }], { limits: { maxRetries: 0 } });
    assert.equal((await h.turn()).reason, "error");
    assert.equal(h.model.requests.length, 1);
  });
});

describe("retry rules", () => {
  it("H2 each kind of error is retried or not", () => {
    const kinds: Record<ModelErrorKind, boolean> = {
      network: true,
      "rate-limit": true,
      overloaded: true,
      server: true,
      "no-key": false,
      auth: false,
      "no-access": false,
      flagged: false,
      "unknown-model": false,
      "context-full": false,
      quota: false,
      "thoughts-refused": false,
      "images-refused": false,
      invalid: false,
      aborted: false,
    };
    for (const [kind, expected] of Object.entries(kinds)) {
      // The keys of a Record of kinds are kinds.
      assert.equal(isRetryable(failure(kind as ModelErrorKind)), expected, kind);
    }
  });

  it("H2 the server's answer about retrying wins; an abort is never retried", () => {
    const says = (kind: ModelErrorKind, shouldRetry: boolean) => new ModelError(kind, "", "", { shouldRetry });
    assert.equal(isRetryable(says("invalid", true)), true);
    assert.equal(isRetryable(says("server", false)), false);
    assert.equal(isRetryable(says("aborted", true)), false);
  });

  it("H3 the delay doubles with jitter, up to a minute", () => {
    const error = failure("network");
    for (let attempt = 1; attempt <= 12; attempt++) {
      const least = Math.min(1000 * 2 ** (attempt - 1), 60_000);
      for (let times = 0; times < 20; times++) {
        const delay = retryDelay(attempt, 1000, error);
        assert.ok(delay >= least && delay <= Math.min(least + 1000, 60_000), `try ${attempt}: ${delay}`);
      }
    }
  });

  it("H3 the server's requested delay may exceed a minute, but not the limit of a timer", () => {
    const asked = (retryAfterMs: number) => retryDelay(1, 1000, failure("rate-limit", { retryAfterMs }));
    assert.equal(asked(0), 0);
    assert.equal(asked(700_000), 700_000);
    assert.equal(asked(2_560_914_000), 2 ** 31 - 1);
  });
});
