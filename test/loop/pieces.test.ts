/** What the user drops and pins (C8): which requests hold it, what is known of files, and what survives. */
import assert from "node:assert/strict";
import type { Entry } from "../../src/chat/apply.ts";
import type { Part } from "../../src/chat/message.ts";
import { filesSeen } from "../../src/loop/calls/files-seen.ts";
import { estimateContext, visibleEntries } from "../../src/loop/context/context.ts";
import { IntakeError } from "../../src/loop/session/intake-error.ts";
import { exportMarkdown, exportTranscript } from "../../src/loop/transfer/export.ts";
import { eventsOf, forkAfter, forkChat } from "../../src/loop/transfer/fork.ts";
import { importTranscript } from "../../src/loop/transfer/import.ts";
import { replay } from "../../src/record/replay.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import type { Script } from "../scripted-model.ts";
import { big } from "../strict/stories.ts";
import { bareConfig } from "./bare.ts";
import { full, kinds, small, summarised } from "./compacting.ts";
import { type Harness, harnesses } from "./harness.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });
const gone = /taken this output out/;

/** The whole text of a request. */
const sent = (h: Harness, request: number) => JSON.stringify(h.model.requests[request]?.entries ?? []);

function partOf(h: Harness, is: (part: Part) => boolean): string {
  return h.chat.messages.flatMap(({ parts }) => parts).find(is)?.id ?? assert.fail("no such part");
}

const outputOf = (h: Harness, file: string) =>
  partOf(h, (part) => part.type === "tool" && part.state.input["file_path"] === file);
const words = (h: Harness, text: string) => partOf(h, (part) => part.type === "text" && part.text.includes(text));

const resultsIn = (entries: readonly Entry[]) =>
  entries.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool" && "output" in part.state ? [part.state.output] : [])),
  );

