/** The panel's data about subagents, compaction, mentions and costs, without rendering. */
import assert from "node:assert/strict";
import { apply, type Entry, newChat } from "../../src/chat/apply.ts";
import type { ChatEvent } from "../../src/chat/events.ts";
import { ownWords } from "../../src/chat/words.ts";
import {
  askerOf,
  joinDeltas,
  newestCalls,
  placeChild,
  repeated,
  requestsOf,
  workOf,
} from "../../webview/calls/subagents.ts";
import { mentionedNames } from "../../webview/composer/mentioned-names.ts";
import { mentionAt } from "../../webview/composer/mentions.ts";
import { keepSame, rowsOf } from "../../webview/conversation/log-rows.ts";
import { messageGroupsOf, segmentsOf } from "../../webview/conversation/message-groups.ts";
import { price, rough } from "../../webview/text/format.ts";
import * as f from "./fixtures.ts";
import { child, explorer } from "./loop-states.ts";

const delta = (partID: string, text: string): ChatEvent => ({ type: "delta", messageID: "m", partID, text });
const of = (sessionID: string, event: ChatEvent): ChatEvent => ({ type: "child", sessionID, event });

describe("events of subagents", () => {
  it("S1 are grouped by session, even when they alternate", () => {
    const some = [
      of("a", delta("1", "x")),
      of("b", delta("1", "p")),
      of("a", delta("1", "y")),
      of("b", of("c", delta("1", "s"))),
      of("b", delta("1", "q")),
      of("b", of("c", delta("1", "t"))),
      delta("1", "z"),
    ];
    assert.deepEqual(joinDeltas(some), [
      of("a", delta("1", "xy")),
      of("b", delta("1", "pq")),
      of("b", of("c", delta("1", "st"))),
      delta("1", "z"),
    ]);
  });

  it("S1 keep their order within a session", () => {
    const reset: ChatEvent = { type: "reset", messageID: "m" };
    const some = [delta("1", "x"), delta("2", "y"), delta("1", "z"), reset, delta("1", "w")];
    assert.deepEqual(joinDeltas(some), some);
  });

  it("S1 change the chat in the same way whether grouped or not", () => {
    const text = { id: "1", sessionID: "a", messageID: "m", type: "text", text: "" } as const;
    const info = { ...f.rondo([]).info, id: "m", sessionID: "a" };
    const start = [of("a", { type: "message", message: info }), of("a", { type: "part", part: text })];
    const some = [...start, of("a", delta("1", "He")), delta("9", "?"), of("a", delta("1", "llo"))];
    const [one, other] = [some, joinDeltas(some)].map((list) => {
      const chat = newChat(f.chat("", []).session);
      for (const event of list) apply(chat, event);
      return chat;
    });
    assert.deepEqual(one, other);
    assert.match(JSON.stringify(one), /"Hello"/);
  });
});

