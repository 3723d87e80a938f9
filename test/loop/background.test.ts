/** Work outside the conversation: background commands and checkpoints (spec T10, E1, D3). */
import assert from "node:assert/strict";
import type { Change, Checkpoints } from "../../src/loop/checkpoints.ts";
import { bashOutput } from "../../src/tools/built-in/bash-output.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { textOf } from "./compacting.ts";
import { harnesses, until } from "./harness.ts";

const allowAll = [{ permission: "*", pattern: "*", action: "allow" } as const];
const bash = (command: string, more = {}) => ({ call: "bash", input: { command, ...more } });
const write = (file_path: string, content: string) => ({ call: "write", input: { file_path, content } });

describe("background commands", () => {
  const open = harnesses();

  it("T10 the model is told once, before its next step, that a command has ended", async () => {
    const h = open(
      [
        [bash("echo started; sleep 0.1; echo over; exit 3", { run_in_background: true })],
        { say: [{ call: "glob", input: { pattern: "*" } }], before: () => until(() => ended()) },
        ["Done."],
      ],
      { rules: allowAll, tools: [...coreTools, bashOutput] },
    );
    const ended = () => h.session.background.list().every(({ state }) => state.type === "ended");
    assert.equal((await h.turn()).reason, "end_turn");
    const told = h.model.requests.map(({ entries }) => entries.map(textOf).join("\n"));
    assert.doesNotMatch(told[1] ?? "", /has ended/);
    assert.match(told[2] ?? "", /The background command bash_1 .* has ended: exit code 3[\s\S]*over/);
    assert.equal(told[2]?.match(/has ended/g)?.length, 1);
    assert.equal(h.chat.background.length, 1, "the panel knows of it");
  });

  it("L11 Stop ends background commands too", async () => {
    const h = open([[bash("sleep 60", { run_in_background: true })], { say: ["…"], hang: true }], { rules: allowAll });
    const turn = h.turn();
    await until(() => h.model.requests.length === 2);
    await h.session.stop();
    await turn;
    assert.deepEqual(
      h.session.background.list().map(({ state }) => state.type),
      ["ended"],
    );
  });

  it("T10 the next prompt reports a command that outlives the turn", async () => {
    const h = open([[bash("sleep 0.2", { run_in_background: true })], ["Started."], ["I see."]], { rules: allowAll });
    await h.turn();
    assert.ok(h.session.busy);
    await until(() => !h.session.busy);
    assert.equal(h.model.requests.length, 2, "no second question");
    await h.turn("And?");
    assert.match(h.model.requests[2]?.entries.map(textOf).join("\n") ?? "", /And\?[\s\S]*bash_1 .* has ended/);
  });
});

/** Records what it was asked. */
class Told implements Checkpoints {
  readonly log: string[] = [];
  #count = 0;
  readonly #change: Change | undefined;

  constructor(change: Change | undefined) {
    this.#change = change;
  }

  begin(): string {
    this.#count += 1;
    this.log.push(`begin ${this.#count}`);
    return `snp_${this.#count}`;
  }

  expect(): void {
    if (!this.log.at(-1)?.startsWith("expect")) this.log.push("expect");
  }

  async ready(writes: readonly string[] | "unknown"): Promise<void> {
    this.log.push(`ready ${typeof writes === "string" ? writes : writes.map((one) => one.split("/").at(-1))}`);
  }

  async end(): Promise<Change | undefined> {
    this.log.push("end");
    return this.#change;
  }
}

describe("checkpoints of a turn", () => {
  const open = harnesses();

  it("E1 D3 each step begins with a snapshot, which calls that may change files wait for", async () => {
    const checkpoints = new Told({ snapshot: "snp_after", hash: "abc", files: ["a.txt"] });
    const h = open([[write("a.txt", "one\n"), bash("echo two > b.txt")], ["Done."]], { rules: allowAll, checkpoints });
    assert.equal((await h.turn()).reason, "end_turn");
    assert.deepEqual(checkpoints.log, ["begin 1", "expect", "ready a.txt", "ready unknown", "end", "begin 2"]);
    const parts = h.chat.messages.flatMap(({ parts }) => parts);
    assert.deepEqual(
      parts.flatMap((part) => (part.type === "step-start" ? [part.snapshot] : [])),
      ["snp_1", "snp_2"],
    );
    const patch = parts.find((part) => part.type === "patch");
    assert.partialDeepStrictEqual(patch, { hash: "abc", files: ["a.txt"] });
    const finish = parts.find((part) => part.type === "step-finish");
    assert.equal(finish?.type === "step-finish" && finish.snapshot, "snp_after");
  });

  it("E1 a step that only reads waits for nothing and changes nothing", async () => {
    const checkpoints = new Told(undefined);
    const h = open([[{ call: "glob", input: { pattern: "*" } }], ["Done."]], { checkpoints });
    await h.turn();
    assert.deepEqual(checkpoints.log, ["begin 1", "end", "begin 2"]);
    assert.ok(!h.chat.messages.some(({ parts }) => parts.some(({ type }) => type === "patch")));
  });

  it("E1 the end of the turn waits for the snapshot of a step's changes, the next request does not", async () => {
    let known = (_: Change | undefined) => {};
    const checkpoints = new Told(undefined);
    checkpoints.end = () => new Promise((resolve) => (known = resolve));
    const h = open([[write("a.txt", "one\n")], { say: ["Done."], before: async () => known(change) }], {
      rules: allowAll,
      checkpoints,
    });
    const change = { snapshot: "snp_after", hash: "abc", files: ["a.txt"] };
    assert.equal((await h.turn()).reason, "end_turn");
    assert.ok(h.chat.messages.some(({ parts }) => parts.some((part) => part.type === "patch" && part.hash === "abc")));
  });
});
