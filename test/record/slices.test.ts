/** Sessions of any size are imported, written and exported in steps, so that the host is never blocked for long. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { exportMarkdown, exportTranscript, markdownSteps, transcriptSteps } from "../../src/loop/transfer/export.ts";
import { eventsOf } from "../../src/loop/transfer/fork.ts";
import { importSteps, importTranscript } from "../../src/loop/transfer/import.ts";
import { runInSlices, runSteps, type Steps } from "../../src/loop/transfer/slices.ts";
import { replay } from "../../src/record/replay.ts";
import { Sessions } from "../../src/record/sessions.ts";

const count = 5000;
const transcript = Array.from({ length: count }, (_, at) =>
  JSON.stringify({ role: at % 2 === 0 ? "user" : "assistant", content: `Message ${at}` }),
).join("\n");

function countSteps<T>(steps: Steps<T>): { result: T; count: number } {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next();
    if (done) return { result: value, count };
  }
}

/** Works for some milliseconds in each step, until it is closed. */
function* busySteps(closed: () => void): Steps<string> {
  try {
    for (let at = 0; at < 60; at++) {
      const end = performance.now() + 3;
      while (performance.now() < end);
      yield;
    }
    return "done";
  } finally {
    closed();
  }
}

const neverAborted = new AbortController().signal;

describe("work in slices", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "rondo-slices-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("lets other work run between two slices", async () => {
    let turns = 0;
    const count = () => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    assert.equal(
      await runInSlices(
        busySteps(() => {}),
        neverAborted,
      ),
      "done",
    );
    clearImmediate(next);
    assert.ok(turns >= 3, `${turns}`);
  });

  it("ends between two slices when it is aborted, and closes the steps", async () => {
    const cancelled = new AbortController();
    let isClosed = false;
    const running = runInSlices(
      busySteps(() => (isClosed = true)),
      cancelled.signal,
    );
    cancelled.abort();
    await assert.rejects(running, { name: "AbortError" });
    assert.ok(isClosed);
  });

  it("R6 an import has a step for each line that it reads and each message that it copies", () => {
    const { result, count: steps } = countSteps(importSteps(Buffer.from(transcript), "/project"));
    assert.equal(result.messages.length, count);
    assert.ok(steps >= 2 * count, `${steps}`);
  });

  it("R6 an export has a step for each message, and the same text", () => {
    const chat = importTranscript(transcript, "/project");
    for (const [steps, text] of [
      [transcriptSteps(chat), exportTranscript(chat)],
      [markdownSteps(chat), exportMarkdown(chat)],
    ] as const) {
      const counted = countSteps(steps);
      assert.equal(counted.result, text);
      assert.ok(counted.count >= count, `${counted.count}`);
    }
  });

  it("R6 a session is written with a step for each event", () => {
    const chat = importTranscript(transcript, "/project");
    const sessions = new Sessions(folder);
    const { result, count: steps } = countSteps(sessions.addSteps(chat));
    assert.equal(steps, [...eventsOf(chat)].length);
    const found = replay(sessions.path(chat.session.id));
    assert.equal(result.end, found.end);
    assert.deepEqual(found.chat.messages, chat.messages);
    assert.equal(sessions.list()[0]?.messages, count);
  });

  it("R6 a session whose writing is cancelled leaves no record", () => {
    const chat = importTranscript(transcript, "/project");
    const sessions = new Sessions(folder);
    const steps = sessions.addSteps(chat);
    for (let at = 0; at < 100; at++) steps.next();
    steps.return(undefined as never);
    assert.ok(!existsSync(sessions.path(chat.session.id)));
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith(".jsonl")),
      [],
    );
  });

  it("R6 lines that are empty, end with \\r\\n or begin with a byte order mark are read", () => {
    const file = Buffer.from(`\ufeff${transcript.replaceAll("\n", "\r\n\n")}\r\n\n`);
    assert.equal(runSteps(importSteps(file, "/project")).messages.length, count);
  });
});
