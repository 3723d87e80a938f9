/** Lines of tool calls, collapsed calls, the status line, and announcements. */
import assert from "node:assert/strict";
import { apply, type Chat } from "../../src/chat/apply.ts";
import { denialWords } from "../../src/chat/call-words.ts";
import type { BackgroundCommand, ChatEvent, ExitReason } from "../../src/chat/events.ts";
import type { ErrorCode, ToolPart } from "../../src/chat/message.ts";
import { resultOf, toolLineOf } from "../../webview/calls/tool-line.ts";
import { statusOf } from "../../webview/composer/status-line.ts";
import { draftsOf } from "../../webview/conversation/edit-drafts.ts";
import { messageGroupsOf, segmentsOf } from "../../webview/conversation/message-groups.ts";
import { Announcements } from "../../webview/spoken/announcements.ts";
import { dayGroup, duration, elapsed, when } from "../../webview/text/format.ts";
import * as f from "./fixtures.ts";
import { commands, questionRequest } from "./trust-states.ts";

const cwd = "/home/dev/tinyshop";

function toolOf(part: f.LoosePart): ToolPart {
  const tool = f.rondo([part]).parts[0];
  assert.equal(tool?.type, "tool");
  return tool as ToolPart;
}

const words = (part: f.LoosePart, asks = false) => {
  const { verb, object, fact, state, tone } = toolLineOf(toolOf(part), asks, cwd);
  return [`${verb} ${object}`, fact, state, tone];
};

describe("the line of a tool call", () => {
  it("shows verb, object and result", () => {
    assert.deepEqual(words(f.testFailed), ["Ran npm test -- cart", "exit code 1", "done", "bad"]);
    assert.deepEqual(words(f.readDone("src/cart.ts", 64)), ["Read src/cart.ts", "64 lines", "done", "plain"]);
    assert.deepEqual(words(f.done("grep", { pattern: "round(" }, {}, "")), ["Searched round(", "", "done", "plain"]);
    assert.equal(words(f.done("strange", {}, {}, ""))[0], " strange");
  });

  it("T11 names other tools by what they do", () => {
    const title = (name: string, input: Record<string, unknown> = {}) => {
      const { verb, object } = toolLineOf(toolOf(f.tool(name, { status: "running", input, start: 0 })), false, cwd);
      return `${verb} ${object}`;
    };
    const patch = `*** Begin Patch\n*** Update File: ${cwd}/a.ts\n+x`;
    const told = {
      bash_output: ["Looking at bash_1", { id: "bash_1" }],
      bash_kill: ["Ending bash_1", { id: "bash_1" }],
      multi_edit: ["Editing a.ts", { file_path: `${cwd}/a.ts`, edits: [] }],
      apply_patch: ["Editing a.ts", { patch }],
      notebook_edit: ["Editing a.ipynb", { notebook_path: `${cwd}/a.ipynb` }],
      web_fetch: ["Fetching https://a.dev/", { url: "https://a.dev/" }],
      todo_write: ["Updating the to-dos", { todos: [] }],
      ask_user: ["Asking Which one?", { questions: [{ question: "Which one?" }] }],
      diagnostics: ["Checking problems in a.ts", { path: `${cwd}/a.ts` }],
      symbols: ["Looking up total", { action: "references", symbol: "total" }],
      rename_symbol: ["Renaming total", { path: `${cwd}/a.ts`, line: 1, symbol: "total", new_name: "sum" }],
      code_action: ["Applying Add import", { path: `${cwd}/a.ts`, line: 1, title: "Add import" }],
      tool_search: ["Looking for tools issues", { query: "issues" }],
      tool_call: ["Asking github: create_issue", { name: "mcp__github__create_issue", input: {} }],
      mcp__github__create_issue: ["Asking github: create_issue", {}],
      vscode__runTests: ["Using runTests", {}],
    } as const;
    for (const [name, [words, input]] of Object.entries(told)) assert.equal(title(name, input), words, name);
    assert.equal(title("apply_patch", { patch: `${patch}\n*** Delete File: b.ts` }), "Editing 2 files");
    assert.equal(title("diagnostics"), "Checking problems");
  });

  it("shows the arguments while they stream", () => {
    const raw = '{"file_path":"/home/dev/tinyshop/src/a.ts","old_';
    const edit = f.tool("edit", { status: "pending", input: {}, raw });
    assert.deepEqual(words(edit), ["Editing src/a.ts", "", "pending", "plain"]);
    assert.deepEqual(words(edit, true), ["Edit src/a.ts", "waiting for you", "asks", "warn"]);
    const patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-old\n+ne";
    const text = f.tool("apply_patch", { status: "pending", input: {}, raw: patch });
    assert.deepEqual(words(text), ["Editing src/a.ts", "", "pending", "plain"]);
    assert.deepEqual(
      draftsOf(toolOf(text)).map(({ path, rows }) => [path, ...rows.map(({ kind }) => kind)]),
      [["src/a.ts", "del", "add"]],
    );
  });

  it("shows the first line of a script, and failed calls as failed", () => {
    const input = { command: "set -e\nnpm test" };
    assert.deepEqual(words(f.tool("bash", { status: "running", input, start: 0 })).slice(0, 1), ["Running set -e …"]);
    assert.deepEqual(words(f.tool("bash", { status: "error", input, error: "no", start: 0, end: 1 })), [
      "Run set -e …",
      "failed",
      "failed",
      "bad",
    ]);
  });
});