describe("the tree of subagents", () => {
  it("adds a chat to its parent", () => {
    const root = f.chat("", [], { children: { ses_2: child("ses_2", []) } });
    const below = child("ses_9", []);
    below.session.parentID = "ses_2";
    placeChild(root, below);
    assert.equal(root.children["ses_2"]?.children["ses_9"], below);
    placeChild(root, child("ses_8", []));
    assert.ok(root.children["ses_8"]);
  });

  it("contains each open question once", () => {
    const root = f.chat("", [], { requests: [f.request()], children: {} });
    root.children["ses_2"] = child("ses_2", [], { requests: [f.request(), f.editRequest] });
    assert.deepEqual(
      requestsOf(root).map(({ id }) => id),
      ["per_1", "per_2"],
    );
  });

  it("tells which agent asks", () => {
    const reply = f.rondo([], { agent: "explore" });
    const root = f.chat("", [], { children: { ses_2: child("ses_2", [reply]) } });
    assert.equal(askerOf(root, f.request()), undefined);
    assert.equal(askerOf(root, f.request({ sessionID: "ses_2" })), "explore");
    assert.equal(askerOf(root, f.request({ sessionID: "ses_9" })), "unknown");
  });

  it("B1 adds up the costs of all nested subagents, and says when some are unknown", () => {
    const { steps, tokens, cost, partial } = workOf(explorer);
    assert.deepEqual([steps, tokens, cost.toFixed(2), partial], [3, 4 * 9510, "0.12", false]);
    const reply = f.rondo([], { completedAt: 1 });
    assert.equal(workOf(child("x", [reply])).partial, true);
  });

  it("shows the newest calls, oldest first", () => {
    assert.deepEqual(
      newestCalls(explorer, 3).map(({ tool }) => tool),
      ["read", "task", "read"],
    );
    assert.equal(newestCalls(explorer, 99).length, 5);
  });

  it("T6 tells which call is repeated, and how often", () => {
    const again = f.tool("bash", { status: "pending", input: { command: "npm test -- cart" }, raw: "" }, "call_asks");
    const chat = f.chat("", [f.asked, f.rondo([f.testFailed, f.readDone("a", 1), f.testFailed]), f.rondo([again])]);
    const { starts, ...rest } = repeated(chat, f.loopRequest) ?? assert.fail();
    assert.deepEqual(rest, { verb: "Run", object: "npm test -- cart", times: 3 });
    assert.deepEqual([starts.length, starts.at(-1)], [3, undefined]);
    assert.ok(starts.slice(0, -1).every((start) => start !== undefined));
    assert.equal(repeated(f.chat("", []), f.loopRequest), undefined);
  });
});

describe("a compacted conversation", () => {
  const tokens = { input: 90_000, output: 1000, reasoning: 500, cacheRead: 4000, cacheWrite: 1000 };
  const before = [f.you("a"), f.rondo([f.said("b")], { tokens })];
  const marker = f.unsaid({ type: "compaction", auto: true }, { type: "text", text: "kept", synthetic: true });
  const summary = f.rondo([f.said("So far: b.")], { summary: true });

  it("C3 has one line for request and summary", () => {
    const turns = messageGroupsOf([
      ...before,
      marker,
      summary,
      f.unsaid({ type: "text", text: "Go on.", synthetic: true }),
    ]);
    assert.deepEqual(
      turns.map(({ type }) => type),
      ["user", "assistant", "compaction"],
    );
    const last = turns.at(-1);
    assert.ok(last?.type === "compaction");
    assert.deepEqual([last.auto, last.messages, last.tokens, last.summary], [true, 2, 96_000, summary]);
  });

  it("C3 continues in a turn of its own, and counts from there", () => {
    const turns = messageGroupsOf([...before, marker, summary, f.rondo([f.said("c")]), marker]);
    assert.deepEqual(
      turns.map(({ type }) => type),
      ["user", "assistant", "compaction", "assistant", "compaction"],
    );
    const last = turns.at(-1);
    assert.ok(last?.type === "compaction");
    assert.deepEqual([last.messages, last.summary], [1, undefined]);
  });

  it("C5 hides silent turns, and C4 prompts that are synthetic", () => {
    const hushed = { ...f.you("Write your notes."), info: { ...f.you("").info, silent: true } };
    const reply = f.rondo([f.said("NO_REPLY")], { silent: true });
    const going = f.unsaid({ type: "text", text: "Go on where it was cut.", synthetic: true });
    const turns = messageGroupsOf([...before, hushed, reply, going, f.rondo([f.said("c")])]);
    assert.deepEqual(
      turns.map((turn) => (turn.type === "assistant" ? turn.entries.length : turn.type)),
      ["user", 2],
    );
  });
});

describe("a hook's message for the user", () => {
  const notice: f.LoosePart = { type: "text", text: "Formatted.", ignored: true };

  it("is a notice, not a chat message", () => {
    assert.deepEqual(
      segmentsOf([f.rondo([f.said("a"), notice])], true).map(({ type }) => type),
      ["text", "notice"],
    );
    assert.equal(ownWords(f.you("mine", notice).parts), "mine");
  });
});

