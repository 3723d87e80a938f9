/** C9: what holds of a fresh context afterwards: in a compaction, a fork, a rewind, a reload, an export; and how full it says it is. */
import assert from "node:assert/strict";
import { type Chat, isFinishedSummary } from "../../src/chat/apply.ts";
import type { Part } from "../../src/chat/message.ts";
import { contextSize } from "../../src/chat/token-counts.ts";
import { visibleEntries } from "../../src/loop/context/context.ts";
import { contextShare } from "../../src/loop/context/context-share.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import { buildPrompt } from "../../src/loop/session/plan-offer.ts";
import { exportMarkdown, exportTranscript } from "../../src/loop/transfer/export.ts";
import { forkAfter, forkChat } from "../../src/loop/transfer/fork.ts";
import { importTranscript } from "../../src/loop/transfer/import.ts";
import { KnownFacts } from "../../src/providers/catalog/model-facts.ts";
import { replay } from "../../src/record/replay.ts";
import type { Said } from "../scripted-model.ts";
import { small, summarised } from "./compacting.ts";
import { type Harness, type HarnessOptions, harnesses } from "./harness.ts";

const plan = "I looked at it.\n\n# Plan\n1. Write b.txt.";
const read = { call: "read", input: { file_path: "a.txt" } };
const facts = new KnownFacts({ limits: () => defaultLimits });

/** The whole text of the newest request. */
const sent = (h: Harness) => JSON.stringify(h.model.requests.at(-1)?.entries ?? []);
const shown = (chat: Chat) => JSON.stringify(visibleEntries(chat));
const idOf = (chat: Chat, is: (part: Part) => boolean) =>
  chat.messages.flatMap(({ parts }) => parts).find(is)?.id ?? assert.fail("no such part");
const messageWith = (chat: Chat, text: string) =>
  chat.messages.find(({ parts }) => JSON.stringify(parts).includes(text))?.info.id ?? assert.fail(text);