describe("what the user drops", () => {
  const open = harnesses();
  const files = { "a.txt": "alpha\n", "b.txt": "beta\n" };

  it("C8 an output is left out from the next request on; its call stays, and the record keeps all", async () => {
    const h = open([[read("a.txt"), read("b.txt")], ["Read."], ["Well."], ["Still."]], { files });
    await h.turn("Read.");
    await h.session.changePiece(outputOf(h, "a.txt"), "drop");
    assert.doesNotMatch(JSON.stringify(visibleEntries(h.chat)), gone, "nothing changes before the next request");
    await h.turn("Now?");
    await h.turn("And now?");
    for (const request of [2, 3]) {
      assert.match(sent(h, request), gone);
      assert.doesNotMatch(sent(h, request), /alpha/);
      assert.match(sent(h, request), /beta/);
    }
    assert.deepEqual(
      h.model.requests[2]?.entries.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool")).length,
      2,
    );
    assert.match(JSON.stringify(h.chat.messages), /alpha/);
    assert.equal(h.model.requests[2]?.unboundEntries, 3, "thoughts after it are left out, too");
    assert.equal(
      visibleEntries(h.chat).find(({ parts }) => parts.some(({ type }) => type === "tool")),
      visibleEntries(h.chat).find(({ parts }) => parts.some(({ type }) => type === "tool")),
      "the same entry each time, so that requests are continued",
    );
  });

  it("C8 a drop is taken back until a request was sent without it", async () => {
    const h = open([[read("a.txt")], ["Read."], ["One."], ["Two."]], { files });
    await h.turn();
    const id = outputOf(h, "a.txt");
    await h.session.changePiece(id, "drop");
    await h.session.changePiece(id, "put-back");
    await h.turn();
    assert.match(sent(h, 2), /alpha/);
    await h.session.changePiece(id, "drop");
    await h.turn();
    await assert.rejects(h.session.changePiece(id, "put-back"), IntakeError);
    assert.doesNotMatch(sent(h, 3), /alpha/);
  });

  it("C8 a request that is on its way stays as it is, and the next one of the turn lacks the part", async () => {
    let drop = (): unknown => undefined;
    const h = open([[read("a.txt")], { say: [read("b.txt")], before: () => drop() }, ["Done."]], { files });
    drop = () => h.session.changePiece(outputOf(h, "a.txt"), "drop");
    await h.turn();
    assert.match(sent(h, 1), /alpha/);
    assert.doesNotMatch(sent(h, 2), /alpha/);
    assert.match(sent(h, 2), gone);
  });

  it("C8 T12 a file whose content was dropped is read again before it is edited", async () => {
    const write = { call: "write", input: { file_path: "a.txt", content: "omega\n" } };
    const h = open([[read("a.txt")], ["Read."], [write, read("a.txt")], [write], ["Done."]], {
      files,
      mode: "bypassPermissions",
    });
    const path = `${h.folder}/a.txt`;
    await h.turn();
    await h.session.changePiece(outputOf(h, "a.txt"), "drop");
    assert.equal(filesSeen(h.chat).has(path), true, "it can still be put back");
    await h.turn("Change it.");
    const [, refused, , done] = h.results();
    assert.match(refused ?? "", /^ERROR .*read/i);
    assert.doesNotMatch(done ?? "", /^ERROR/);
    assert.equal(h.read("a.txt"), "omega\n");
    assert.equal(filesSeen(h.chat).has(path), true, "read again, it is known again, also after a reload");
    h.transcript.flush();
    assert.deepEqual(filesSeen(replay(h.transcript.path).chat), filesSeen(h.chat));
  });

  it("C8 files, comments, answers and earlier messages can be dropped; the message that is answered cannot", async () => {
    const url = "data:text/plain;base64,YWxwaGE=";
    const file = { type: "file", mime: "text/plain", filename: "a.txt", url } as const;
    const h = open([["First answer."], ["Second answer."], ["Third."]]);
    await h.turn("One.", { parts: [{ type: "text", text: "One secret." }, file] });
    await assert.rejects(h.session.changePiece(words(h, "One secret."), "drop"), /cannot be dropped/);
    await h.turn("Two.");
    for (const id of [words(h, "One secret."), words(h, "First answer."), partOf(h, (part) => part.type === "file")])
      await h.session.changePiece(id, "drop");
    await h.turn("Three.");
    assert.doesNotMatch(sent(h, 2), /One secret|First answer|YWxwaGE/);
    for (const left of [/taken this message out/, /taken this answer out/, /the file a\.txt out/, /Second answer/])
      assert.match(sent(h, 2), left);
  });

  it("C8 C2 what was dropped no longer counts before the next reply, and once after it", async () => {
    const big = `${"word ".repeat(400)}\n`;
    const h = open(
      [
        { say: [read("a.txt")] },
        { say: ["Read."], tokens: { input: 5000 } },
        { say: ["Well."], tokens: { input: 4000 } },
      ],
      {
        files: { "a.txt": big },
      },
    );
    await h.turn();
    const config = bareConfig(100_000);
    const size = () => estimateContext(visibleEntries(h.chat), config);
    const before = size();
    await h.session.changePiece(outputOf(h, "a.txt"), "drop");
    assert.equal(size(), before);
    let asked = 0;
    h.session.listen(({ type }) => {
      if (type === "piece") asked = size();
    });
    await h.turn("Go on.");
    assert.ok(asked < before - 300, `${asked} of ${before}`);
    assert.equal(size(), 4005, "the next reply's count holds as it is");
  });

  it("C8 R1 R3 a killed process and a reload keep a drop that waits, and one that holds", async () => {
    const h = open([[read("a.txt"), read("b.txt")], ["Read."], ["Well."]], { files });
    await h.turn();
    await h.session.changePiece(outputOf(h, "a.txt"), "drop");
    await h.turn();
    await h.session.changePiece(outputOf(h, "b.txt"), "drop");
    // As after a kill: only what is on disk.
    const { chat } = replay(h.transcript.path);
    assert.deepEqual(chat.pieces, h.chat.pieces);
    const again = open([["Again."]], { chat, files });
    assert.equal(again.session.contextUse().pieces.find(({ dropped }) => dropped)?.name, "b.txt");
    await again.turn();
    assert.doesNotMatch(sent(again, 0), /alpha|beta/);
  });

  it("C8 R6 forks and transcripts take pins and drops along, with the ids of the copy", async () => {
    const h = open([[read("a.txt"), read("b.txt")], ["Read."], ["Well."]], { files });
    await h.turn();
    await h.session.changePiece(outputOf(h, "a.txt"), "drop");
    await h.turn();
    await h.session.changePiece(outputOf(h, "b.txt"), "pin");
    const last = h.chat.messages.at(-1)?.info.id ?? "";
    const asked = h.chat.messages.findLast(({ info }) => info.role === "user")?.info.id ?? "";
    const copies = [
      forkAfter(h.chat, last),
      forkChat(h.chat, asked),
      importTranscript(exportTranscript(h.chat), "/new"),
    ];
    for (const copy of copies) {
      assert.deepEqual(
        Object.values(copy.pieces).map(({ pinned, dropped }) => [pinned, dropped !== null]),
        [
          [false, true],
          [true, false],
        ],
      );
      const text = JSON.stringify(visibleEntries(copy));
      assert.match(text, gone);
      assert.doesNotMatch(text, /alpha/);
      const ids = copy.messages.flatMap(({ parts }) => parts.map(({ id }) => id));
      for (const id of Object.keys(copy.pieces)) assert.ok(ids.includes(id));
      assert.ok([...eventsOf(copy)].filter(({ type }) => type === "piece").length === 2);
    }
  });

  it("C8 C3 a dropped message does not come back with a compaction", async () => {
    const h = open(summarised(["The summary."], [["One."], ["Two."], ["Three."]]));
    await h.turn("My password is cucumber.");
    await h.turn("Go on.");
    await h.session.changePiece(words(h, "cucumber"), "drop");
    await h.session.compact();
    await h.turn("And on.");
    assert.deepEqual(
      h.model.requests.map((_, request) => /cucumber/.test(sent(h, request))),
      [true, true, false, false],
    );
  });

  it("C8 a rewind forgets what was dropped with the messages that go", async () => {
    const h = open([["One."], [read("a.txt")], ["Two."], ["Three."]], { files });
    await h.turn("First.");
    await h.turn("Second.");
    await h.session.changePiece(outputOf(h, "a.txt"), "drop");
    await h.session.rewind(
      h.chat.messages.find(({ parts }) => JSON.stringify(parts).includes("Second."))?.info.id ?? "",
    );
    await h.turn("Another.");
    assert.deepEqual(h.chat.pieces, {});
  });
});