describe("T7 a call that was denied", () => {
  const input = { command: "git push origin" };
  const denied = (error: string, words: string) =>
    f.tool("bash", {
      status: "error",
      input,
      error,
      metadata: { denied: true, fact: "denied by you", words: { at: 0, text: words } },
      start: 0,
      end: 1,
    });

  it("is no failure, and shows none of the words for the model", () => {
    const part = denied("The user refused this call and says: Push to my fork", denialWords("Push to my fork"));
    assert.deepEqual(words(part), ["Run git push origin", "denied by you", "denied", "plain"]);
    assert.equal(resultOf(toolOf(part)), "You denied this: “Push to my fork”");
  });

  it("is announced in the same words", () => {
    const announcements = new Announcements();
    const part = toolOf(denied("The user refused this call and stopped the turn.", denialWords("")));
    announcements.addEvent({ type: "part", part }, f.chat("t", []), []);
    assert.equal(announcements.take(), "Run git push origin, denied by you.");
  });
});

describe("a turn", () => {
  const shape = (parts: f.LoosePart[], done = true) =>
    segmentsOf([f.rondo(parts)], done).map((segment) =>
      segment.type !== "activities"
        ? segment.type
        : segment.activities.map((one) => (one.type === "collapsed" ? one.parts.length : one.type)),
    );

  it("contains all replies to one prompt", () => {
    const turns = messageGroupsOf([f.you("a"), f.rondo([]), f.rondo([]), f.you("b"), f.you("c"), f.rondo([])]);
    assert.deepEqual(
      turns.map((turn) => turn.type),
      ["user", "assistant", "user", "user", "assistant"],
    );
  });

  it("H2 shows retries in a row as one line, with the newest", () => {
    const retry = (attempt: number) => {
      const error = { code: "overloaded", message: `Try ${attempt}`, next: "" } as const;
      return { type: "retry", attempt, error, time: attempt } as const;
    };
    const [segment] = segmentsOf([f.rondo([retry(1), retry(2), retry(3)])], true);
    assert(segment?.type === "activities");
    const lines = segment.activities.map((one) => one.type === "retry" && [one.part.error.message, one.times]);
    assert.deepEqual(lines, [["Try 3", 3]]);
  });

  it("collapses adjacent calls of one kind when all are done, and never a failed one", () => {
    const read = f.readDone("a.ts", 1);
    const failed = f.tool("read", { status: "error", input: {}, error: "gone", start: 0, end: 1 });
    assert.deepEqual(shape([read, read, f.editDone("a.ts"), read]), [[2, "tool", "tool"]]);
    assert.deepEqual(shape([read, read, failed, read]), [[2, "tool", "tool"]]);
    assert.deepEqual(shape([f.testFailed, f.testFailed]), [["tool", "tool"]]);
    assert.deepEqual(shape([read, f.said("x"), read]), [["tool"], "text", ["tool"]]);
  });

  it("does not collapse calls that may be followed by more", () => {
    const read = f.readDone("a.ts", 1);
    assert.deepEqual(shape([read, read], false), [["tool", "tool"]]);
    assert.deepEqual(shape([read, read, f.said("x")], false), [[2], "text"]);
  });
});

