import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Part } from "../../src/chat/message.ts";
import { newSession } from "../../src/loop/session/session.ts";
import { searchRecord } from "../../src/record/record-search.ts";
import { Sessions } from "../../src/record/sessions.ts";

const never = new AbortController().signal;
const model = { providerID: "anthropic", modelID: "test" };

describe("search over sessions", () => {
  let folder: string;
  let sessions: Sessions;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-search-"));
    sessions = new Sessions(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  type Content =
    | { text: string; synthetic?: boolean }
    | { output: string }
    | { reasoning: string }
    | { input: Record<string, unknown> };

  function add(title: string, contents: Content[], { silent = false, parentID = "" } = {}): string {
    const chat = newSession("/");
    const { id: sessionID } = chat.session;
    chat.session = { ...chat.session, title, ...(parentID && { parentID }) };
    const info = { sessionID, createdAt: 1, agent: "build", model, role: "user", ...(silent && { silent }) } as const;
    chat.messages = contents.map((content, at) => {
      const base = { id: `prt_${at}`, sessionID, messageID: `msg_${at}` };
      const part: Part =
        "text" in content
          ? { ...base, type: "text", ...content }
          : "reasoning" in content
            ? { ...base, type: "reasoning", text: content.reasoning, time: { start: 1 } }
            : {
                ...base,
                type: "tool",
                callID: "1",
                tool: "read",
                state: {
                  ...{ status: "completed", input: {}, output: "", title: "", metadata: {}, start: 1, end: 1 },
                  ...content,
                },
              };
      return { info: { ...info, id: `msg_${at}` }, parts: [part] };
    });
    sessions.add(chat);
    return sessionID;
  }
  const found = async (query: string) => [...(await sessions.search(query, never)).keys()];

  it("R5 finds all words in titles and messages, ignoring case", async () => {
    const cart = add("Mend the cart", [{ text: "The TOTAL is wrong." }, { text: "Fixed: it was\nrounded twice." }]);
    const other = add("Rename a file", [{ text: "Total nonsense" }]);
    assert.deepEqual(await found("total"), [other, cart]);
    assert.deepEqual(await found("  TOTAL \n rounded "), [cart]);
    assert.deepEqual(await found("cart total rounded"), [cart]);
    assert.deepEqual(await found("mend CART"), [cart]);
    assert.deepEqual(await found("total missing"), []);
    assert.deepEqual(await found("   "), []);
  });

  it("R5 finds characters that JSON escapes: quotes, backslashes, umlauts, emoji", async () => {
    const id = add("One", [{ text: 'say "Grüße" to C:\\temp 😀 你好' }]);
    for (const query of ['"grüße"', "c:\\temp", "😀", "你好"]) assert.deepEqual(await found(query), [id], query);
  });

  it("R5 does not search outputs of tools and silent messages", async () => {
    add("One", [{ output: "secret" }, { text: "secret", synthetic: true }]);
    add("Two", [{ text: "secret" }], { silent: true });
    add("Three", [{ text: "secret" }], { parentID: "ses_1" });
    assert.deepEqual(await found("secret"), []);
  });

  it("R5 shows the words in context, on one line", async () => {
    const text = `${"before ".repeat(40)}the needle\nis here${" behind".repeat(40)}`;
    const id = add("One", [{ text: "nothing" }, { text }]);
    const excerpt = (await sessions.search("needle", never)).get(id) ?? "";
    assert.match(excerpt, /^…before (before )+the needle is here (behind )+.*…$/);
    assert.ok(excerpt.length < 250);
    const titled = add("A needle in the title", [{ text: "nothing" }]);
    assert.equal((await sessions.search("needle title", never)).get(titled), "A needle in the title");
  });

  it("R5 cuts the context at words: up to 60 characters before, 120 from the first word on", async () => {
    const dots = (count: number) => ". ".repeat(count / 2);
    const a = (count: number) => "a".repeat(count);
    for (const [text, expected] of [
      ["needle", "needle"],
      [`  needle\n\n\there\u2028 now `, "needle here now"],
      [`${a(59)} needle`, `${a(59)} needle`],
      [`${a(60)} needle`, "…needle"],
      [`b ${a(59)}needle`, `…${a(59)}needle`],
      [`bb ${a(58)} needle`, `…${a(58)} needle`],
      [`${dots(100)}needle${a(114)}`, `…${dots(58)}needle${a(114)}`],
      [`${dots(100)}needle${a(115)}`, `…${dots(58)}needle${a(114)}…`],
      [`${dots(60)}needle`, `${dots(60)}needle`],
      [`b${a(100)}needle`, `…${a(60)}needle`],
      [`b${a(100)}needle then`, `…${a(60)}needle then`],
      [`🙂${a(59)}needle${a(113)}🙂`, `…\ufffd${a(59)}needle${a(113)}\ufffd…`],
    ] as const) {
      const id = add("One", [{ text }]);
      assert.equal((await sessions.search("needle", never)).get(id), expected, text);
      sessions.remove(id);
    }
  });

  it("R5 shows the first text that adds a word, around the first of its words", async () => {
    const far = "x ".repeat(150);
    const id = add("Mend the cart", [
      { text: `cart ${far}` },
      { text: `${far}hammer ${far}` },
      { text: `${far}nail ${far}hammer` },
    ]);
    const shown = async (query: string) => (await sessions.search(query, never)).get(id) ?? "";
    assert.match(await shown("cart hammer"), /^…[x ]+hammer[x ]+…$/);
    assert.match(await shown("hammer nail"), /^…[x ]+hammer[x ]+…$/);
    const both = add("One", [{ text: `${far}nail ${far}hammer` }]);
    assert.match((await sessions.search("hammer nail", never)).get(both) ?? "", /^…[x ]+nail[x ]+…$/);
  });

  it("R5 finds words wherever a block ends, in letters of any size", async () => {
    for (const gap of [-9, -7, -5, -3, -2, -1]) {
      const id = add("One", [{ text: "" }]);
      const file = sessions.path(id);
      const line = (text: string) =>
        `${JSON.stringify({ type: "part", part: { id: "p", sessionID: id, messageID: "msg_0", type: "text", text } })}\n`;
      const before = `${readFileSync(file, "utf8")}${line("")}`;
      const start = Buffer.byteLength(before) + line("").length - 4;
      // The words lie across the end of the first block.
      writeFileSync(file, before + line(`${"y".repeat((1 << 20) - start + gap)}Grüße\u2028😀`) + line("end"));
      assert.deepEqual(await found("grüße 😀 end"), [id], `${gap}`);
      sessions.remove(id);
    }
  });

  it("R5 does not search thoughts, drafts of calls and queued prompts", async () => {
    const id = add("One", [{ reasoning: "secret" }, { input: { silent: true, text: "secret" } }, { text: "said" }]);
    const transcript = sessions.transcript(id, () => assert.fail(), sessions.open(id));
    transcript.append({
      type: "queued",
      queue: [{ id: "msg_q", parts: [{ type: "text", text: "secret" }], when: "next-step" }],
    });
    transcript.close();
    assert.deepEqual(await found("secret"), []);
    assert.deepEqual(await found("said"), [id]);
  });

  it("R5 a record that cannot be read contains only its title, and no file stays open", async function () {
    assert.equal(await searchRecord(path.join(folder, "none.jsonl"), "The title", ["title"], never), "The title");
    assert.equal(await searchRecord(path.join(folder, "none.jsonl"), "The title", ["word"], never), undefined);
    assert.equal(await searchRecord(folder, "The title", ["word"], never), undefined);
    if (process.platform !== "linux") return this.skip();
    const id = add("One", [{ text: "needle" }]);
    const open = () => readdirSync("/proc/self/fd").length;
    await found("needle");
    const before = open();
    for (let n = 0; n < 5; n++) assert.deepEqual(await found("needle"), [id]);
    for (let n = 0; n < 5; n++) assert.deepEqual(await found("nothing"), []);
    assert.equal(open(), before);
  });

  it("R5 rejects with the reason before it reads, and ignores an incomplete last line", async () => {
    const id = add("One", [{ text: "word" }]);
    await assert.rejects(sessions.search("word", AbortSignal.abort(new Error("stop"))), { message: "stop" });
    const gone = AbortSignal.abort(new Error("stop"));
    await assert.rejects(searchRecord(path.join(folder, "none.jsonl"), "", ["word"], gone), { message: "stop" });
    const file = sessions.path(id);
    writeFileSync(file, readFileSync(file, "utf8").trimEnd());
    assert.deepEqual(await found("word"), []);
  });

  it("R5 uses the latest title, and reads lines longer than a block", async () => {
    const id = add("Old name", [{ output: "x".repeat(3 << 20) }, { text: "y".repeat(2 << 20) }, { text: "end" }]);
    const transcript = sessions.transcript(id, () => assert.fail(), sessions.open(id));
    transcript.append({ type: "session", session: { ...sessions.open(id).chat.session, title: "New name" } });
    transcript.close();
    assert.deepEqual(await found("old"), []);
    assert.deepEqual(await found("new end"), [id]);
  });

  it("R5 can be aborted, and other work runs in the meantime", async () => {
    for (let count = 0; count < 50; count++)
      add(`Session ${count}`, [{ output: "x".repeat(50_000) }, { text: "said" }]);
    const search = new AbortController();
    const result = sessions.search("needle", search.signal);
    setImmediate(() => search.abort(new Error("another word")));
    await assert.rejects(result, { message: "another word" });
  });
});
