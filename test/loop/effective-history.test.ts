/** What a request consists of, and how large it is, from the chat alone (spec L2, L4, C1, C2, C6). */
import assert from "node:assert/strict";
import type { Chat, Entry } from "../../src/chat/apply.ts";
import type { ChatEvent } from "../../src/chat/events.ts";
import type { AssistantMessage, FilePart, Finish, Message, Part, Tokens, ToolState } from "../../src/chat/message.ts";
import {
  answeredBefore,
  asBegun,
  countUpTo,
  estimateContext,
  overflowLimit,
  pendingPrompt,
  sizeOfEntry,
  sizeOfOutputs,
  sizeOfPart,
  sizeOfThoughts,
  visibleEntries,
} from "../../src/loop/context/context.ts";
import { contextUse } from "../../src/loop/context/context-use.ts";
import { prune } from "../../src/loop/context/prune.ts";
import { sizeOfText } from "../../src/loop/context/token-size.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import { newSession } from "../../src/loop/session/session.ts";
import { assistant, call, user } from "../wire/ask.ts";
import { bareConfig } from "./bare.ts";

const config = bareConfig(100_000);
const text = (words: string) => ({ type: "text", text: words }) as const;

/** The entry with another message. */
function but({ info, parts }: Entry, more: Partial<AssistantMessage> | { silent: true }): Entry {
  return { info: { ...info, ...more } as Message, parts }; // only fields of its own role are given
}

function chatOf(...messages: Entry[]): Chat {
  const chat = newSession("/");
  chat.messages = messages;
  return chat;
}

const reply = (more: Partial<AssistantMessage> = {}, words = "Yes.") =>
  but(assistant(text(words)), { finish: "stop", ...more });
const compaction = () => user({ type: "compaction", auto: true }, "Kept.");
const summary = (more: Partial<AssistantMessage> = {}) => reply({ summary: true, ...more }, "The summary.");

describe("L4 the prompt that waits", () => {
  it("L4 is answered by a reply that ended by itself, and by no other", () => {
    const ends: Record<Finish, boolean> = {
      stop: true,
      "content-filter": true,
      refusal: true,
      pause: true,
      "tool-calls": false,
      unknown: false,
      length: false,
      "context-full": false,
      interrupted: false,
    };
    for (const [finish, isAnswered] of Object.entries(ends) as [Finish, boolean][]) {
      const asked = user("Hi.");
      const pending = pendingPrompt(chatOf(asked, reply({ finish })));
      assert.deepEqual(pending, { user: asked.info, isAnswered }, finish);
    }
    const error = { code: "other", message: "x", next: "" } as const;
    for (const broken of [reply({ error }), but(assistant(text("Half")), {})])
      assert.equal(pendingPrompt(chatOf(user("Hi."), broken)).isAnswered, false);
  });

  it("L4 is the newest one; notes, compactions and summaries are none, and answer none", () => {
    assert.deepEqual(pendingPrompt(chatOf()), { user: undefined, isAnswered: false });
    const [first, second] = [user("One."), user("Two.")];
    const newest = pendingPrompt(chatOf(first, reply(), second));
    assert.deepEqual(newest, { user: second.info, isAnswered: false });
    const silent = [but(user("Notes?"), { silent: true }), but(reply(), { silent: true })];
    for (const others of [silent, [compaction(), summary()]]) {
      assert.deepEqual(pendingPrompt(chatOf(first, ...others)), { user: first.info, isAnswered: false });
      assert.deepEqual(pendingPrompt(chatOf(first, reply(), ...others)), { user: first.info, isAnswered: true });
    }
  });

  it("L4 messages up to the last reply have one", () => {
    const messages = [user("One."), reply(), user("Two."), compaction(), summary(), user("Three."), reply(), user("!")];
    assert.equal(answeredBefore(messages), 7);
    assert.equal(answeredBefore(messages, 7), 7);
    assert.equal(answeredBefore(messages, 6), 2);
    assert.equal(answeredBefore(messages, 1), 0);
    assert.equal(answeredBefore([]), 0);
  });
});

