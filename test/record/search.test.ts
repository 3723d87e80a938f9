import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Part } from "../../src/chat/message.ts";
import { newSession } from "../../src/loop/session/session.ts";
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

  type Content = { text: string; synthetic?: boolean } | { output: string };

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
          : {
              ...base,
              type: "tool",
              callID: "1",
              tool: "read",
              state: { status: "completed", input: {}, title: "", metadata: {}, start: 1, end: 1, ...content },
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
