/** What Rondo keeps of the review on disk is whole at every moment at which the extension host may die. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import * as vscode from "vscode";
import { ReviewStore } from "../../src/extension/review/review-store.ts";
import { FileReview } from "../../src/review/file-review.ts";

describe("a stored review", () => {
  let storage: string;
  beforeEach(async () => {
    storage = await mkdtemp(path.join(os.tmpdir(), "rondo-store-"));
  });
  afterEach(() => rm(storage, { recursive: true, force: true, maxRetries: 5 }));

  const uri = "file:///a.txt";
  function review(text: string): FileReview {
    const file = FileReview.begin("one\n");
    file.agentWrote(text);
    return file;
  }
  const names = () => readdirSync(path.join(storage, "review"));

  it("V4 is never seen half written", async () => {
    const store = new ReviewStore(vscode.Uri.file(storage));
    await store.save(uri, review("two\n"));
    const [name = ""] = names();
    const file = path.join(storage, "review", name);
    let isDone = false;
    let seen = 0;
    const saves = (async () => {
      for (let round = 0; round < 20; round++) await store.save(uri, review(`${round}\n`.repeat(200_000)));
      isDone = true;
    })();
    for (; !isDone; seen++) {
      assert.ok(existsSync(file));
      const text = readFileSync(file, "utf8");
      assert.ok(text.startsWith("{") && text.endsWith("}"), `${text.length} characters`);
      await turn();
    }
    await saves;
    assert.ok(seen > 20, `${seen}`);
    assert.deepEqual(names(), [name]);
  });

  it("V4 is not taken from a write that was not finished", async () => {
    const store = new ReviewStore(vscode.Uri.file(storage));
    await store.save(uri, review("two\n"));
    const [name = ""] = names();
    const whole = readFileSync(path.join(storage, "review", name), "utf8");
    writeFileSync(path.join(storage, "review", `${name}.1-1.new`), whole.slice(0, 20));
    writeFileSync(path.join(storage, "review", `${name}.1-2.new`), whole.replace("two", "three"));
    const loaded = await new ReviewStore(vscode.Uri.file(storage)).load();
    assert.deepEqual([...loaded.keys()], [uri]);
    assert.deepEqual(loaded.get(uri)?.changes.text, ["two\n"]);
    assert.deepEqual(names(), [name]);
  });
});
