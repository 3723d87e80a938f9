/**
 * Runs killed at random moments and resumed: nothing acknowledged is lost, and nothing is done twice (R2, R3).
 * A seed repeats the scripts of a run, but not the exact moments.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Chat } from "../../src/chat/apply.ts";
import type { ToolPart } from "../../src/chat/message.ts";
import { replay } from "../../src/record/replay.ts";
import { assertValid } from "../fuzz/valid.ts";
import { until } from "../loop/harness.ts";
import type { Answer, Block, ReceivedRequest } from "../model-server.ts";
import { RandomNumbers, randomly } from "../random.ts";
import { type Place, places } from "./headless-run.ts";

const kills = 40;
const lanes = 5;
const bypass = ["--permission-mode", "bypassPermissions"];

/** Runs sessions in one folder, one after the other, and kills each several times. */
class Lane {
  readonly #name: string;
  readonly #random: RandomNumbers;
  #place: Place | undefined;
  #session = 0;
  #marks = 0;
  #prompts: string[] = [];
  /** Number of requests before the session began. */
  #first = 0;
  /** The record when it was last read, up to its last complete line. */
  #record = Buffer.alloc(0);
  /** Calls that had ended when the record was last read, by id. */
  #ended = new Map<string, string>();
  #finishing = false;

  constructor(name: string, seed: number) {
    this.#name = name;
    this.#random = new RandomNumbers(seed, name);
  }

  async run(open: (script: (request: ReceivedRequest) => Answer) => Promise<Place>, times: number): Promise<void> {
    this.#place = await open((request) => this.#answer(request));
    for (let killed = 0; killed < times; ) {
      if (await this.#try(true)) killed += 1;
      else if (this.#random.fraction() < 0.5) this.#startNext();
    }
    this.#finishing = true;
    assert.equal(await this.#try(false), false);
    for (const part of callsOf(replay(this.#path).chat)) {
      assert.ok(part.state.status === "completed" || part.state.status === "error", part.state.status);
    }
    const left = readdirSync(this.#its.sessions).filter((name) => /\.(lock|claim)/.test(name));
    assert.deepEqual(left, []);
  }

  get #its(): Place {
    return this.#place ?? assert.fail();
  }

  get #id(): string {
    return `${this.#name}-${this.#session}`;
  }

  get #path(): string {
    return path.join(this.#its.sessions, `${this.#id}.jsonl`);
  }

  get #requests(): ReceivedRequest[] {
    return this.#its.server.requests.slice(this.#first);
  }

  #startNext(): void {
    this.#session += 1;
    this.#prompts = [];
    this.#first = this.#its.server.requests.length;
    this.#record = Buffer.alloc(0);
    this.#ended = new Map();
  }

  /** Runs the program once. Returns whether it was killed before it ended. */
  async #try(kill: boolean): Promise<boolean> {
    const which = existsSync(this.#path) ? "--resume" : "--session-id";
    const prompt = `Prompt ${this.#prompts.length} of ${this.#id}.`;
    this.#prompts.push(prompt);
    const before = this.#requests.length;
    const { child, ended } = this.#its.start([...bypass, which, this.#id, prompt]);
    let over = false;
    void ended.then(() => {
      over = true;
    });
    if (kill) {
      if (this.#random.fraction() < 0.2) await sleep(300 * this.#random.fraction());
      else {
        const wanted = before + 1 + this.#random.below(4);
        await until(() => over || this.#requests.length >= wanted);
        await sleep(60 * this.#random.fraction());
      }
      child.kill("SIGKILL");
    }
    const { code, stderr } = await ended;
    if (code !== null) assert.deepEqual([code, stderr], [0, ""]);
    this.#check();
    return code === null;
  }

  #check(): void {
    const requests = this.#requests;
    for (const request of requests) assertValid(request);
    const sent = requests.map(({ raw }) => raw);
    if (!existsSync(this.#path) || readFileSync(this.#path).indexOf(10) < 0) {
      assert.equal(sent.length, 0, "the model was asked before the prompt was kept");
      return;
    }
    const { chat, broken } = replay(this.#path);
    assert.deepEqual(broken, []);
    this.#checkGrowth();
    const text = JSON.stringify(chat);
    for (const prompt of this.#prompts) {
      if (sent.some((raw) => raw.includes(prompt))) assert.ok(text.includes(prompt), `${prompt} is lost`);
    }
    this.#checkCalls(callsOf(chat), sent.at(-1) ?? "");
  }

  /** Checks that written lines never change. */
  #checkGrowth(): void {
    const now = readFileSync(this.#path);
    assert.ok(now.subarray(0, this.#record.length).equals(this.#record), "the record did not only grow");
    this.#record = now.subarray(0, now.lastIndexOf(10) + 1);
  }

  #checkCalls(calls: ToolPart[], lastRequest: string): void {
    const states = new Map(calls.map(({ callID, state }) => [callID, state]));
    for (const [, id = ""] of lastRequest.matchAll(/"tool_use_id":"([^"]+)"/g)) {
      const status = states.get(id)?.status;
      assert.ok(status === "completed" || status === "error", `the model was told of ${id}, which is ${status}`);
    }
    for (const [id, state] of this.#ended) assert.equal(JSON.stringify(states.get(id)), state, "a result changed");
    for (const [id, state] of states) {
      if (state.status === "completed" || state.status === "error") this.#ended.set(id, JSON.stringify(state));
    }
    const log = path.join(this.#its.folder, "log");
    const marks = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
    assert.equal(new Set(marks).size, marks.length, "a command ran twice");
    for (const mark of marks.filter((one) => one.startsWith(`${this.#id}.`))) {
      const call = calls.find(({ state }) => String(state.input["command"]).includes(`${mark} `));
      assert.ok(call && call.state.status !== "pending", `${mark} was done before it was kept that it would be`);
    }
  }

  /** Makes text, or calls that each leave a mark, in small writes, so that a kill can cut them. */
  #answer(_request: ReceivedRequest): Answer {
    const pace = { size: 120, delay: this.#random.fraction() < 0.5 ? 1 : 4 };
    if (this.#finishing || this.#random.fraction() < 0.2)
      return { blocks: [{ text: "All is done. ".repeat(8), pieces: 6 }], ...pace };
    const blocks: Block[] = this.#random.fraction() < 0.5 ? [{ text: "I go on with it now.", pieces: 3 }] : [];
    for (let left = 1 + this.#random.below(3); left > 0; left--) {
      this.#marks += 1;
      const wait = this.#random.fraction() < 0.5 ? "; sleep 0.03" : "";
      const command = `echo ${this.#id}.${this.#marks} >> log${wait}`;
      const isRead = this.#random.fraction() < 0.2;
      // Repeated calls would be taken for a loop.
      const read = { name: "glob", input: { pattern: `*${this.#marks}` } };
      blocks.push({ call: isRead ? read : { name: "bash", input: { command } } });
    }
    return { blocks, ...pace };
  }
}

function callsOf({ messages }: Chat): ToolPart[] {
  return messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool"));
}

describe("headless run: kills", () => {
  const open = places();

  randomly(
    `R2 R3 I3 killed at ${kills} random moments, a session opens, continues, loses nothing and runs nothing twice`,
    async function (seed) {
      // Each moment is a process or two, which a busy machine starts slowly.
      this.timeout(15 * 60_000);
      const all = Array.from({ length: lanes }, (_, at) => new Lane(`lane${at}`, seed));
      // A lane that fails waits for the others: they work in folders that are gone after the test.
      const results = await Promise.allSettled(all.map((lane) => lane.run(open, kills / lanes)));
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
  );
});
