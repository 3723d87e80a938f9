import assert from "node:assert/strict";
import fc from "fast-check";
import { type Chat, newChat } from "../../src/chat/apply.ts";
import { exportMarkdown, exportTranscript } from "../../src/loop/transfer/export.ts";
import { forkAfter, forkChat } from "../../src/loop/transfer/fork.ts";
import { importInSlices, importTranscript } from "../../src/loop/transfer/import.ts";
import { isSessionID } from "../../src/record/sessions.ts";
import { randomly } from "../random.ts";
import { chats, small, withoutIDs } from "./chats.ts";

/** Returns the parsed lines. */
const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("export, import and fork", () => {
  randomly("R6 an exported and imported chat is the same, with new ids", () => {
    fc.assert(
      fc.property(chats, (chat) => {
        const again = importTranscript(exportTranscript(chat), chat.session.cwd);
        assert.deepEqual(withoutIDs(again), withoutIDs(chat));
        assert.notEqual(again.session.id, chat.session.id);
        const old = new Set(chat.messages.flatMap(({ info, parts }) => [info.id, ...parts.map(({ id }) => id)]));
        for (const { info, parts } of again.messages) {
          assert.ok(!old.has(info.id) && info.sessionID === again.session.id);
          for (const part of parts) assert.ok(part.messageID === info.id && part.sessionID === again.session.id);
        }
        const ids = again.messages.map(({ info }) => info.id);
        assert.deepEqual(ids, [...ids].sort());
      }),
      { numRuns: 200 },
    );
  });

  it("R6 a long import lets other work go on, and can be cancelled", async () => {
    const line = JSON.stringify({ role: "user", content: "Hello" });
    const text = `${line}\n`.repeat(20_000);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const { messages } = await importInSlices(Buffer.from(text), "/project", new AbortController().signal);
    clearInterval(timer);
    assert.equal(messages.length, 20_000);
    assert.ok(ticks > 1, "nothing else ran");
    const cancelled = new AbortController();
    const importing = importInSlices(Buffer.from(text), "/project", cancelled.signal);
    cancelled.abort();
    await assert.rejects(importing, { name: "AbortError" });
  });

  it("R6 lines have the format that other programs read", () => {
    const [header, ...lines] = linesOf(exportTranscript(small()));
    assert.ok(header && "rondo" in header);
    assert.deepEqual(
      lines.map(({ rondo: _, ...line }) => line),
      [
        { role: "user", content: "Look at a.ts", timestamp: "2026-01-01T00:00:00.000Z" },
        {
          role: "assistant",
          content: "I look.",
          timestamp: "2026-01-01T00:00:01.000Z",
          tool_calls: [
            { id: "toolu_1", type: "function", function: { name: "read", arguments: '{"file_path":"a.ts"}' } },
          ],
        },
        { role: "tool", tool_call_id: "toolu_1", content: "1 ```one```", timestamp: "2026-01-01T00:00:02.000Z" },
        { role: "user", content: "And now?", timestamp: "2026-01-01T00:00:03.000Z" },
      ],
    );
  });

  it("R6 transcripts of other programs are imported as far as possible", () => {
    const lines = [
      { role: "system", content: "You are somebody else." },
      { role: "assistant", content: "Hello!" },
      { role: "user", content: "Read it", timestamp: "2026-01-01T00:00:00Z" },
      { role: "assistant", content: null, tool_calls: [{ id: "1", function: { name: "read", arguments: '{"a":1}' } }] },
      { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "found" }], timestamp: 5 },
      { role: "assistant", content: "Next.", tool_calls: [{ id: "2", name: "bash", input: { command: "ls" } }], x: 1 },
      { role: "tool", tool_call_id: "of nobody", content: "?" },
      { role: "assistant", content: [{ type: "text", text: "Done." }, { type: "image" }], timestamp: "yesterday" },
    ];
    const chat = importTranscript(`\n${lines.map((line) => JSON.stringify(line)).join("\r\n")}\n\n`, "/here");
    assert.deepEqual([chat.session.title, chat.session.cwd], ["Read it", "/here"]);
    assert.deepEqual(
      chat.messages.map(({ info, parts }) => [
        info.role,
        info.role === "assistant" && info.finish,
        parts.map((part) => {
          if (part.type === "text") return part.text;
          if (part.type !== "tool") return part.type;
          const { state } = part;
          return [part.tool, state.input, state.status, state.status === "completed" ? state.output : undefined];
        }),
      ]),
      [
        ["user", false, ["Read it"]],
        ["assistant", "tool-calls", [["read", { a: 1 }, "completed", "found"]]],
        ["assistant", "tool-calls", ["Next.", ["bash", { command: "ls" }, "error", undefined]]],
        ["assistant", "stop", ["Done."]],
      ],
    );
  });

  it("R6 an unusable file is reported in one sentence", () => {
    for (const [text, sentence] of [
      ["", /There is no message in the file/],
      ['{"role":"user","content":"Hi"}\nnot json', /Line 2 is not JSON/],
      ['{"role":"judge","content":"Hi"}', /Line 1 is not a message of a transcript/],
      ['\n{"role":"user","content":7}', /Line 2 is not a message of a transcript \(content/],
      ["[]", /Line 1 is not a message/],
      ['{"rondo":1}\n{"type":"session"}', /a session's own record\. Export/],
      ['{"rondo":{"transcript":1}}', /The first line is not the beginning of an exported session/],
      [exportTranscript(small()).replace('"transcript":1', '"transcript":2'), /by a newer Rondo/],
      [exportTranscript(small()).replace('"role":"user","agent"', '"role":"judge","agent"'), /Line 2 is not a message/],
    ] as const) {
      assert.throws(() => importTranscript(text, "/"), { name: "ImportError", message: sentence }, text);
    }
  });

  it("R6 a hostile file: none of its ids is kept, nothing is loaded, and it names no file of another session", () => {
    const chat = small();
    chat.session = { ...chat.session, id: "../../evil", parentID: "ses_mine", cwd: "/etc" };
    for (const { info, parts } of chat.messages) {
      info.id = "../same";
      parts.push({
        id: "..",
        sessionID: "..",
        messageID: "..",
        type: "file",
        mime: "image/png",
        filename: "x",
        url: "https://evil",
      });
      for (const part of parts) {
        if (part.type !== "tool" || part.state.status !== "completed") continue;
        part.state.metadata = { fact: "2 lines", outputFile: "/etc/passwd", childID: "ses_mine" };
      }
    }
    const made = importTranscript(exportTranscript(chat), "/project");
    assert.ok(isSessionID(made.session.id));
    assert.deepEqual([made.session.cwd, made.session.parentID], ["/project", undefined]);
    assert.equal(new Set(made.messages.map(({ info }) => info.id)).size, 3);
    const text = JSON.stringify(made);
    for (const word of ["..", "https://evil", "/etc", "ses_mine"]) assert.ok(!text.includes(word), word);
    assert.ok(text.includes("2 lines"));
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
    const line = '{"role":"user","content":"Hi","__proto__":{"polluted":1},"rondo":{"__proto__":{"polluted":1}}}';
    assert.throws(() => importTranscript(line, "/"), { name: "ImportError" });
  });

  it("R6 Markdown shows messages and calls, in fences longer than any inside them", () => {
    const chat = small();
    chat.messages[0]?.parts.push({
      id: "p",
      sessionID: "s",
      messageID: "m",
      type: "text",
      text: "[note]",
      synthetic: true,
    });
    const text = exportMarkdown(chat);
    assert.match(text, /^# Look at it\n/);
    assert.ok(text.includes("## User\n\nLook at a.ts\n\n## Assistant (test)\n\n> Hm.\n\nI look.\n\n**read** a.ts"));
    assert.ok(text.includes("````\n1 ```one```\n````"));
    assert.ok(!text.includes("[note]"));
  });

  it("R6 a fork contains everything before the message, with its own ids and its origin", () => {
    const chat = small();
    const before = JSON.stringify(chat);
    const fork = forkChat(chat, "msg_3");
    const expected: Chat = { ...chat, messages: chat.messages.slice(0, 2), queue: [], pruned: undefined };
    assert.deepEqual(withoutIDs(fork).messages, withoutIDs(expected).messages);
    assert.equal(fork.session.title, "Look at it (fork)");
    assert.deepEqual(fork.session.forkOf, { sessionID: "ses_1", messageID: "msg_3" });
    const tool = fork.messages[1]?.parts.find((part) => part.type === "tool");
    assert.equal(tool?.type === "tool" && tool.callID, "toolu_1");
    assert.equal(forkChat(fork, fork.messages[0]?.info.id ?? "").messages.length, 0);
    const text = fork.messages[0]?.parts[0];
    if (text?.type === "text") text.text = "changed";
    assert.equal(JSON.stringify(chat), before);
    for (const id of ["msg_2", "msg_9", ""]) {
      assert.throws(() => forkChat(chat, id), { name: "IntakeError", code: "prompt-invalid" });
    }
    assert.throws(() => forkChat(newChat(chat.session), "msg_1"), { name: "IntakeError" });
  });

  it("R6 a fork after an answer contains the answer; one that is not over cannot be forked", () => {
    const chat = small();
    const whole: Chat = { ...chat, messages: chat.messages.slice(0, 2), queue: [], pruned: undefined };
    const reply = chat.messages[1]?.info;
    assert.ok(reply?.role === "assistant");
    reply.completedAt = 1;
    const fork = forkAfter(chat, reply.id);
    assert.deepEqual(withoutIDs(fork).messages, withoutIDs(whole).messages);
    assert.deepEqual(fork.session.forkOf, { sessionID: "ses_1", messageID: reply.id });
    assert.equal(fork.unbound, fork.messages.at(-1)?.info.id);
    delete reply.completedAt;
    for (const id of [reply.id, "msg_1", "msg_9"]) {
      assert.throws(() => forkAfter(chat, id), { name: "IntakeError", code: "prompt-invalid" });
    }
  });

  it("R6 C6 pruned outputs stay pruned in a fork", () => {
    const chat = small();
    chat.pruned = { outputs: "msg_2" };
    const { pruned, messages } = forkChat(chat, "msg_3");
    const last = messages.at(-1)?.info.id;
    assert.deepEqual(pruned, { outputs: last });
  });
});