describe("the status line", () => {
  const ready = { type: "ready" } as const;
  const said = (change: Partial<Chat>, parts: f.LoosePart[] = [], now = 5000) => {
    const chat = f.chat("", [f.you("a"), f.rondo(parts)], change);
    const { words, time } = statusOf(chat, ready, chat.requests.length, now);
    return words + time;
  };
  const busy = { status: { type: "busy", since: 1000 } } as const;

  it("H1 describes the state", () => {
    assert.equal(said({}), "Ready");
    assert.equal(said(busy), "Thinking · 4 s");
    assert.equal(said(busy, [f.saying("He")]), "Answering · 4 s");
    const input = { command: "npm test" };
    assert.equal(said(busy, [f.tool("bash", { status: "running", input, start: 2000 })]), "Running npm test · 3 s");
    const status = { type: "retry", attempt: 1, message: "x", nextAt: 17_000, since: 0 } as const;
    assert.equal(said({ status }), "Retrying in 12 s");
    assert.equal(said({ ...busy, requests: [f.request(), f.editRequest] }), "Waiting for you · 1 of 2");
    const ended = { type: "ended", reason: "end_turn", durationMs: 72_000, steps: 9 } as const;
    assert.equal(said({ ended }), "Done in 1 min 12 s · 9 steps");
    assert.equal(said({ ended: { ...ended, reason: "aborted" } }), "Stopped by you");
  });

  it("H1 says why the turn stopped", () => {
    const stopped = (reason: ExitReason, code?: ErrorCode) => {
      const error = code === undefined ? undefined : { code, message: "x", next: "" };
      return said({ ended: { type: "ended", reason, error, durationMs: 1, steps: 3 } });
    };
    assert.equal(stopped("max_turns"), "Stopped: reached the limit of 3 steps");
    assert.equal(stopped("max_tokens", "max-tokens"), "Stopped: the reply hit the token limit");
    assert.equal(stopped("error_max_budget_usd"), "Stopped: the budget is used up");
    assert.equal(stopped("blocked"), "Stopped: you denied a step");
    assert.equal(stopped("blocked", "hook"), "Stopped by a hook");
    assert.equal(stopped("blocked", "doom-loop"), "Stopped: the model repeated itself");
    assert.equal(stopped("error", "bug"), "Stopped by an error");
    assert.equal(stopped("error", "execution-timeout"), "Stopped: reached the time limit");
    assert.equal(stopped("error_max_budget_usd", "price-unknown"), "Stopped: the price is unknown");
  });

  it("H6 counts the time without data until some arrives", () => {
    assert.equal(said({ ...busy, silentSince: 1000 }, [], 65_000), "Not responding for 1 min 4 s");
    assert.equal(said({ ...busy, silentSince: undefined }, [], 65_000), "Thinking · 1 min 4 s");
  });

  it("C3 says that the conversation is being compacted", () => {
    const compaction = f.unsaid({ type: "compaction", auto: true });
    const chat = f.chat("", [f.you("a"), compaction], busy);
    assert.equal(statusOf(chat, ready, 0, 5000).words, "Compacting");
    chat.messages.push(f.rondo([f.saying("So far")], { summary: true }));
    assert.equal(statusOf(chat, ready, 0, 5000).words, "Compacting");
  });

  it("C5 omits silent messages", () => {
    const chat = f.chat("", [f.you("a"), f.rondo([f.said("b")], { finish: "stop" })]);
    chat.messages.push(f.rondo([f.said("NO_REPLY")], { silent: true, finish: "interrupted" }));
    assert.equal(statusOf(chat, ready, 0, 5000).words, "Ready");
  });
});

