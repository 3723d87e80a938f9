/** What the model has read of files is known as long as the conversation is (spec T12). */
import assert from "node:assert/strict";
import { realpathSync, unlinkSync } from "node:fs";
import path from "node:path";
import type { Chat } from "../../src/chat/apply.ts";
import { type Attachment, textPrompt } from "../../src/chat/prompt-input.ts";
import { exportTranscript } from "../../src/loop/transfer/export.ts";
import { forkChat } from "../../src/loop/transfer/fork.ts";
import { importTranscript } from "../../src/loop/transfer/import.ts";
import { replay } from "../../src/record/replay.ts";
import { builtInTools } from "../../src/tools/built-in/all.ts";
import { versionOf } from "../../src/tools/node-host/workspace.ts";
import { full, isSummary, small } from "./compacting.ts";
import { type Harness, harnesses } from "./harness.ts";

const read = { call: "read", input: { file_path: "a.txt" } };
const write = (content: string) => ({ call: "write", input: { file_path: "a.txt", content } });
const edit = (old_string: string, new_string: string) => ({
  call: "edit",
  input: { file_path: "a.txt", old_string, new_string },
});

const unread = /^ERROR a\.txt exists already, and you have not read it: read it first/;
const stale = /^ERROR a\.txt has changed since it was read: read it again/;

