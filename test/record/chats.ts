/** Chats to export: a small one and random ones. */
import fc from "fast-check";
import { apply, type Chat, type Entry, newChat } from "../../src/chat/apply.ts";
import type { Message, Part, ToolState } from "../../src/chat/message.ts";
import { SendTime } from "../../src/chat/prompt-input.ts";

const model = { providerID: "anthropic", modelID: "test" };
const tokens = { input: 1, output: 2, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
const began = Date.UTC(2026, 0, 1);
const sessionID = "ses_1";

/** A question, a reply with a call, and another question. */
export function small(): Chat {
  const chat = newChat({ id: sessionID, createdAt: began, title: "Look at it", cwd: "/project" });
  const user = { sessionID, role: "user", agent: "build", model } as const;
  const part = (messageID: string, id: string) => ({ sessionID, messageID, id });
  chat.messages = [
    {
      info: { ...user, id: "msg_1", createdAt: began },
      parts: [{ ...part("msg_1", "prt_1"), type: "text", text: "Look at a.ts" }],
    },
    {
      info: { ...reply("msg_2", "msg_1"), createdAt: began + 1000 },
      parts: [
        { ...part("msg_2", "prt_2"), type: "reasoning", text: "Hm.", time: { start: 1 } },
        { ...part("msg_2", "prt_3"), type: "text", text: "I look." },
        {
          ...part("msg_2", "prt_4"),
          type: "tool",
          callID: "toolu_1",
          tool: "read",
          state: {
            status: "completed",
            input: { file_path: "a.ts" },
            output: "1 ```one```",
            title: "a.ts",
            metadata: {},
            start: began + 1500,
            end: began + 2000,
          },
        },
      ],
    },
    {
      info: { ...user, id: "msg_3", createdAt: began + 3000 },
      parts: [{ ...part("msg_3", "prt_5"), type: "text", text: "And now?" }],
    },
  ];
  return chat;
}

function reply(id: string, parentID: string): Extract<Message, { role: "assistant" }> {
  const path = { cwd: "/project", root: "/project" };
  return { id, sessionID, createdAt: began, role: "assistant", parentID, agent: "build", model, path, tokens };
}

const text = fc.string({ unit: "grapheme", maxLength: 30 });
const json = fc.dictionary(
  fc.string({ unit: "grapheme-ascii", maxLength: 8 }).filter((key) => key !== "__proto__"),
  fc.jsonValue({ maxDepth: 2, noUnicodeString: false }).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  { maxKeys: 3 },
);
const span = { start: fc.nat(), end: fc.nat() };

const state: fc.Arbitrary<ToolState> = fc.oneof(
  fc.record({ status: fc.constant("pending" as const), input: json, raw: text }),
  fc.record({ status: fc.constant("running" as const), input: json, start: fc.nat() }),
  fc.record({
    status: fc.constant("completed" as const),
    input: json,
    output: text,
    title: text,
    metadata: fc.record({ fact: text, provider: json }),
    ...span,
  }),
  fc.record({ status: fc.constant("error" as const), input: json, error: text, ...span }),
);

/** Random parts without their ids. */
const content = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text, synthetic: fc.boolean(), ignored: fc.boolean() }),
  fc.record({ type: fc.constant("reasoning" as const), text, metadata: json, time: fc.record({ start: fc.nat() }) }),
  fc.record({
    type: fc.constant("file" as const),
    mime: text,
    filename: text,
    url: fc.constantFrom("file:///a", "data:text/plain,hi"),
  }),
  fc.record({ type: fc.constant("tool" as const), callID: fc.constantFrom("1", "2"), tool: text, state }),
  fc.record({ type: fc.constant("compaction" as const), auto: fc.boolean() }),
  fc.record({ type: fc.constant("subtask" as const), agent: text, description: text, prompt: text }),
  fc.record({
    type: fc.constant("step-finish" as const),
    reason: fc.constant("stop" as const),
    tokens: fc.constant(tokens),
  }),
);

