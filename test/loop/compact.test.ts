import assert from "node:assert/strict";
import { recentFailure } from "../../src/loop/context/compact.ts";
import { visibleEntries } from "../../src/loop/context/context.ts";
import { replay } from "../../src/record/replay.ts";
import { failure } from "../scripted-model.ts";
import { entriesOf, full, isSummary, kinds, small, summarised, textOf } from "./compacting.ts";
import { type Harness, harnesses, until } from "./harness.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });

/** Moves all summaries so many minutes into the past. */
function ago(h: Harness, minutes: number): void {
  for (const { info } of h.chat.messages) {
    if (info.role !== "assistant" || !info.summary) continue;
    const event = { type: "message", message: { ...info, completedAt: Date.now() - minutes * 60_000 } } as const;
    h.transcript.append(event);
    h.session.catchUp([event]);
  }
}

describe("compaction", () => {
  const open = harnesses();

  it("C3 L6 L7 C1 a full window requests a compaction, which the next round runs, and the work continues", async () => {
    const script = summarised(["The summary."], [{ say: [read("a.txt")], tokens: full }, ["Done."]]);
    const h = open(script, { ...small, files: { "a.txt": "x" } });
    assert.deepEqual(await h.turn("Read a.txt."), { reason: "end_turn", error: undefined });
    assert.deepEqual(kinds(h), ["step", "summary", "step"]);
    const asked = h.chat.messages.find(({ parts }) => parts.some(({ type }) => type === "compaction"));
    const part = asked?.parts.find((one) => one.type === "compaction");
    assert.equal(part?.type === "compaction" && part.auto, true);
    const summary = h.chat.messages.find(({ info }) => info.role === "assistant" && info.summary)?.info;
    assert.equal(summary?.role === "assistant" && summary.parentID, asked?.info.id);
    const entries = entriesOf(h, 2);
    assert.equal(entries[0]?.info.id, asked?.info.id);
    assert.equal(textOf(entries[1]), "The summary.");
    assert.match(textOf(entries.at(-1)), /compacted.*Go on/);
    assert.equal(h.text(), "Done.");
    assert.equal(h.chat.messages.length, 6, "the record keeps what was compacted");
  });

  it("C7 C3 the request for the summary begins with exactly the bytes of the previous one", async () => {
    const h = open(summarised(["The summary."], [{ say: [read("a.txt")], tokens: full }, ["Done."]]), {
      ...small,
      files: { "a.txt": "x" },
    });
    await h.turn();
    const [before, summary] = h.model.requests;
    assert.deepEqual(summary?.entries.slice(0, before?.entries.length), before?.entries);
    assert.equal(summary?.system, before?.system);
    assert.deepEqual(summary?.tools, before?.tools, "tools are told, but may not be called");
    assert.match(textOf(summary?.entries.at(-1)), /Sum up the conversation/);
  });

  it("C3 the user's last message, open files and open to-dos are kept verbatim", async () => {
    const todo = (content: string, status: string) => ({ content, status });
    const h = open(
      summarised(
        ["S"],
        [
          [{ call: "write", input: { file_path: "made.txt", content: "x" } }, read("a.txt")],
          ["Half done."],
          { say: [read("a.txt")], tokens: full },
          ["Done."],
        ],
      ),
      { ...small, files: { "a.txt": "x" }, mode: "bypassPermissions" },
    );
    await h.turn("Never touch the file `b.txt`!");
    // The to-do tool is not offered; a record may contain its calls.
    const reply = h.chat.messages[1] ?? assert.fail();
    const call = reply.parts.find((part) => part.type === "tool") ?? assert.fail();
    if (call.type === "tool" && call.state.status === "completed") {
      const input = { todos: [todo("write b", "completed"), todo("test it", "in_progress")] };
      reply.parts.push({ ...call, id: "prt_todo", tool: "todo_write", state: { ...call.state, input } });
    }
    await h.session.prompt({ parts: [{ type: "text", text: "Go on." }] });
    const kept = textOf(entriesOf(h, h.model.requests.length - 1)[0]);
    assert.ok(kept.includes("Never touch the file `b.txt`!"), kept);
    assert.match(kept, /made\.txt \(changed\)/);
    assert.match(kept, /a\.txt \(read\)/);
    assert.match(kept, /\[in_progress\] test it/);
    assert.ok(!kept.includes("write b"));
    reply.parts.pop();
  });

  it("C3 the user's last prompt is repeated verbatim after the summary", async () => {
    const h = open(summarised(["S"], [{ say: ["Hello."], tokens: full }, ["Bye."]]), small);
    await h.turn("Hi.");
    assert.equal(h.model.requests.length, 1, "nothing is compacted when the turn is over");
    await h.turn("The very question?");
    assert.deepEqual(kinds(h), ["step", "summary", "step"]);
    const entries = entriesOf(h, 2);
    assert.equal(textOf(entries[1]), "S");
    assert.match(textOf(entries[2]), /The very question\?$/);
    assert.equal(entries.length, 3);
  });

  it("C3 it shortens its own request: oldest outputs first, then the oldest steps", async () => {
    const long = `${"word ".repeat(10)}\n`.repeat(350);
    const replies = ["a", "b", "c", "d"].map((name) => ({ say: [read(`${name}.txt`)], tokens: "none" as const }));
    const h = open(summarised(["S"], [...replies, ["Done."]]), {
      ...small,
      files: { "a.txt": long, "b.txt": long, "c.txt": long, "d.txt": long },
    });
    await h.turn("Read them.");
    const summary = h.model.requests.find(isSummary);
    const outputs = (summary?.entries ?? []).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool" && part.state.status === "completed" ? [part.state.output] : [])),
    );
    assert.match(outputs[0] ?? "", /left out/);
    assert.ok((outputs.at(-1)?.length ?? 0) > 10_000, "the newest stays");
    assert.equal(summary?.entries[0]?.info.role, "user");
  });

  it("C3 Q1 by hand: not while a prompt that came at the same moment runs", async () => {
    const h = open(summarised(["S"], [["One."], ["Two."]]));
    await h.turn("First.");
    const prompt = h.send("Second.");
    await assert.rejects(h.session.compact(), /Rondo is working/);
    await prompt;
    assert.deepEqual(kinds(h), ["step", "step"]);
    assert.equal(h.chat.status.type, "idle");
  });

  it("C3 by hand: a turn of its own, not marked as automatic", async () => {
    const h = open(summarised(["S"], [["Hello."], ["Bye."]]), small);
    await h.turn("Hi.");
    assert.equal((await h.session.compact()).reason, "end_turn");
    const part = h.chat.messages[2]?.parts.find((one) => one.type === "compaction");
    assert.equal(part?.type === "compaction" && part.auto, false);
    assert.equal(h.model.requests.length, 2, "nothing is answered after it");
    await h.turn("More.");
    assert.equal(textOf(entriesOf(h, 2)[1]), "S");
    h.checkRecord();
  });

  it("C3 L11 by hand after Stop: the stopped work is not continued", async () => {
    const h = open(summarised(["S"], [["Hello."], { say: ["Half"], hang: true }, ["Bye."]]), small);
    await h.turn("Hi.");
    const turn = h.turn("Work.");
    await until(() => h.text() === "Half");
    await h.session.stop();
    await turn;
    assert.equal((await h.session.compact()).reason, "end_turn");
    assert.deepEqual(kinds(h), ["step", "step", "summary"]);
  });

  it("C3 a summary that fails ends the turn where nothing fits, with a report of what fills the window, and pauses", async () => {
    const others = [{ say: [read("a.txt")], tokens: { input: 21_000 } }];
    const h = open(summarised([{ thinking: "Hm." }], others), { ...small, files: { "a.txt": "x" } });
    const { reason, error } = await h.turn();
    assert.equal(reason, "error");
    assert.equal(error?.code, "context-full");
    assert.match(error?.message ?? "", /20,000 tokens.*system prompt and tools [\d,]+, outputs of tools [\d,]+/);
    assert.match(error?.message ?? "", /The model gave no summary\..* tries again after 2 minutes/);
    assert.deepEqual(kinds(h), ["step", "summary", "summary"]);
    const again = await h.turn("And now?");
    assert.equal(again.error?.code, "context-full");
    assert.equal(kinds(h).length, 3, "nothing is sent while it pauses");
    ago(h, 2);
    await h.turn("Now?");
    assert.equal(kinds(h).length, 4, "once");
    ago(h, 3);
    await h.turn("Now?");
    assert.equal(kinds(h).length, 4, "the pause doubles");
    ago(h, 4);
    await h.turn("Now?");
    assert.equal(kinds(h).length, 5);
    h.checkRecord();
  });

  it("C3 while summaries pause, the work goes on as long as it fits, and the user is told; by hand it is tried at once", async () => {
    let summary = "";
    const replies = [{ say: ["Hello."], tokens: full }, { say: ["Again."], tokens: full }, ["Third."], ["Fourth."]];
    const left = [...replies];
    const h = open((request) => (isSummary(request) ? [summary] : (left.shift() ?? [])), small);
    await h.turn("Hi.");
    assert.equal((await h.turn("More.")).reason, "end_turn");
    assert.equal((await h.turn("More.")).reason, "end_turn");
    assert.deepEqual(kinds(h), ["step", "summary", "summary", "step", "step"]);
    assert.match(h.told().join(), /^Compacting the conversation failed: The model gave no summary\. Rondo tries again/);
    h.transcript.flush();
    assert.ok(recentFailure(replay(h.transcript.path).chat), "a reload does not end the pause");
    summary = "S";
    assert.equal((await h.session.compact()).reason, "end_turn");
    assert.equal(recentFailure(h.chat), undefined);
    await h.turn("Last.");
    assert.deepEqual(kinds(h).slice(5), ["summary", "step"]);
  });

  it("C3 a summary that was not even begun is no reason to pause", async () => {
    const script = summarised({ fail: failure("auth") }, [{ say: ["Hello."], tokens: full }]);
    const h = open(script, small);
    await h.turn("Hi.");
    for (const count of [2, 3]) {
      assert.equal((await h.turn("More.")).error?.code, "auth");
      assert.equal(kinds(h).length, count);
    }
  });

  it("C3 a prompt that cannot fit is rejected with its size, and nothing is sent", async () => {
    const h = open([["Never."]], small);
    const { reason, error } = await h.turn("word ".repeat(20_000));
    assert.equal(reason, "error");
    assert.match(error?.message ?? "", /context window of 20,000 tokens.*messages 2\d,\d{3}/);
    assert.equal(h.model.requests.length, 0);
  });

  it("H2 C3 a context that the server rejects as too long is compacted, and the request is sent again", async () => {
    const h = open(summarised(["S"], [["Hello."], { fail: failure("context-full") }, ["Bye."]]), {});
    await h.turn("Hi.");
    assert.deepEqual(await h.turn("More."), { reason: "end_turn", error: undefined });
    assert.deepEqual(kinds(h), ["step", "step", "summary", "step"]);
    assert.equal(h.text(), "Bye.");
    const failed = h.chat.messages.flatMap(({ info }) => (info.role === "assistant" && info.error ? [info] : []));
    assert.deepEqual(failed, [], "no error is left in the chat");
  });

  it("L11 Stop during the summary: the history does not change", async () => {
    const h = open(summarised({ say: ["Half"], hang: true }, [{ say: ["Hello."], tokens: full }, ["Bye."]]), small);
    await h.turn("Hi.");
    const turn = h.turn("More.");
    await until(() => h.chat.messages.some((entry) => textOf(entry) === "Half"));
    await h.session.stop();
    assert.equal((await turn).reason, "interrupted");
    h.checkRecord();
    const words = visibleEntries(h.chat).map(textOf);
    assert.match(words[0] ?? "", /Hi\.$/);
    assert.deepEqual(words.slice(1), ["Hello.", "More."]);
  });

  it("C7 K4 the project is read with each prompt, and after it", async () => {
    let reads = 0;
    const h = open(summarised(["S"], [{ say: ["Hello."], tokens: full }, ["Bye."]]), {
      ...small,
      project: {
        get branch() {
          reads += 1;
          return "main";
        },
      },
    });
    await h.turn("Hi.");
    assert.equal(reads, 1);
    await h.turn("More.");
    assert.equal(reads, 3);
  });

  it("C3 Q2 a prompt between request and summary is neither lost nor misplaced", async () => {
    const cut = { say: ["Half"], finish: "length", tokens: full, before: () => h.send("And this?") } as const;
    const h: Harness = open(summarised(["S"], [{ ...cut, say: ["Half"] }, ["Done."]]), small);
    assert.equal((await h.turn("Hi.")).reason, "end_turn");
    assert.deepEqual(kinds(h), ["step", "summary", "step"]);
    const words = entriesOf(h, 2).map(textOf);
    assert.equal(words[1], "S");
    assert.match(words.at(-1) ?? "", /And this\?$/);
    assert.equal(entriesOf(h, 2).at(-1)?.info.role, "user");
  });
});