describe("announcements", () => {
  function hear(events: ChatEvent[], chat: Chat): string | undefined {
    const announcements = new Announcements();
    for (const event of events) {
      apply(chat, event);
      announcements.addEvent(event, chat, f.review);
    }
    return announcements.take();
  }

  it("are sentences, not tokens", () => {
    const chat = f.chat("", [f.you("a"), f.rondo([f.saying("")])]);
    const part = chat.messages[1]?.parts[0];
    assert.ok(part);
    const deltas = ["The **sum** ", "is wro", "ng. It", " is `rou", "nded"].map(
      (text): ChatEvent => ({ type: "delta", messageID: part.messageID, partID: part.id, text }),
    );
    assert.equal(hear(deltas, chat), "The sum is wrong.");
  });

  it("do not end at a colon, nor after the number of a list's item", () => {
    for (const [text, spoken] of [
      ["Two things are wrong: the sum ", undefined],
      ["Two things are wrong: the sum is off. And", "Two things are wrong: the sum is off."],
      ["Do this:\n1. Round ", undefined],
      ["He said “no.” Then ", "He said “no.”"],
      ["This is **all.** Then ", "This is all."],
      ["هذا هو المجموع؟ ثم", "هذا هو المجموع؟"],
      ["It is 3.5 and ", undefined],
      ["First:\n\nThen ", "First:"],
    ] as const) {
      const chat = f.chat("", [f.you("a"), f.rondo([f.saying("")])]);
      const part = chat.messages[1]?.parts[0];
      assert.ok(part);
      assert.equal(hear([{ type: "delta", messageID: part.messageID, partID: part.id, text }], chat), spoken, text);
    }
  });

  it("count the files that were read, and end with the changes", () => {
    const entry = f.rondo([f.readDone("a", 1), f.readDone("b", 1), f.testFailed]);
    const parts = entry.parts.map((part): ChatEvent => ({ type: "part", part }));
    const ended = { type: "ended", reason: "end_turn", durationMs: 1, steps: 1 } as const;
    const chat = f.chat("", [{ ...entry, parts: [] }]);
    assert.equal(
      hear([...parts, ended], chat),
      "Read 2 files. Ran npm test -- cart, exit code 1. Done, 5 changes in 3 files.",
    );
  });

  it("C3 mention a compaction without its summary, and no silent messages", () => {
    const said = ["summary", "silent"].map((kind) => {
      const { info, parts } = f.rondo([f.said("A secret.")], { [kind]: true });
      const whole = { type: "message", message: { ...info, completedAt: 1 } } as ChatEvent;
      const all = parts.map((part): ChatEvent => ({ type: "part", part }));
      return hear([{ type: "message", message: info }, ...all, whole], f.chat("", [f.you("a")]));
    });
    assert.deepEqual(said, ["Conversation compacted.", undefined]);
  });

  it("describe a question with the parts that ask", () => {
    const asked = { type: "asked", request: f.request() } as const;
    assert.equal(hear([asked], f.chat("", [])), "Run this command? rm -rf coverage git push");
    const model = { type: "asked", request: questionRequest } as const;
    assert.equal(
      hear([model], f.chat("", [])),
      "Rondo asks 2 things. Which way should prices be rounded? Where is it to be done?",
    );
  });

  it("E1 mention that the conversation was rewound and restored", () => {
    const story = [f.you("a"), f.rondo([f.said("x")]), f.you("b")];
    const messageID = story[1]?.info.id ?? "";
    const back = { type: "rewound", messageID } as const;
    assert.equal(hear([back], f.chat("", structuredClone(story))), "2 messages set aside.");
    const again = { type: "rewound", messageID: null } as const;
    assert.equal(
      hear([back, again], f.chat("", structuredClone(story))),
      "2 messages set aside. The messages are back.",
    );
  });

  it("mention state changes of a background command since the last announcement", () => {
    const [running, waiting, ended] = commands;
    assert.ok(running && waiting && ended);
    const all = (...list: BackgroundCommand[]): ChatEvent => ({ type: "background", commands: list });
    const waits = { ...running, state: waiting.state };
    const over = { ...running, state: ended.state };
    assert.equal(hear([all(waiting, ended)], f.chat("", [])), undefined);
    assert.equal(
      hear([all(running, ended), all(waits, ended), all(over, ended), all(over, ended)], f.chat("", [])),
      "npm run dev -- --port 4173 waits for input: package name: (tinyshop) npm run dev -- --port 4173 ended in the background, exit code 1.",
    );
  });
});

describe("times", () => {
  it("are short", () => {
    assert.deepEqual([50, 3100, 9960, 72_000, 7_260_000].map(duration), [
      "0.1 s",
      "3.1 s",
      "10 s",
      "1 min 12 s",
      "2 h 1 min",
    ]);
    assert.equal(elapsed(-1), "0 s");
  });

  it("follow the calendar", () => {
    const now = new Date(2026, 4, 20, 0, 30).getTime();
    assert.equal(dayGroup(now - 3_600_000, now), "Yesterday");
    assert.deepEqual(
      [0, 5 * 60_000, 3_600_000, 3 * 86_400_000].map((ago) => when(now - ago, now)),
      ["now", "5 min", "Yesterday", "Sun"],
    );
  });
});