describe("L2 the entries of a request", () => {
  it("L2 C3 after a compaction: the words that were kept, the summary, open prompts, and what came since", () => {
    const told = { text: "News.", type: "text", synthetic: true } as const;
    const [old, first] = [user("Old."), reply()];
    const open = user(
      { ...told, told: { branch: "main" } },
      { ...told, told: { date: "2026-01-01" } },
      { ...told, told: { mode: "plan", branch: "x" } },
      { type: "tools", added: [], removed: ["x"] },
      "Open?",
    );
    const plain = user("Open, too.");
    const notes = but(user("Notes?"), { silent: true });
    const [asked, queued, done, later] = [compaction(), user("Queued."), summary(), user("Later.")];
    const failed = [compaction(), summary({ finish: "interrupted" })];
    const chat = chatOf(old, first, open, plain, notes, ...failed, asked, queued, done, later);
    const shown = visibleEntries(chat);
    const [, , cut, ...rest] = shown;
    assert.deepEqual([shown[0], shown[1], ...rest], [asked, done, plain, queued, later]);
    assert.equal(cut?.info, open.info);
    assert.deepEqual(
      cut.parts,
      [1, 2, 4].map((at) => open.parts[at]),
      "what the new prefix says is not repeated; the date and the mode are no part of it",
    );
    assert.equal(visibleEntries(chat)[2], cut, "the same object, so that requests are made once");
  });

  it("L2 C3 while no summary is finished, all is sent but the compactions that failed", () => {
    const [first, answer, next] = [user("One."), reply(), user("Two.")];
    const failed = [compaction(), summary({ finish: "interrupted" }), compaction()];
    assert.deepEqual(visibleEntries(chatOf(first, answer, ...failed, next)), [first, answer, next]);
  });

  it("L2 C3 a summary without its request begins the history as well", () => {
    const [done, later] = [summary(), user("Later.")];
    assert.deepEqual(visibleEntries(chatOf(user("Old."), reply(), done, later)), [done, later]);
    assert.deepEqual(visibleEntries(chatOf(done, later)), [done, later]);
    const [asked, queued] = [compaction(), user("Queued.")];
    assert.deepEqual(visibleEntries(chatOf(asked, queued, done, later)), [asked, done, queued, later]);
  });

  it("C6 outputs up to the pruned message are left out if they are long, with what was attached", () => {
    const image: FilePart = {
      ...user().info,
      messageID: "m",
      type: "file",
      mime: "image/png",
      filename: "",
      url: "data:",
    } as never;
    // A token for each character.
    const [long, short] = ["漢".repeat(100), "漢".repeat(99)];
    const edge = assistant(call("a", {}, long), call("b", {}, short), text(long));
    const [attached] = assistant(call("c", {}, "")).parts;
    assert.ok(attached?.type === "tool" && attached.state.status === "completed");
    attached.state.attachments = [image];
    const picture: Entry = { info: assistant().info, parts: [attached] };
    const newer = assistant(call("d", {}, long));
    const chat = chatOf(user("Hi."), edge, picture, newer);
    chat.pruned = { outputs: picture.info.id };
    const shown = visibleEntries(chat);
    const outputs = (entry: Entry | undefined) =>
      (entry?.parts ?? []).map((part) =>
        part.type === "tool" && part.state.status === "completed" ? part.state : part.type,
      );
    const [first, second, words] = outputs(shown[1]);
    const leftOut = "(This output is old and was left out. Call the tool again if you need it.)";
    assert.partialDeepStrictEqual(first, { status: "completed", output: leftOut, title: "a" });
    assert.partialDeepStrictEqual(second, { output: short });
    assert.equal(words, "text");
    const [bare] = outputs(shown[2]);
    assert.ok(typeof bare === "object" && bare.output === leftOut && !("attachments" in bare));
    assert.equal(shown[3], newer, "the marked message is the last");
    assert.equal(visibleEntries(chat)[1], shown[1], "the same objects");
    chat.pruned = { outputs: "unknown" };
    assert.deepEqual(visibleEntries(chat), chat.messages);
  });

  it("C7 counts the entries up to a message, also one that is not shown", () => {
    const messages = [user("a"), reply(), user("b"), reply(), user("c")];
    const chat = chatOf(...messages);
    const ids = messages.map(({ info }) => info.id);
    const [a, , b, reply2, c] = messages as [Entry, Entry, Entry, Entry, Entry];
    assert.equal(countUpTo(chat, messages, undefined), 0);
    assert.deepEqual(
      ids.map((id) => countUpTo(chat, messages, id)),
      [1, 2, 3, 4, 5],
    );
    assert.equal(countUpTo(chat, [a, b, c], ids[1]), 1);
    assert.equal(countUpTo(chat, [a, b, c], ids[3]), 2);
    assert.equal(countUpTo(chat, [reply2, c], ids[0]), 0);
    const copy = { ...b };
    assert.equal(countUpTo(chat, [a, copy, c], ids[3]), 2, "copies of entries have their messages");
  });
});

