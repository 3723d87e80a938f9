/** What Rondo keeps of the review on disk is whole at every moment at which the extension host may die. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import * as vscode from "vscode";
import { Review } from "../../src/extension/review/review.ts";
import { until } from "../timing.ts";

describe("a stored review", () => {
  let storage: string;
  let uri: vscode.Uri;
  let review: Review;
  const open = () => new Review({ storage: vscode.Uri.file(storage), warn: (message) => assert.fail(message) });
  beforeEach(async () => {
    storage = await mkdtemp(path.join(os.tmpdir(), "rondo-store-"));
    uri = vscode.Uri.file(path.join(storage, "a.txt"));
    review = open();
  });
  afterEach(async () => {
    review.dispose();
    await rm(storage, { recursive: true, force: true, maxRetries: 5 });
  });

  function change(text: string): void {
    review.agentChanged({ uri, before: "one\n", after: text, encoding: undefined, movedFrom: undefined, folders: [] });
    void review.flush();
  }
  const names = () => readdirSync(path.join(storage, "review"));

  /** Reads the file all the time, as another process does. */
  const reader = `
    const { readFileSync } = require("node:fs");
    const { workerData: { file, counts } } = require("node:worker_threads");
    while (counts[2] === 0) {
      let text = "";
      try { text = readFileSync(file, "utf8"); } catch {}
      const isWhole = text.startsWith("{") && text.endsWith("}");
      Atomics.add(counts, isWhole ? 0 : 1, 1);
    }`;

  it("V4 is never seen half written", async () => {
    change("two\n");
    const [name = ""] = names();
    /** How often it was whole, how often not, and whether to stop. */
    const counts = new Int32Array(new SharedArrayBuffer(12));
    const file = path.join(storage, "review", name);
    const worker = new Worker(reader, { eval: true, workerData: { file, counts } });
    try {
      await until(() => Atomics.load(counts, 0) > 0);
      for (let round = 0; round < 20; round++) {
        change(`${round}${"x".repeat(800_000)}\n`);
        const seen = Atomics.load(counts, 0);
        await until(() => Atomics.load(counts, 0) + Atomics.load(counts, 1) > seen);
      }
    } finally {
      Atomics.store(counts, 2, 1);
      await worker.terminate();
    }
    assert.ok(counts[0] !== undefined && counts[0] > 20, `${counts[0]}`);
    assert.equal(counts[1], 0);
    assert.deepEqual(names(), [name]);
  });

  it("V4 is not taken from a write that was not finished", async () => {
    change("two\n");
    writeFileSync(uri.fsPath, "two\n");
    const [name = ""] = names();
    const whole = readFileSync(path.join(storage, "review", name), "utf8");
    writeFileSync(path.join(storage, "review", `${name}.1-1.new`), whole.slice(0, 20));
    writeFileSync(path.join(storage, "review", `${name}.1-2.new`), whole.replaceAll("two", "three"));
    review.dispose();
    review = open();
    await review.load();
    assert.deepEqual(review.uris().map(String), [uri.toString()]);
    assert.equal(review.text(uri), "two\n");
    assert.deepEqual(names(), [name]);
  });
});
