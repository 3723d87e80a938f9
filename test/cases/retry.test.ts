/** Errors that are retried and errors that are not, over the real SDKs: our own cases, then the collected ones. */
import assert from "node:assert/strict";
import { isRetryable, retryDelay } from "../../src/loop/reply/reply.ts";
import { type LoopCase, loopCases } from "./loop-cases.ts";
import { type Failure, failures } from "./provider-failures.ts";

const told = (status: number, error?: object, headers?: Record<string, string>): Failure => ({
  status,
  ...(headers && { headers }),
  body: error ? { type: "error", error } : {},
});
const slowDown = { type: "rate_limit_error", message: "Slow down" };

/** Failure, whether it is retried, and the words that the user sees. */
const table: [title: string, failure: Failure, retry: boolean, words?: RegExp][] = [
  ["a conflict with another request", told(409), true],
  ["a timeout of the server", told(408), true],
  ["a proxy that reports a closed client connection", told(499), true],
  ["each 5xx", told(520), true],
  ["a required payment", told(402, { type: "billing_error", message: "Pay first" }), false, /Pay first/],
  ["a malformed request", told(422, { message: "no such field" }), false, /no such field/],
  ["a server that asks for it", told(400, { message: "x" }, { "x-should-retry": "true" }), true],
  ["a server that forbids it", told(503, { message: "x" }, { "x-should-retry": "false" }), false],
  ["too many requests", told(429, slowDown), true],
  ["an exhausted quota", told(429, { code: "insufficient_quota", message: "Pay" }), false, /Pay/],
  ["a gateway's budget", told(429, { type: "budget_exceeded", code: "429", message: "Over budget" }), false],
  [
    "a spending limit of the organization",
    told(429, { ...slowDown, details: { error_code: "enforced_spend_limit_reached" } }),
    false,
  ],
  [
    "an exhausted quota with a retry time",
    told(429, { ...slowDown, code: "insufficient_quota" }, { "retry-after": "3" }),
    true,
  ],
  [
    "an HTML page of a gateway",
    { status: 502, body: "<html><head><style>b{color:red}</style></head><body><h1>502 Bad Gateway</h1></body></html>" },
    true,
    /^[^<{]*502 Bad Gateway\.$/,
  ],
  [
    "a body with a text instead of an error",
    { status: 400, body: { detail: "tools are off" } },
    false,
    /tools are off/,
  ],
  [
    "a body with a list of texts",
    { status: 422, body: { detail: [{ msg: "field required" }] } },
    false,
    /field required/,
  ],
  ["overload in the stream", { sse: [{ error: { type: "overloaded_error", message: "Busy" } }] }, true, /Busy/],
  ["an error in the stream with a numeric code", { sse: [{ error: { code: 429, message: "Busy" } }] }, true, /Busy/],
  [
    "an error in the stream with a message only",
    { sse: [{ error: { message: "The network is down" } }] },
    true,
    /is down/,
  ],
  ["an error in the stream without information", { sse: [{ type: "error", error: { code: 123 } }] }, false],
  ["a reset connection", { thrown: { code: "ECONNRESET" } }, true, /connection to Test was lost/],
  ["a server that refuses the connection", { thrown: { code: "ECONNREFUSED" } }, true, /Test does not answer/],
  ["an unknown host", { thrown: { code: "ENOTFOUND" } }, true, /address of Test was not found/],
  ["a self-signed certificate", { thrown: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" } }, false, /certificate/],
  ["an expired certificate", { thrown: { code: "CERT_HAS_EXPIRED" } }, false, /CERT_HAS_EXPIRED/],
  ["a socket that hangs up", { thrown: { message: "socket hang up" } }, true],
  ["an early end of the stream", { thrown: { message: "unexpected EOF" } }, true],
  ["an error serialized as text", { thrown: { message: JSON.stringify({ error: slowDown }) } }, true, /Slow down/],
  ["an abort", { thrown: { name: "AbortError", message: "This operation was aborted" } }, false],
  ["a bug", { thrown: { message: "x is not a function" } }, false],
];

describe("H2 what is retried", () => {
  for (const [title, failure, retry, words] of table) {
    it(`${retry ? "retries" : "does not retry"} ${title}`, async () => {
      for (const error of (await failures(failure)) ?? []) {
        assert.equal(isRetryable(error), retry, `${error.kind}: ${error.message}`);
        if (words) assert.match(error.message, words);
      }
    });
  }

  describe("collected cases", () => {
    for (const one of loopCases("retry-classify")) {
      it(`${one.id} ${one.title}`, async function () {
        const failure = failureOf(one);
        const errors = failure && (await failures(failure));
        if (!errors) return this.skip();
        for (const error of errors) {
          // Where other agents differ, the run only has to end without a crash.
          if (one.judgement === "strict") assert.equal(isRetryable(error), one.expect["retry"], error.message);
          assert.doesNotMatch(error.message, /<html/);
        }
      });
    }
  });
});

function failureOf({ input }: LoopCase): Failure | undefined {
  const { status, headers, body, body_text, sse, stream, network, error_text, error_name } = input;
  // The file's fields are of these types wherever they are present.
  if (typeof status === "number") {
    return { status, headers: (headers ?? {}) as Record<string, string>, body: body_text ?? body };
  }
  if (Array.isArray(sse)) return { sse };
  if (typeof stream === "string") return { stream };
  if (typeof network === "string") return { thrown: { code: network } };
  if (typeof error_text === "string") return { thrown: { message: error_text } };
  return typeof error_name === "string" ? { thrown: { name: error_name } } : undefined;
}

describe("H3 delay", () => {
  async function delay(headers: Record<string, string>, attempt = 1): Promise<number> {
    const [error] = (await failures({ status: 429, headers, body: {} })) ?? [];
    return retryDelay(attempt, 1000, error ?? assert.fail());
  }

  const times: [title: string, headers: Record<string, string>, ms: number | "as usual"][] = [
    ["in milliseconds", { "retry-after-ms": "700", "retry-after": "30" }, 700],
    ["in seconds, in upper and lower case", { "Retry-After": "2" }, 2000],
    ["in fractions of a second", { "retry-after": "1.5" }, 1500],
    ["zero", { "retry-after": "0" }, 0],
    ["invalid milliseconds", { "retry-after-ms": "abc", "retry-after": "3" }, 3000],
    ["milliseconds with a suffix", { "retry-after-ms": "700 or so", "retry-after": "3" }, 3000],
    ["words", { "retry-after": "not-a-number" }, "as usual"],
    ["words with a number, which could be parsed as a date", { "retry-after": "soon 1" }, "as usual"],
    ["nothing", { "retry-after": "" }, "as usual"],
    ["a negative number", { "retry-after": "-5" }, "as usual"],
    ["a past date", { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, "as usual"],
    ["longer than a minute", { "retry-after-ms": "700000" }, 700_000],
    ["longer than the limit of a timer", { "retry-after": "2560914" }, 2 ** 31 - 1],
  ];
  for (const [title, headers, ms] of times) {
    it(`the server says ${title}`, async () => {
      const found = await delay(headers);
      if (ms === "as usual") assert.ok(found >= 1000 && found <= 2000, String(found));
      else assert.equal(found, ms);
    });
  }

  describe("collected cases", () => {
    for (const { id, title, input, expect } of loopCases("retry-delay")) {
      it(`${id} ${title}`, async () => {
        const headers = input["headers"] as Record<string, string>;
        const attempts = Array.isArray(input["attempts"]) ? input["attempts"] : [1];
        const delays = await Promise.all(attempts.map((attempt: number) => delay(headers, attempt)));
        assert.deepEqual(
          delays,
          [...delays].sort((a, b) => a - b),
        );
        const [first = 0] = delays;
        if (typeof expect["delay_ms"] === "number") assert.equal(first, expect["delay_ms"]);
        if (typeof expect["delay_ms_min"] === "number") assert.ok(first >= expect["delay_ms_min"]);
        if (expect["same_as"]) assert.ok(first >= 1000 && first <= 2000, String(first));
        if (expect["not_earlier_than_asked_or_gives_up"]) assert.ok(first >= Number(headers["retry-after-ms"]));
      });
    }
  });
});