describe("C2 the size of each part", () => {
  const size = (part: Parameters<typeof user>[0]) => sizeOfPart(user(part).parts[0] as Part);
  const words = "Some words that are counted.";

  it("C2 is that of what is sent of it", () => {
    assert.equal(size(words), sizeOfText(words));
    assert.equal(size({ type: "text", text: words, ignored: true }), 0);
    assert.equal(size({ type: "reasoning", text: words, start: 1 } as never), sizeOfText(words));
    const file = { type: "file", filename: "a", url: "x".repeat(400) } as const;
    assert.equal(size({ ...file, mime: "image/png" }), 1600);
    assert.equal(size({ ...file, mime: "text/plain" }), 100);
    assert.equal(size({ ...file, mime: "text/plain", source: { start: 1, end: 2, text: words } }), sizeOfText(words));
    const added = [{ name: "t", description: words, schema: { type: "object" } }];
    assert.equal(size({ type: "tools", added, removed: [] } as never), sizeOfText(JSON.stringify(added)));
    assert.equal(size({ type: "patch", hash: "", files: [words] }), 0);
    assert.equal(sizeOfEntry(user(words, words)), 4 + 2 * sizeOfText(words));
  });

  it("C2 of a call: its input, and its output or error", () => {
    const input = { file_path: words };
    const asked = sizeOfText(JSON.stringify(input)) + 20;
    const states: [ToolState, number][] = [
      [{ status: "pending", input, raw: "" }, 0],
      [{ status: "running", input, start: 1 }, 0],
      [{ status: "error", input, error: words, start: 1, end: 2 }, sizeOfText(words)],
      [{ status: "completed", input, output: words, title: "", metadata: {}, start: 1, end: 2 }, sizeOfText(words)],
    ];
    for (const [state, output] of states) {
      const entry = user({ type: "tool", callID: "c", tool: "read", state });
      assert.equal(sizeOfPart(entry.parts[0] as Part), asked + output, state.status);
      assert.equal(sizeOfOutputs(entry), output);
    }
    const file = {
      id: "f",
      sessionID: "s",
      messageID: "m",
      type: "file",
      mime: "image/png",
      filename: "",
      url: "",
    } as const;
    const attachments = [file, file];
    const state = {
      status: "completed",
      input,
      output: "",
      title: "",
      metadata: {},
      attachments,
      start: 1,
      end: 2,
    } as const;
    assert.equal(
      sizeOfOutputs(
        user({ type: "tool", callID: "c", tool: "read", state: { ...state, attachments: [...attachments] } }),
      ),
      3200,
    );
  });

  it("C2 of text that still streams grows with it", () => {
    const [part] = user("Half").parts as [Extract<Part, { type: "text" }>];
    const before = sizeOfPart(part);
    part.text += " of many more words that came later";
    assert.equal(sizeOfPart(part), sizeOfText(part.text));
    assert.ok(sizeOfPart(part) > before);
  });

  it("C2 thoughts and outputs are told apart from the rest", () => {
    const thought = { type: "reasoning", text: words, start: 1 } as never;
    const entry = assistant(thought, text(words), call("read", {}, words));
    assert.equal(sizeOfThoughts(entry), sizeOfText(words));
    assert.equal(sizeOfOutputs(entry), sizeOfText(words));
  });
});