const message = fc.record({
  isUser: fc.boolean(),
  parts: fc.array(content, { maxLength: 5 }),
  createdAt: fc.nat(),
  silent: fc.boolean(),
  isFailed: fc.boolean(),
});

/** Random chats in which each reply answers the newest question before it. */
export const chats: fc.Arbitrary<Chat> = fc
  .record({
    title: text,
    messages: fc.array(message, { minLength: 1, maxLength: 6 }),
    queue: fc.array(fc.record({ text, when: fc.constantFrom(...SendTime.options) }), { maxLength: 2 }),
    pruned: fc.option(fc.nat()),
    /** Pins and drops: of which part, and after which message it was left out. */
    pieces: fc.array(
      fc.record({
        at: fc.nat(),
        pinned: fc.boolean(),
        dropped: fc.option(fc.record({ after: fc.option(fc.nat(), { nil: undefined }) })),
      }),
      {
        maxLength: 3,
      },
    ),
  })
  .map(({ title, messages, queue, pruned, pieces }) => {
    const chat = newChat({ id: sessionID, createdAt: 7, title, cwd: "/project" });
    let asked = "";
    chat.messages = messages.map(({ isUser, parts, createdAt, silent, isFailed }, at): Entry => {
      const id = `msg_${at}`;
      const isQuestion = isUser || asked === "";
      if (isQuestion) asked = id;
      const error = { code: "network", message: "lost", next: "" } as const;
      const info: Message = isQuestion
        ? { id, sessionID, createdAt, role: "user", agent: "build", model, silent }
        : { ...reply(id, asked), createdAt, silent, ...(isFailed ? { error } : { finish: "stop", cost: 0.5 }) };
      const base = (part: number) => ({ id: `prt_${at}_${part}`, sessionID, messageID: id });
      return { info, parts: parts.map((part, index): Part => ({ ...part, ...base(index) })) };
    });
    chat.queue = queue.map(({ text, when }, at) => ({ id: `msg_q${at}`, parts: [{ type: "text", text }], when }));
    const last = chat.messages[(pruned ?? 0) % chat.messages.length]?.info.id ?? "";
    const ids = chat.messages.flatMap(({ parts }) => parts.map(({ id }) => id));
    if (pruned !== null) chat.pruned = { outputs: last, ...(pruned % 2 === 1 && { kept: ids.slice(0, 1) }) };
    for (const { at, pinned, dropped } of pieces) {
      const partID = ids[at % Math.max(1, ids.length)];
      const messageID = chat.messages.find(({ parts }) => parts.some(({ id }) => id === partID))?.info.id;
      if (partID === undefined || messageID === undefined) continue;
      const after =
        dropped?.after === undefined ? null : (chat.messages[dropped.after % messages.length]?.info.id ?? null);
      apply(chat, { type: "piece", partID, piece: { messageID, pinned, dropped: dropped && { after } } });
    }
    // The records of fast-check have no prototype.
    return structuredClone(chat);
  });

/** Returns the chat with positions in place of ids. */
export function withoutIDs({ session, messages, queue, pruned, pieces }: Chat) {
  const ids = new Map(messages.map(({ info }, at) => [info.id, at]));
  const partIDs = new Map(messages.flatMap(({ parts }) => parts).map(({ id }, at) => [id, at]));
  return {
    session: { ...session, id: "", forkOf: undefined },
    messages: messages.map(({ info, parts }) => ({
      info: { ...info, id: "", sessionID: "", ...(info.role === "assistant" && { parentID: ids.get(info.parentID) }) },
      parts: parts.map((part) => ({ ...part, id: "", sessionID: "", messageID: "" })),
    })),
    queue: queue.map((one) => ({ ...one, id: "" })),
    pruned: pruned && { outputs: ids.get(pruned.outputs), kept: pruned.kept?.map((id) => partIDs.get(id)) },
    pieces: Object.entries(pieces).map(([id, { messageID, pinned, dropped }]) => ({
      part: partIDs.get(id),
      message: ids.get(messageID),
      pinned,
      dropped: dropped && { after: dropped.after === null ? null : ids.get(dropped.after) },
    })),
  };
}
