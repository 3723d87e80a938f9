/**
 * Whole turns as event logs in test/golden, one JSON line per event. UPDATE_GOLDEN=1 writes them again; review the
 * changes in the diff.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ChatEvent } from "../../src/chat/events.ts";
import type { LoopEvent } from "../../src/loop/loop-events.ts";
import { failure } from "../scripted-model.ts";
import { full, small, summarised } from "./compacting.ts";
import { type Harness, harnesses, until } from "./harness.ts";

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), "../golden");

const read = (file_path: string) => ({ call: "read", input: { file_path } });

/** Both kinds of events, in order. */
function record(h: Harness): (ChatEvent | LoopEvent)[] {
  const log: (ChatEvent | LoopEvent)[] = [];
  h.session.listen((event) => log.push(structuredClone(event)));
  const push = h.loopEvents.push.bind(h.loopEvents);
  h.loopEvents.push = (...events) => {
    log.push(...events.filter((event) => event.type !== "stream:delta"));
    return push(...events);
  };
  return log;
}

/**
 * Replaces ids by `msg_1`, times and estimates by 0, the folder by `/work`, and omits the live output, which depends on
 * timing.
 */
function normalise(log: readonly (ChatEvent | LoopEvent)[], h: Harness): string {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const nameOf = (id: string, prefix: string) => {
    const count = (counts.get(prefix) ?? 0) + (names.has(id) ? 0 : 1);
    const name = names.get(id) ?? `${prefix}_${count}`;
    counts.set(prefix, count);
    names.set(id, name);
    return name;
  };
  return log
    .filter((event) => event.type !== "output")
    .map((event) => JSON.stringify(outlined(event)))
    .join("\n")
    .concat("\n")
    .replaceAll(h.folder, "/work")
    .replace(/(?<![0-9A-Za-z])(ses|msg|prt|per|run)_[0-9A-Z]{26}\b/g, nameOf)
    .replace(
      /"(createdAt|completedAt|since|start|end|time|nextAt|durationMs|duration|waitedMs|tokenEstimate)":\d+(\.\d+)?/g,
      '"$1":0',
    )
    .replace(/"tokens":[{][^{}]*[}](?=,"cost":[\d.]+,"estimated":true)/g, '"tokens":"estimated"')
    .replace(/"cost":[\d.]+(?=,"estimated":true)/g, '"cost":0')
    .replace(/"date":"\d{4}-\d\d-\d\d"/g, '"date":"2026-01-01"')
    .replace(/Today is \d{4}-\d\d-\d\d/g, "Today is 2026-01-01");
}

/** Texts of prompts and tools have tests of their own. */
function outlined(event: ChatEvent | LoopEvent): object {
  if (event.type === "child") return { ...event, event: outlined(event.event) };
  if (event.type !== "prefix") return event;
  const { tools, told } = event.prefix;
  return { type: "prefix", tools: tools.map(({ name }) => name), told: Object.keys(told) };
}

function compare(name: string, h: Harness, log: readonly (ChatEvent | LoopEvent)[]): void {
  const file = path.join(folder, `${name}.jsonl`);
  const actual = normalise(log, h);
  if (process.env["UPDATE_GOLDEN"]) writeFileSync(file, actual);
  const lines = (text: string) =>
    text
      .split("\n")
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line));
  assert.deepEqual(lines(actual), lines(readFileSync(file, "utf8")));
}

describe("golden logs", () => {
  const open = harnesses();

  it("K1 D4 a plain reply", async () => {
    const h = open([[{ thinking: "A greeting.", signature: "c2ln" }, "Hello, **you**."]]);
    const log = record(h);
    await h.turn("Hello!");
    compare("answer", h, log);
  });

  it("K1 D4 read, edit and run, with a question", async () => {
    const h = open(
      [
        ["I look first.", { call: "read", input: { file_path: "a.js" } }],
        [{ call: "edit", input: { file_path: "a.js", old_string: "+ 1", new_string: "+ 2" } }],
        [{ call: "bash", input: { command: "node a.js", description: "Run it" } }],
        ["It prints 3."],
      ],
      { files: { "a.js": "console.log(1 + 1);\n" }, mode: "acceptEdits" },
    );
    const log = record(h);
    const turn = h.turn("Make it print 3.");
    await h.answerNext({ kind: "permission", type: "once" });
    await turn;
    compare("read-edit-run", h, log);
  });

  it("T7 a denial with a reason", async () => {
    const h = open([[{ call: "bash", input: { command: "rm -r build" } }], ["I leave it."]]);
    const log = record(h);
    const turn = h.turn("Clean up.");
    await h.answerNext({ kind: "permission", type: "deny", words: "Keep it." });
    await turn;
    compare("refusal", h, log);
  });

  it("H1 H4 a retry", async () => {
    const h = open([{ say: ["Half an"], fail: failure("overloaded", { retryAfterMs: 1 }) }, ["Whole."]]);
    const log = record(h);
    await h.turn("Hello!");
    compare("retry", h, log);
  });

  it("L11 Stop during a reply", async () => {
    const h = open([{ say: ["Half an answer", { call: "bash", input: { command: "ls" } }], hang: true }]);
    const log = record(h);
    const turn = h.turn("Hello!");
    await until(() => h.calls.length === 1 && h.calls[0]?.state.status === "pending" && h.calls[0].state.raw !== "");
    await new Promise((resolve) => setTimeout(resolve, 5));
    await h.session.stop();
    await turn;
    compare("stop", h, log);
  });

  it("E5 malformed arguments", async () => {
    const h = open([[{ call: "read", raw: '{"file_path": "a.js' }], ["I try no more."]]);
    const log = record(h);
    await h.turn("Read a.js.");
    compare("malformed-arguments", h, log);
  });

  it("L7 C3 a compaction during the work", async () => {
    const script = summarised(["The summary."], [{ say: [read("a.txt")], tokens: full }, ["Done."]]);
    const h = open(script, { ...small, files: { "a.txt": "x\n" } });
    const log = record(h);
    await h.turn("Read a.txt.");
    compare("compaction", h, log);
  });

  it("C5 saving notes to memory silently", async () => {
    const h = open([{ say: [read("a.txt")], tokens: { input: 117_000 } }, ["NO_REPLY"], ["Done."]], {
      choices: small.choices,
      limits: { compactAt: 0.95 },
      files: { "a.txt": "x\n" },
      project: { memory: { path: ".rondo/MEMORY.md", text: "" } },
    });
    const log = record(h);
    await h.turn("Read a.txt.");
    compare("memory", h, log);
  });

  it("L6 S1 a subtask", async () => {
    const h = open([["It is in a.txt."], ["Done."]]);
    const log = record(h);
    const subtask = { type: "subtask", agent: "explore", description: "Find it", prompt: "Find the x." } as const;
    await h.turn("", { parts: [{ type: "text", text: "Where is x?" }, subtask] });
    compare("subtask", h, log);
  });

  it("B2 a budget question", async () => {
    const h = open([{ say: [read("a.txt")], tokens: { output: 100_000 } }], {
      limits: { maxBudgetUsd: 1 },
      files: { "a.txt": "x\n" },
    });
    const log = record(h);
    const turn = h.turn("Read a.txt.");
    await h.answerNext({ kind: "budget", type: "stop" });
    await turn;
    compare("budget", h, log);
  });

  it("Q2 a queued prompt that joins the turn", async () => {
    const h = open([{ say: [read("a.txt")], before: () => h.send("And b.txt.") }, ["Done."]], {
      files: { "a.txt": "x\n" },
    });
    const log = record(h);
    await h.turn("Read a.txt.");
    compare("queue", h, log);
  });
});