describe("C1 C2 how full the window is", () => {
  const counts: Tokens = { input: 5000, output: 60, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

  it("C2 the last count of a server holds, unless it was a summary, an estimate, cut, or broken off", () => {
    const later = user("Some more words.");
    const base = [user("Hi."), reply({ tokens: counts })];
    const estimated = sizeOfEntry(later);
    assert.equal(estimateContext([...base, later], config), 5060 + estimated);
    const newer = { ...counts, input: 9000 };
    assert.equal(estimateContext([...base, reply({ tokens: newer }), later], config), 9060 + estimated);
    const whole = reply({ tokens: newer });
    for (const more of [
      { summary: true },
      { estimated: true },
      { cut: true },
      { finish: "interrupted" as const },
      { tokens: { ...newer, input: 0, output: 0 } },
    ]) {
      const skipped = but(whole, more);
      assert.equal(estimateContext([...base, skipped], config), 5060 + sizeOfEntry(skipped), JSON.stringify(more));
    }
    const { finish: _, ...running } = whole.info as AssistantMessage;
    assert.equal(estimateContext([...base, { info: running, parts: whole.parts }], config), 5060 + sizeOfEntry(whole));
  });

  it("C2 estimates are corrected by what replies took, counts are not", () => {
    const scaled = { ...config, system: "Be brief.", tokenScale: () => 1.5 };
    const hi = user("Hi.");
    const fixed = sizeOfText("Be brief.") + sizeOfText("[]");
    assert.equal(estimateContext([hi], scaled), Math.ceil(1.5 * (fixed + sizeOfEntry(hi))));
    const counted = but(assistant(call("read", {}, "Some output.")), { finish: "tool-calls", tokens: counts });
    const added = sizeOfText("Some output.") + sizeOfEntry(hi);
    assert.equal(estimateContext([hi, counted, hi], scaled), 5060 + Math.ceil(1.5 * added));
  });

  it("C7 what a conversation began with counts, not what it would begin with now", () => {
    const chat = chatOf(user("Hi."));
    const now = { ...config, system: "Now." };
    assert.equal(asBegun(chat, now), now);
    chat.prefix = { system: "Then.", tools: [], told: {} };
    assert.partialDeepStrictEqual(asBegun(chat, now), {
      system: "Then.",
      definitions: chat.prefix.tools,
      model: now.model,
    });
    const definitions: never[] = [];
    const sized = ["A.", "A much longer system prompt than that.", "A."].map((system) =>
      estimateContext([], { ...config, system, definitions }),
    );
    assert.deepEqual(
      sized,
      ["A.", "A much longer system prompt than that.", "A."].map((system) => sizeOfText(system) + sizeOfText("[]")),
    );
  });

  it("C1 the answer's room is that of the model's replies, at most a third of the window", () => {
    const at = (window: number, more = {}) => overflowLimit(bareConfig(window, more), defaultLimits);
    assert.equal(at(120_000, { maxTokens: 20_000 }), 100_000);
    assert.equal(at(120_000, { maxTokens: 64_000 }), 80_000);
    assert.equal(at(120_000, { maxTokens: 1_000 }), 102_000);
    assert.equal(at(20_000, { maxTokens: 1_000 }), 16_000, "the reserve is the least");
    assert.equal(at(120_000, { inputLimit: 60_000 }), 56_000);
    assert.equal(at(10_001), 7_500, "whole tokens");
  });

  it("C2 what fills the window is told by kind", () => {
    const system = "The system prompt. Some rules of the project. Notes. A skill.";
    const prompt = {
      base: "The system prompt.",
      rules: "Some rules of the project.",
      memory: "Notes.",
      skills: "A skill.",
      added: "",
    };
    const noFiles = { rules: [], memory: undefined };
    const definitions = [{ name: "t", description: "d", schema: {} }];
    const used = { ...config, system, definitions };
    const entries = [
      user("Hi."),
      but(assistant(call("read", {}, "Some output.")), { finish: "tool-calls", tokens: counts }),
    ];
    const chatOf = (messages: Entry[]) => ({ ...newSession(""), messages });
    const { window, limit, reported, parts } = contextUse(chatOf(entries), used, prompt, noFiles, defaultLimits);
    const sizes = [prompt.rules, prompt.memory, prompt.skills, "Some output."].map(sizeOfText);
    const [rules, memory, skills, outputs] = sizes as [number, number, number, number];
    assert.deepEqual(
      { window, limit, reported, parts },
      {
        window: 100_000,
        limit: 85_000,
        reported: 5060,
        parts: [
          { name: "system", tokens: sizeOfText(system) - rules - memory - skills },
          { name: "rules", tokens: rules },
          { name: "memory", tokens: memory },
          { name: "skills", tokens: skills },
          { name: "tools", tokens: sizeOfText(JSON.stringify(definitions)), count: 1 },
          { name: "messages", tokens: entries.reduce((all, entry) => all + sizeOfEntry(entry), 0) - outputs },
          { name: "outputs", tokens: outputs },
        ],
      },
    );
    const long = { ...prompt, rules: "word ".repeat(500), memory: "word ".repeat(500) };
    const capped = contextUse(chatOf([]), used, long, noFiles, defaultLimits).parts.slice(0, 3);
    assert.deepEqual(
      capped.map(({ tokens }) => tokens),
      [0, sizeOfText(system), 0],
      "a conversation may have begun with others",
    );
  });

  it("C2 the count that is told is that of the last reply that has one, and of no summary", () => {
    const none = { base: "", rules: "", memory: "", skills: "", added: "" };
    const noFiles = { rules: [], memory: undefined };
    const reported = (...entries: Entry[]) =>
      contextUse({ ...newSession(""), messages: entries }, config, none, noFiles, defaultLimits).reported;
    assert.equal(reported(user("Hi.")), undefined);
    assert.equal(reported(reply()), undefined);
    const counted = reply({ tokens: counts });
    assert.equal(reported(counted, user("x"), reply()), 5060);
    assert.equal(reported(counted, summary({ tokens: { ...counts, input: 1 } })), undefined);
    assert.equal(reported(reply({ tokens: { ...counts, input: 1, output: 0 } }), reply()), 1);
  });
});

describe("C6 pruning by size", () => {
  /** A reply with one call whose output has exactly so many tokens. */
  function output(tokens: number): Entry {
    return but(assistant(call("big", {}, "漢".repeat(tokens))), { finish: "tool-calls", completedAt: 1 });
  }

  function pruned(...messages: Entry[]): ChatEvent[] {
    const events: ChatEvent[] = [];
    const { signal } = new AbortController();
    prune({ chat: chatOf(user("Hi."), ...messages), signal, emit: (event) => void events.push(event), flush() {} });
    return events;
  }

  it("C6 keeps the newest 40,000 tokens of outputs, and removes others if they are 20,000 or more", () => {
    const [older, old, talk] = [output(8_000), output(12_000), reply({ completedAt: 1 })];
    const newest = [output(25_000), output(15_000)];
    const { id: outputs } = old.info;
    const expected = [
      { type: "pruned", outputs },
      { type: "unbound", messageID: newest[1]?.info.id },
    ];
    assert.deepEqual(pruned(older, old, talk, ...newest), expected);
    assert.deepEqual(pruned(output(7_999), old, talk, ...newest), [], "too little");
    const almost = [output(25_000), output(14_999)];
    assert.deepEqual(pruned(older, old, ...almost), [], "the tail is not full");
    assert.partialDeepStrictEqual(pruned(output(20_000), old, ...almost), [{ type: "pruned" }]);
    assert.deepEqual(pruned(), []);
  });
});