describe("mentions", () => {
  it("are found where they are written", () => {
    assert.deepEqual(mentionAt("ask @exp", 8), { start: 4, begun: "exp" });
    assert.deepEqual(mentionAt("@", 1), { start: 0, begun: "" });
    for (const text of ["me@home", "ask @exp now", "ask"]) assert.equal(mentionAt(text, text.length), undefined, text);
  });

  it("begin after brackets, quotes and new lines, and in languages without spaces; not in addresses, packages and code", () => {
    for (const before of ["", "see\n", "(", "[", '"', "„", "看", "看，", "「", "ask:"]) {
      const text = `${before}@exp`;
      assert.deepEqual(mentionAt(text, text.length), { start: before.length, begun: "exp" }, text);
    }
    for (const text of ["für@web", "a.b+c@web", "node_modules/@types", "`@Input", "é@x"]) {
      assert.equal(mentionAt(text, text.length), undefined, text);
    }
  });

  it("go on in a chosen folder whose name has spaces", () => {
    const folder = { start: 4, path: "my docs/" };
    assert.deepEqual(mentionAt("see @my docs/a", 14, folder), { start: 4, begun: "my docs/a" });
    assert.equal(mentionAt("see @my docs/a b", 16, folder), undefined);
    assert.equal(mentionAt("see @my dogs/a", 14, folder), undefined);
  });

  it('go on over an "@" that begins no name: in web addresses, scopes and names of pictures', () => {
    for (const begun of ["https://x.org/@me/post", "src/@types/a", "logo@2x", "react@18", "https://a:b@c.de"]) {
      const text = `see @${begun}`;
      assert.deepEqual(mentionAt(text, text.length), { start: 4, begun }, text);
    }
    assert.deepEqual(mentionAt("@one,@two", 9), { start: 5, begun: "two" });
    assert.deepEqual(mentionAt("@文件@two", 7), { start: 3, begun: "two" });
    assert.deepEqual(mentionAt("@a@b @c", 7), { start: 5, begun: "c" });
    assert.deepEqual(mentionAt("see @my docs/@types/a", 21, { start: 4, path: "my docs/" }), {
      ...{ start: 4, begun: "my docs/@types/a" },
    });
    const folder = { start: 0, path: "src/" };
    assert.deepEqual(mentionAt("@src/a,@two", 11, folder), { start: 7, begun: "two" });
    const long = `@${"a@".repeat(50_000)} `;
    const start = performance.now();
    assert.equal(mentionAt(long, long.length), undefined);
    assert.ok(performance.now() - start < 500);
  });

  it("are sent once each, and only for existing agents", () => {
    const names = ["explore", "general", "v1.2"];
    assert.deepEqual(mentionedNames("@general, then (@explore) and @explore: @nobody a@general", names), [
      "general",
      "explore",
    ]);
    assert.deepEqual(mentionedNames("@explore. @v1.2", names), ["explore", "v1.2"]);
    assert.deepEqual(mentionedNames("[@explore] 请@general，看", names), ["explore", "general"]);
    assert.deepEqual(mentionedNames("@explorer @explore-it @general.md @v1.2.3", names), []);
  });
});

describe("costs and sizes", () => {
  it("B1 never show an unknown value as zero", () => {
    assert.deepEqual(
      [price(0, false), price(0.004, false), price(1.5, true), price(0, true)],
      ["$0.00", "< $0.01", "at least $1.50", "unknown"],
    );
  });

  it("have as many digits as needed", () => {
    assert.deepEqual([0, 950, 1000, 1249, 9_960, 48_210, 999_600, 1_250_000].map(rough), [
      "0",
      "950",
      "1 k",
      "1.2 k",
      "10 k",
      "48 k",
      "1 M",
      "1.3 M",
    ]);
  });
});

describe("turns that are rendered again", () => {
  it("stay the same objects when nothing has changed", () => {
    const [mine, theirs, more] = [f.you("a"), f.rondo([f.said("b")]), f.rondo([f.said("c")])];
    const rows = (...messages: Entry[]) => messageGroupsOf(messages).flatMap((group) => rowsOf(group, true));
    const before = rows(mine, theirs, f.you("d"));
    const after = keepSame(before, rows(mine, more));
    assert.equal(after[0], before[0]);
    assert.notEqual(after[1], before[1]);
    // The message, the answer and its tools.
    assert.equal(after.length, 3);
  });
});
