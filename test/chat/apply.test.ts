/** A chat as the fold of its events: messages are found by their ids, whatever was taken away meanwhile. */
import assert from "node:assert/strict";
import { apply, type Chat, newChat } from "../../src/chat/apply.ts";
import type { UserMessage } from "../../src/chat/message.ts";

const message = (id: string): UserMessage => ({
  ...{ id, sessionID: "ses_1", createdAt: 1, role: "user", agent: "build" },
  model: { providerID: "anthropic", modelID: "test" },
});

function chatOf(...ids: string[]): Chat {
  const chat = newChat({ id: "ses_1", createdAt: 1, title: "", cwd: "" });
  for (const id of ids) put(chat, id);
  return chat;
}

function put(chat: Chat, id: string): void {
  apply(chat, { type: "message", message: message(id) });
  apply(chat, { type: "part", part: { id: `prt_${id}`, messageID: id, sessionID: "ses_1", type: "text", text: id } });
}

const shown = (chat: Chat) =>
  chat.messages.map(({ info, parts }) => `${info.id}: ${parts.map((part) => part.type === "text" && part.text)}`);

describe("the messages of a chat", () => {
  it("are found again after a rewind, after its undo, and when one with the id of a removed one comes", () => {
    const chat = chatOf("a", "b", "c");
    apply(chat, { type: "rewound", messageID: "b" });
    apply(chat, { type: "delta", messageID: "c", partID: "prt_c", text: " lost" });
    apply(chat, { type: "rewound", messageID: null });
    apply(chat, { type: "delta", messageID: "b", partID: "prt_b", text: " more" });
    assert.deepEqual(shown(chat), ["a: a", "b: b more", "c: c"]);
    apply(chat, { type: "rewound", messageID: "b" });
    put(chat, "c");
    put(chat, "b");
    apply(chat, { type: "delta", messageID: "c", partID: "prt_c", text: " again" });
    assert.deepEqual(shown(chat), ["a: a", "c: c again", "b: b"]);
  });

  it("cost no more with each further message", () => {
    const chat = chatOf();
    const count = 3000;
    let reads = 0;
    for (let at = 0; at < count; at++) {
      const told = message(`msg_${at}`);
      const id = told.id;
      const counted = Object.defineProperty(told, "id", {
        get() {
          reads++;
          return id;
        },
      });
      apply(chat, { type: "message", message: counted });
    }
    assert.equal(chat.messages.length, count);
    assert.ok(reads < 10 * count, `${reads} ids were read for ${count} messages`);
  });
});