describe("what the user pins", () => {
  const open = harnesses();

  it("C8 C6 a pinned output is not pruned, and one that is unpinned later stays until the next pruning", async () => {
    let pin = (): unknown => undefined;
    const script: Script = (_, index) =>
      index < 16 ? { say: [{ call: "big", input: { n: index } }], before: () => index === 5 && pin() } : ["Done."];
    const h = open(script, { tools: [...coreTools, big] });
    pin = () => h.session.changePiece(h.calls[1]?.id ?? assert.fail(), "pin");
    await h.turn();
    const left = () => resultsIn(visibleEntries(h.chat)).map((output) => /left out/.test(output));
    assert.deepEqual(left().slice(0, 5), [true, false, true, true, true]);
    await h.session.changePiece(h.calls[1]?.id ?? "", "unpin");
    await h.session.changePiece(h.calls[0]?.id ?? "", "pin");
    await h.turn();
    assert.deepEqual(left().slice(0, 5), [true, false, true, true, true], "the prefix holds");
    const copy = forkChat(h.chat, h.chat.messages.at(-2)?.info.id ?? "");
    assert.deepEqual(
      resultsIn(visibleEntries(copy)).map((output) => /left out/.test(output)),
      left(),
    );
  });

  it("C8 C3 pinned parts are kept word for word through two compactions, in their order", async () => {
    const h = open(
      summarised(
        ["The summary."],
        [[read("a.txt")], ["Answer to keep."], { say: [read("b.txt")], tokens: full }, ["Done."], ["More."], ["Last."]],
      ),
      { ...small, files: { "a.txt": "alpha\n", "b.txt": "beta\n" } },
    );
    await h.turn("Read a.");
    await h.session.changePiece(words(h, "Answer to keep."), "pin");
    await h.session.changePiece(outputOf(h, "a.txt"), "pin");
    await h.turn("Read b.");
    assert.deepEqual(kinds(h), ["step", "step", "step", "summary", "step"]);
    const pins = (request: number) => sent(h, request).match(/alpha|Answer to keep/g);
    assert.deepEqual(pins(4), ["alpha", "Answer to keep"]);
    assert.doesNotMatch(sent(h, 4), /beta/);
    await h.session.compact();
    await h.turn("And now?");
    assert.deepEqual(pins(6), ["alpha", "Answer to keep"]);
    assert.deepEqual(
      h.session
        .contextUse()
        .pieces.filter(({ pinned }) => pinned)
        .map(({ name }) => name),
      ["a.txt", "“Answer to keep.”"],
    );
    assert.doesNotMatch(exportMarkdown(h.chat), /Pinned by the user/);
    // Dropped, the copy goes, too.
    await h.session.changePiece(outputOf(h, "a.txt"), "drop");
    await h.turn("Well?");
    assert.deepEqual(pins(7), ["Answer to keep"]);
  });

  it("C8 C3 what does not fit beside the summary is unpinned, and the user is told", async () => {
    const big = `${"word ".repeat(100)}\n`.repeat(100);
    const h = open(
      summarised(["The summary."], [[read("a.txt"), read("c.txt"), read("b.txt")], ["Read."], ["Done."]]),
      {
        ...small,
        files: { "a.txt": big, "b.txt": "beta\n", "c.txt": big },
      },
    );
    await h.turn();
    for (const name of ["a.txt", "b.txt", "c.txt"]) await h.session.changePiece(outputOf(h, name), "pin");
    await h.session.compact();
    await h.turn();
    assert.deepEqual(h.told(), ["c.txt is no longer pinned: it does not fit beside the summary of the conversation."]);
    assert.match(sent(h, h.model.requests.length - 1), /beta/);
    assert.equal(sent(h, h.model.requests.length - 1).match(/Pinned by the user: the output of read/g)?.length, 2);
  });

  it("C8 what is pinned while the summary is written stays; a file with its bytes, and no prompt begins with it", async () => {
    const url = "data:text/plain;base64,YWxwaGE=";
    const file = { type: "file", mime: "text/plain", filename: "a.txt", url } as const;
    let pin = (): unknown => undefined;
    const h = open((request) =>
      request.toolUse === "none" ? { say: ["The summary."], before: () => pin() } : ["Well."],
    );
    await h.turn("One.", { parts: [{ type: "text", text: "Look." }, file] });
    pin = () =>
      h.session.changePiece(
        partOf(h, (part) => part.type === "file"),
        "pin",
      );
    await h.session.compact();
    const end = await h.turn("Two.");
    assert.equal(end.reason, "end_turn");
    assert.match(sent(h, 2), /YWxwaGE/);
    assert.equal(h.model.requests[2]?.entries.filter(({ info }) => info.role === "user").length, 2);
  });

  it("C8 B2 the cost of a drop is what the cache no longer gives, and nothing without a cache", async () => {
    const counts = { input: 10, cacheRead: 40_000, cacheWrite: 2_000 };
    const h = open(
      [[read("a.txt")], { say: ["Read."], tokens: counts }, { say: ["Read."], tokens: { input: 42_000 } }],
      {
        files: { "a.txt": "alpha\n" },
      },
    );
    await h.turn();
    assert.equal(h.session.contextUse().dropCost, undefined);
    await h.session.changePiece(outputOf(h, "a.txt"), "drop");
    const { dropCost, cache } = h.session.contextUse();
    assert.ok((dropCost?.usd ?? 0) > 0.05 && (dropCost?.usd ?? 0) < 0.3, `${dropCost?.usd}`);
    assert.partialDeepStrictEqual(cache, { read: 40_000, written: 2_000, sent: 42_010 });
    await h.turn();
    await h.session.changePiece(words(h, "Read."), "drop");
    assert.deepEqual(h.session.contextUse().dropCost, { usd: 0 });
  });
});
