/** How a turn ended is told by its right cause, also in the chat that a reload makes of the record. */
import assert from "node:assert/strict";
import type { Chat } from "../../src/chat/apply.ts";
import { noOutcome } from "../../src/loop/hooks.ts";
import { replay } from "../../src/record/replay.ts";
import { brokenOffWords } from "../../webview/conversation/broken-off.ts";
import { earlyEnd } from "../../webview/notices/remedies.ts";
import { denyWith, stopBudget } from "../loop/answers.ts";
import { type Harness, type HarnessOptions, harnesses, until } from "../loop/harness.ts";
import { failure, type Script } from "../scripted-model.ts";

const bash = { call: "bash", input: { command: "echo hi" } };
const glob = { call: "glob", input: { pattern: "a*" } };
const unpriced = { model: { providerID: "anthropic", modelID: "nobody" } };
const stopping = { ...noOutcome, stop: "Enough." };

interface EndingTurn {
  script: Script;
  options?: HarnessOptions;
  /** What the user does meanwhile. */
  act?: (h: Harness) => Promise<unknown>;
  /** What the panel says of it; undefined: nothing. */
  cause: string | undefined;
  /** Whether it counts as cut off by a reload. */
  isCut?: boolean;
}

const turns: Record<string, EndingTurn> = {
  "an answer": { script: [["Done."]], cause: undefined },
  "the limit of replies": { script: [[glob], ["Never."]], options: { limits: { maxTurns: 1 } }, cause: "turn-limit" },
  "a budget that the user does not raise": {
    script: [{ say: [glob], tokens: { output: 1e5 } }, ["Never."]],
    options: { limits: { maxBudgetUsd: 1 } },
    act: (h) => h.answerNext(stopBudget),
    cause: "budget",
  },
  "a model without a price, declined before its first reply": {
    script: [["Never."]],
    options: { limits: { maxBudgetUsd: 1 }, choices: unpriced },
    act: (h) => h.answerNext(stopBudget),
    cause: "other",
  },
  "a denial without words": {
    script: [[bash], ["Never."]],
    act: (h) => h.answerNext(denyWith("")),
    cause: undefined,
  },
  "Stop within a call": {
    script: [[{ call: "bash", input: { command: "sleep 60" } }]],
    options: { mode: "bypassPermissions" },
    act: async (h) => {
      await until(() => h.calls.some(({ state }) => state.status === "running"));
      await h.session.stop();
    },
    cause: undefined,
  },
  "a hook": {
    script: [[bash], ["Never."]],
    options: {
      mode: "bypassPermissions",
      hooks: { has: (event) => event === "PreToolUse", fire: async () => stopping },
    },
    cause: "hook",
  },
  "a key that is refused": { script: [{ fail: failure("auth") }], cause: "auth" },
  "a refusal of the model": { script: [{ say: ["I cannot."], finish: "refusal" }], cause: "refusal" },
  "a window that is closed": {
    script: [[{ call: "bash", input: { command: "sleep 60" } }]],
    options: { mode: "bypassPermissions" },
    act: async (h) => {
      await until(() => h.calls.some(({ state }) => state.status === "running"));
      await h.session.dispose();
    },
    cause: undefined,
    isCut: true,
  },
};

describe("the end of a turn", () => {
  const open = harnesses();

  const told = (chat: Chat) => [earlyEnd(chat)?.cause, brokenOffWords(chat) !== ""];

  for (const [what, { script, options, act, cause, isCut = false }] of Object.entries(turns)) {
    it(`P3 is told as it was: ${what}`, async () => {
      const h = open(script, options);
      const turn = h.turn();
      await act?.(h);
      await turn;
      // Without a reply that holds it, the error itself is known in its own window alone.
      const here = cause === "other" ? "price-unknown" : cause;
      assert.deepEqual(told(h.chat), [here, false]);
      h.transcript.flush();
      assert.deepEqual(told(replay(h.transcript.path).chat), [cause, isCut], "after a reload");
    });
  }

  it("P3 is forgotten when the turn goes on", async () => {
    const h = open([[glob], [glob], ["Done."]], { limits: { maxTurns: 2 } });
    await h.turn();
    assert.deepEqual(told(h.chat), ["turn-limit", false]);
    await h.session.tryAgain();
    assert.equal(h.text(), "Done.");
    h.transcript.flush();
    assert.deepEqual(told(replay(h.transcript.path).chat), [undefined, false]);
  });
});