describe("T12 what was read", () => {
  const open = harnesses();
  const options = { files: { "a.txt": "one\n" }, mode: "bypassPermissions" } as const;

  /** Opens the conversation of `h` as after a restart, on the same folder. */
  function reopened(h: Harness, script: ConstructorParameters<typeof Harness>[0], chat: Chat): Harness {
    return open(script, { mode: options.mode, chat, folder: h.folder });
  }

  const last = (h: Harness) => h.results().at(-1) ?? "";

  it("a file that exists is not replaced unless it was read, and stays as it is", async () => {
    const h = open([[write("lost\n")], ["Done."]], options);
    await h.turn();
    assert.match(last(h), unread);
    assert.equal(h.read("a.txt"), "one\n");
  });

  it("one that was read is, also by a later turn, also twice, since the agent's own text counts as read", async () => {
    const h = open([[read], ["Read."], [write("two\n")], [write("three\n")], ["Done."]], options);
    await h.turn();
    await h.turn();
    assert.equal(h.read("a.txt"), "three\n");
  });

  it("a new file needs no reading, nor does it once the agent has made it; what the agent edited counts as read", async () => {
    const made = (content: string) => ({ call: "write", input: { file_path: "new.txt", content } });
    const h = open([[made("1\n")], [made("2\n")], [edit("one", "two")], [write("three\n")], ["Done."]], options);
    await h.turn();
    assert.deepEqual([h.read("new.txt"), h.read("a.txt")], ["2\n", "three\n"]);
  });

  it("a read that failed or was denied does not count", async () => {
    const rules = [{ permission: "read", pattern: "a.txt", action: "ask" }] as const;
    const beyond = { call: "read", input: { file_path: "a.txt", offset: 99 } };
    const failed = open([[beyond], [write("lost\n")], ["Done."]], options);
    await failed.turn();
    assert.match(last(failed), unread);
    const denied = open([[read], [write("lost\n")], ["Done."]], {
      files: options.files,
      rules: [...rules],
      attended: false,
    });
    await denied.turn();
    assert.match(denied.results()[0] ?? "", /^ERROR Not allowed/);
    assert.equal(denied.read("a.txt"), "one\n");
  });

  it("the user's change in between is noticed by write and by edit, also after a restart", async () => {
    for (const call of [write("lost\n"), edit("one", "lost")]) {
      const h = open([[read], ["Read."], [call], ["Done."]], options);
      await h.turn();
      h.write("a.txt", "the user's one\n");
      const chat = replayed(h);
      await h.turn();
      assert.match(last(h), stale);
      const again = reopened(h, [[call], ["Done."]], chat);
      await again.turn();
      assert.match(last(again), stale);
      assert.equal(h.read("a.txt"), "the user's one\n");
    }
  });

  it("a restart forgets nothing: what was read or written may be written, what was not may not", async () => {
    for (const [before, content] of [
      [[read], "two\n"],
      [[edit("one", "1")], "two\n"],
      [[read, write("1\n")], "two\n"],
      [[{ call: "glob", input: { pattern: "*" } }], undefined],
      [[{ call: "bash", input: { command: "cat a.txt" } }], undefined],
    ] as const) {
      const h = open([[...before], ["Done."]], options);
      await h.turn();
      const again = reopened(h, [[write("two\n")], ["Done."]], replayed(h));
      await again.turn();
      if (content === undefined) assert.match(last(again), unread);
      else assert.equal(h.read("a.txt"), content, JSON.stringify(before));
    }
  });

  it("a file that was deleted and made again by others must be read again", async () => {
    const patch = (input: string) => ({
      call: "bash",
      input: { command: input },
    });
    const h = open([[read], [patch("rm a.txt; echo other > a.txt")], [write("lost\n")], ["Done."]], options);
    await h.turn();
    assert.match(last(h), stale);
    const gone = open([[read], ["Read."], [write("new\n")], ["Done."]], options);
    await gone.turn();
    unlinkSync(path.join(gone.folder, "a.txt"));
    await gone.turn();
    assert.equal(gone.read("a.txt"), "new\n");
  });

  it("a fork knows it, a rewind forgets it, and undoing the rewind knows it again", async () => {
    const h = open([["Hello."], [read], ["Read."], [write("lost\n")], ["Done."], [write("two\n")], ["Done."]], options);
    await h.turn("first");
    await h.turn("second");
    const second = h.chat.messages.findLast(({ info }) => info.role === "user")?.info.id ?? "";
    await h.session.rewind(second);
    await h.session.rewind(null);
    const whole = structuredClone(h.chat);
    await h.session.rewind(second);
    await h.turn("third");
    assert.match(last(h), unread);
    const third = { ...whole.messages[0], info: { ...whole.messages[0]?.info, id: "msg_third", role: "user" } };
    const fork = forkChat({ ...whole, messages: [...whole.messages, third as never] }, "msg_third");
    const again = reopened(h, [[write("two\n")], ["Done."]], fork);
    await again.turn();
    assert.equal(h.read("a.txt"), "two\n");
  });

  it("after a restore of files the older text must be read again", async () => {
    const h = open([[read, write("two\n")], ["Done."], [write("lost\n")], ["Done."]], options);
    await h.turn();
    h.write("a.txt", "one\n");
    await h.turn();
    assert.match(last(h), stale);
  });

  it("a compaction and a restart after it forget nothing", async () => {
    const left = [[read], { say: ["Read."], tokens: full }, ["More."]];
    const h = open((request) => (isSummary(request) ? ["S"] : (left.shift() ?? [])), { ...small, ...options });
    await h.turn();
    await h.turn();
    assert.ok(h.model.requests.some(isSummary));
    const again = reopened(h, [[write("two\n")], ["Done."]], replayed(h));
    await again.turn();
    assert.equal(h.read("a.txt"), "two\n");
  });

  it("what a subagent has read its parent has not, and the other way round", async () => {
    const task = { call: "task", input: { description: "d", prompt: "p", subagent_type: "general" } };
    const parent = open([[task], [read], ["It is one."], [write("lost\n")], ["Done."]], options);
    await parent.turn();
    assert.match(last(parent), unread);
    const child = open([[read], [task], [write("lost\n")], ["No."], ["Done."]], options);
    await child.turn();
    assert.equal(child.read("a.txt"), "one\n");
  });

  /** An attachment as the editor makes it. */
  function attached(h: Harness): Attachment {
    const text = h.read("a.txt");
    const file = path.join(realpathSync(h.folder), "a.txt");
    const source = { start: 1, end: 1, text };
    return { mime: "text/plain", filename: "a.txt", url: `file://${file}`, source, seen: { [file]: versionOf(text) } };
  }

  it("an attached file was read, also by a later turn and after a restart, as long as it is the same", async () => {
    const h = open([[write("two\n")], ["Done."]], options);
    await h.turn("Do it.", textPrompt("Do it.", [attached(h)]));
    assert.equal(h.read("a.txt"), "two\n");
    const later = open([["Hello."]], options);
    await later.turn("Look.", textPrompt("Look.", [attached(later)]));
    const again = reopened(later, [[write("two\n")], ["Done."]], replayed(later));
    await again.turn();
    assert.equal(again.read("a.txt"), "two\n");
    const changed = open([["Hello."], [write("lost\n")], ["Done."]], options);
    await changed.turn("Look.", textPrompt("Look.", [attached(changed)]));
    changed.write("a.txt", "the user's\n");
    await changed.turn();
    assert.match(last(changed), stale);
  });

  it("so was one of a message that joins a running turn, and not before it joins", async () => {
    const look = { call: "glob", input: { pattern: "*" } };
    const script = [[write("lost\n"), look], [write("two\n")], ["Done."]];
    let requests = 0;
    const h: Harness = open(() => {
      requests += 1;
      if (requests === 1) void h.send("Look.", textPrompt("Look.", [attached(h)]));
      return script[requests - 1] ?? [];
    }, options);
    await h.turn("Do it.");
    assert.match(h.results()[0] ?? "", unread);
    assert.equal(h.read("a.txt"), "two\n");
  });

  it("an imported conversation knows nothing: it may come from another machine", async () => {
    const h = open([[read], ["Read."]], options);
    await h.turn("Look.", textPrompt("Look.", [attached(h)]));
    const text = exportTranscript(h.chat);
    assert.match(text, /"seen"/);
    const imported = importTranscript(text, h.folder);
    assert.doesNotMatch(JSON.stringify(imported.messages), /"seen"/);
  });

  it("a patch does not add a file that exists, whether it was read or not", async () => {
    const add = {
      call: "apply_patch",
      input: { input: "*** Begin Patch\n*** Add File: a.txt\n+lost\n*** End Patch" },
    };
    for (const script of [
      [[add], ["Done."]],
      [[read], [add], ["Done."]],
    ]) {
      const model = { providerID: "openai", modelID: "gpt-5.4" };
      const h = open(script, { ...options, tools: builtInTools({ editor: false }), choices: { model } });
      await h.turn();
      assert.match(last(h), /^ERROR a\.txt exists already/);
      assert.equal(h.read("a.txt"), "one\n");
    }
  });
});

function replayed(h: Harness): Chat {
  h.transcript.flush();
  return replay(h.transcript.path).chat;
}