describe("after a fresh context", () => {
  const open = harnesses();

  /** Plans with a comment of the user on the plan, and stops before it is built. */
  async function planned(later: Said[][], more: HarnessOptions = {}, reads: Said[] = [read]): Promise<Harness> {
    const planning = [{ say: reads }, { say: [plan] }, { say: [plan], tokens: { input: 90_000, output: 100 } }];
    const h = open(summarised(["A summary."], [...planning, ...later]), {
      files: { "a.txt": "alpha\n" },
      mode: "plan",
      ...more,
    });
    await h.turn("Make b.txt, secretly.");
    const place = { type: "plan", planID: h.chat.messages.at(-1)?.info.id ?? "" } as const;
    const source = { start: 2, end: 2, text: "1. Write b.txt." };
    await h.session.prompt({
      parts: [{ type: "comment", commentID: "c1", number: 1, text: "In small letters.", place, source }],
    });
    return h;
  }

  async function build(h: Harness): Promise<void> {
    const request = await h.asked("plan");
    h.session.answer(request.id, { kind: "plan", type: "build", mode: "acceptEdits", fresh: true });
    h.session.startBuilding("acceptEdits");
    await h.session.prompt({ parts: [{ type: "text", text: buildPrompt }] }, "queue", request.messageID);
  }

  it("C9 the meter shows the estimate of the new conversation at once, and the count with the next reply", async () => {
    const h = await planned([["Built."]]);
    const before = contextShare(h.chat, facts) ?? assert.fail();
    const seen: number[] = [];
    h.session.listen(() => {
      const last = h.chat.messages.at(-1);
      if (last && isFinishedSummary(last)) seen.push(contextShare(h.chat, facts) ?? assert.fail());
    });
    await build(h);
    // Reported were 90,000 tokens; what is left has some thousand, with the tools.
    assert.ok(seen.length > 0);
    for (const share of seen) assert.ok(share > 0 && share < before / 4, `${seen} of ${before}`);
    const reply = h.chat.messages.at(-1)?.info;
    assert.ok(reply?.role === "assistant" && !reply.summary);
    assert.equal(contextShare(h.chat, facts), contextSize(reply.tokens) / facts.of(reply.model).contextWindow);
  });

  it("C9 C3 a compaction brings back the plan and the words since, and nothing of the planning", async () => {
    const h = await planned([["Built."], ["More done."], ["Last."], ["Well."]]);
    await build(h);
    await h.turn("More of it.");
    for (const answer of ["Last.", "Well."]) {
      await h.session.compact();
      await h.turn("And now?");
      assert.match(JSON.stringify(h.chat.messages.at(-1)?.parts), new RegExp(answer));
      const text = sent(h);
      assert.doesNotMatch(text, /secretly|I looked at it|a\.txt/);
      assert.match(text, /The plan that the user wants built\\n# Plan\\n1\. Write b\.txt\./);
      assert.match(text, /In small letters/);
      assert.match(text, /- Start building: carry out the plan\.\\n- More of it\./);
    }
    h.checkRecord();
  });

  it("C9 C3 a second fresh context forgets the first plan, also after a compaction", async () => {
    const second = "# Plan\n1. Write c.txt.";
    const h = await planned([["Built."], [second], ["Built again."], ["Well."]]);
    await build(h);
    h.session.setMode("plan");
    await h.turn("Now plan c.txt.");
    await build(h);
    assert.doesNotMatch(sent(h), /b\.txt|small letters|secretly/);
    await h.session.compact();
    await h.turn("And now?");
    assert.doesNotMatch(sent(h), /b\.txt|small letters|secretly|Now plan/);
    assert.match(sent(h), /wants built\\n# Plan\\n1\. Write c\.txt/);
  });

  it("C9 C8 what is pinned goes on with the plan, and what is dropped does not", async () => {
    const h = await planned([["Built."], ["Well."]]);
    await h.session.changePiece(
      idOf(h.chat, ({ type }) => type === "tool"),
      "pin",
    );
    await h.session.changePiece(
      idOf(h.chat, ({ type }) => type === "comment"),
      "drop",
    );
    await build(h);
    assert.equal(sent(h).match(/alpha/g)?.length, 1);
    assert.match(sent(h), /Pinned by the user: the output of read/);
    assert.doesNotMatch(sent(h), /small letters/);
    assert.deepEqual(
      h.session
        .contextUse()
        .pieces.filter(({ pinned }) => pinned)
        .map(({ name }) => name),
      ["a.txt"],
    );
    await h.session.compact();
    await h.turn("And now?");
    assert.equal(sent(h).match(/alpha/g)?.length, 1);
    assert.doesNotMatch(sent(h), /small letters/);
    h.checkRecord();
  });

  it("C9 C8 what does not fit beside the plan is unpinned, and the user is told", async () => {
    const big = `${"word ".repeat(100)}\n`.repeat(100);
    const files = { "a.txt": big, "c.txt": big.replaceAll("word", "text") };
    const reads = Object.keys(files).map((name) => ({ call: "read", input: { file_path: name } }));
    const h = await planned([["Built."]], { ...small, files }, reads);
    for (const { id, type } of h.chat.messages.flatMap(({ parts }) => parts)) {
      if (type === "tool") await h.session.changePiece(id, "pin");
    }
    await build(h);
    assert.match(sent(h), /word word/);
    assert.doesNotMatch(sent(h), /text text/);
    assert.deepEqual(h.told(), ["c.txt is no longer pinned: it does not fit beside the plan."]);
  });

  it("C9 R1 a reload from the disk goes on from the plan: the next request is what it would have been", async () => {
    const h = await planned([["Built."], ["Well."]]);
    await build(h);
    h.transcript.flush();
    const { chat } = replay(h.transcript.path);
    assert.equal(shown(chat), shown(h.chat));
    assert.equal(contextShare(chat, facts), contextShare(h.chat, facts));
    const again = open([["Well."]], { chat, mode: "acceptEdits", folder: h.folder });
    await again.turn("And now?");
    await h.turn("And now?");
    const requests = [h, again].map(({ model }) => model.requests.at(-1) ?? assert.fail());
    const [a, b] = requests.map(({ system, tools, entries }) => ({
      system,
      tools,
      texts: entries.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : part.type))),
    }));
    assert.deepEqual(b, a);
  });

  it("C9 a fork after it, at it and before it holds what the conversation held there", async () => {
    const h = await planned([["Built."]]);
    await build(h);
    const fresh = h.chat.messages.find(({ parts }) => parts[0]?.type === "compaction")?.info.id ?? "";
    const after = forkAfter(h.chat, h.chat.messages.at(-1)?.info.id ?? "");
    assert.doesNotMatch(shown(after), /secretly/);
    assert.match(shown(after), /Write b\.txt/);
    for (const copy of [forkChat(h.chat, fresh), forkAfter(h.chat, messageWith(h.chat, "I looked at it"))]) {
      assert.match(shown(copy), /secretly/);
      assert.doesNotMatch(shown(copy), /built with a fresh context/);
    }
    const ids = new Set(after.messages.map(({ info }) => info.id));
    const pointers = after.messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === "compaction"
          ? [part.plan]
          : part.type === "comment" && "planID" in part.place
            ? [part.place.planID]
            : [],
      ),
    );
    assert.equal(pointers.length, 2);
    for (const id of pointers) assert.ok(ids.has(id ?? ""), "it names the plan of the copy");
    const forked = open(summarised(["A summary."], [["Forked."], ["Well."]]), { chat: after, mode: "acceptEdits" });
    await forked.turn("Go on.");
    await forked.session.compact();
    await forked.turn("And now?");
    assert.doesNotMatch(sent(forked), /secretly/);
    assert.match(sent(forked), /wants built\\n# Plan/);
  });

  it("C9 a rewind to before it brings the planning back, also into the next request and a compaction; its undo does not", async () => {
    const h = await planned([["Built."], ["Planned again."], ["Well."]]);
    await build(h);
    const whole = shown(h.chat);
    const fresh = h.chat.messages.find(({ parts }) => parts[0]?.type === "compaction")?.info.id ?? "";
    await h.session.rewind(fresh);
    await h.session.rewind(null);
    assert.equal(shown(h.chat), whole);
    await h.session.rewind(fresh);
    assert.ok((contextShare(h.chat, facts) ?? 0) > 0);
    await h.turn("Plan it another way.");
    assert.match(sent(h), /secretly/);
    assert.doesNotMatch(sent(h), /fresh context/);
    assert.equal(h.model.requests.at(-1)?.unboundEntries, visibleEntries(h.chat).length - 2, "the prefix is another");
    await h.session.compact();
    await h.turn("And now?");
    assert.match(sent(h), /- Make b\.txt, secretly\./);
    assert.doesNotMatch(sent(h), /wants built/);
    const { chat } = replay(h.transcript.path);
    assert.equal(shown(chat), shown(h.chat));
    h.checkRecord();
  });

  it("C9 R6 an export that is imported goes on from the plan, and Markdown says where it began", async () => {
    const h = await planned([["Built."]]);
    await build(h);
    const copy = importTranscript(exportTranscript(h.chat), "/new");
    assert.doesNotMatch(shown(copy), /secretly/);
    assert.match(shown(copy), /Write b\.txt/);
    assert.match(exportMarkdown(h.chat), /A fresh context began here/);
    assert.doesNotMatch(exportMarkdown(h.chat), /was compacted/);
  });
});
