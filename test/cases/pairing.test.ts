/** Pairing of calls and results in requests, whatever the state of the chat. */
import assert from "node:assert/strict";
import * as z from "zod/mini";
import type { Entry } from "../../src/chat/apply.ts";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { anthropicBody as anthropicBytes } from "../../src/providers/anthropic/anthropic-request.ts";
import { openaiModel } from "../chat-model.ts";
import { assertValid } from "../fuzz/valid.ts";
import { harnesses, until } from "../loop/harness.ts";
import { anthropicEvents, openaiEvents } from "../model-server/encode.ts";
import { type Answer, type ModelServer, startModelServer } from "../model-server.ts";
import { assistant, call, chatBodyText, replyOf, request, user } from "../wire/ask.ts";
import { loopCases } from "./loop-cases.ts";
import { recording } from "./provider-failures.ts";

const anthropicBody = (...asked: Parameters<typeof anthropicBytes>) => Buffer.from(anthropicBytes(...asked)).toString();

const time = { start: 1 };

/** Returns the request body for each provider after checking it. */
function bodies(entries: Entry[], system = "You are a test."): { anthropic: string; openai: string } {
  const anthropic = anthropicBody(request({ entries, system }));
  const openai = chatBodyText(request({ entries, system }), false);
  for (const [api, raw] of Object.entries({ anthropic, openai })) check(api === "anthropic" ? api : "openai", raw);
  return { anthropic, openai };
}

function check(api: "anthropic" | "openai", raw: string): void {
  const left = new Promise<number>(() => undefined);
  assertValid({ api, raw, body: JSON.parse(raw), path: "", headers: {}, arrivedAt: 0, answeredAt: undefined, left });
}

const History = z.array(
  z.object({
    role: z.enum(["user", "assistant", "tool"]),
    text: z.string(),
    tool_call_id: z.optional(z.string()),
    tool_calls: z.optional(z.array(z.object({ id: z.string(), name: z.string() }))),
  }),
);

/** Makes a chat of these messages; a call without a result was running when the session ended. */
function entriesOf(history: z.infer<typeof History>): Entry[] {
  return history.flatMap(({ role, text, tool_calls = [] }) => {
    if (role === "tool") return [];
    if (role === "user") return [user(text)];
    const parts = tool_calls.map(({ id, name }) => {
      const result = history.find(({ tool_call_id }) => tool_call_id === id);
      const done = { ...call(name, {}, result?.text ?? ""), callID: id };
      return result ? done : { ...done, state: { status: "running", input: {}, start: 1 } as const };
    });
    return [assistant({ type: "text", text }, ...parts)];
  });
}

/** Returns the messages for Anthropic. */
function told(entries: Entry[]) {
  return JSON.parse(bodies(entries).anthropic).messages;
}

function failed(error: string): ReturnType<typeof call> {
  return { ...call("bash", {}, ""), state: { status: "error", input: {}, error, start: 1, end: 2 } };
}

describe("I8 calls and results", () => {
  it("the result of an interrupted call precedes the user's next message; the chat does not change", () => {
    const open = { ...call("search", {}, ""), state: { status: "running", input: {}, start: 1 } } as const;
    const entries = [user("Look"), assistant({ type: "text", text: "I look." }, open), user("please go on")];
    const before = structuredClone(entries);
    const [, , last] = told(entries);
    assert.deepEqual(
      last.content.map(({ type, is_error }: { type: string; is_error?: boolean }) => [type, is_error]),
      [
        ["tool_result", true],
        ["text", undefined],
      ],
    );
    assert.deepEqual(entries, before);
  });

  it("C4 a discarded call is not sent, nor is a message that contains nothing else", () => {
    const cut = call("write", {}, "");
    const discarded = {
      ...cut,
      state: { status: "error", input: {}, error: "cut", metadata: { discarded: true }, start: 1, end: 2 },
    } as const;
    const text = { type: "text", text: "I write." } as const;
    assert.equal(told([user("Go"), assistant(discarded), user("Shorter")]).length, 1);
    const both = bodies([user("Go"), assistant(text, discarded, call("read", {}, "1")), user("Shorter")]);
    for (const body of Object.values(both)) assert.doesNotMatch(body, /write"/);
    assert.equal(told([user("Go"), assistant(text, discarded), user("Shorter")])[1].content.length, 1);
  });

  it("blank texts and empty outputs are not sent as empty blocks", () => {
    const entries = [user("Go"), assistant({ type: "text", text: "  \n" }, call("r", {}, ""), failed("")), user(" ")];
    const [, reply, results] = told(entries);
    assert.equal(reply.content.length, 2);
    for (const { content } of results.content) assert.match(content, /\w/);
    assert.equal(JSON.parse(bodies(entries).openai).messages[2].content, null);
  });

  it("lone surrogates are replaced, and valid pairs are kept", () => {
    const half = "cut \ud83d here";
    const looks = "\\ud83d and \\\\ud83d and 👋";
    const entries = [
      user(half, looks),
      assistant({ type: "text", text: half }, call("r", { [half]: half, looks }, half)),
    ];
    const { anthropic, openai } = bodies(entries, half);
    for (const body of [anthropic, openai]) assert.ok(body.includes(JSON.stringify(looks).slice(1, -1)), body);
    const [{ function: called }] = JSON.parse(openai).messages[2].tool_calls;
    assert.ok(JSON.stringify(JSON.parse(called.arguments)).includes("\ufffd"));
  });

  it("a duplicate id is replaced, within a reply and across replies, and stays the same in later requests", () => {
    const same = (output: string) => ({ ...call("r", {}, output), callID: "call_0" });
    const entries = [user("Go"), assistant(same("1"), same("2")), assistant(same("3")), assistant(same("4"))];
    const shorter = told(entries.slice(0, 3));
    assert.deepEqual(told(entries).slice(0, shorter.length), shorter);
    const first = told([user("Go"), assistant(same("1")), assistant(same("2"))]);
    assert.equal(first[1].content[0].id, "call_0");
    assert.notEqual(first[3].content[0].id, "call_0");
  });

  it("a call whose name is invalid for a tool is sent back under a valid one", () => {
    const { anthropic, openai } = bodies([user("Go"), assistant(call("read the file!", {}, "1"), call("", {}, "2"))]);
    for (const body of [anthropic, openai]) assert.match(body, /"read_the_file_".*"unnamed"/);
  });

  it("a user message is inserted between and before replies that have none", () => {
    const text = (said: string) => assistant({ type: "text", text: said });
    const messages = told([
      text("Summary"),
      text("More"),
      user({ type: "text", text: "seen", ignored: true }),
      text("End"),
    ]);
    const roles = messages.map(({ role }: { role: string }) => role);
    assert.deepEqual(roles, ["user", "assistant", "user", "assistant", "user", "assistant", "user"]);
  });
});

describe("D3 parts without text", () => {
  it("a mention becomes a request to delegate; compactions and subtasks send nothing; silent messages are sent", () => {
    const silent = user("Write down what lasts.");
    silent.info = { ...silent.info, silent: true };
    const entries = [
      user({ type: "text", text: "Look at this" }, { type: "agent", name: "explore" }),
      user({ type: "compaction", auto: true }),
      user({ type: "subtask", agent: "general", description: "Count files", prompt: "Count them" }),
      silent,
    ];
    const { anthropic, openai } = bodies(entries);
    assert.deepEqual(
      JSON.parse(anthropic).messages[0].content.map(({ text }: { text: string }) => text),
      ["Look at this", "Use the task tool to hand work to the agent explore.", "Write down what lasts."],
    );
    assert.match(JSON.parse(openai).messages[1].content, /agent explore\.\n\nWrite down/);
  });

  it("text that is only shown is never sent, no matter who wrote it", () => {
    const aside = { type: "text", text: "A hook said this", ignored: true } as const;
    for (const body of Object.values(
      bodies([user("Go", aside), assistant(aside, { type: "text", text: "ok" }), user("?")]),
    )) {
      assert.doesNotMatch(body, /A hook/);
    }
  });
});

describe("E3 provider data of one model", () => {
  const thought = { type: "reasoning", text: "Hm.", time, metadata: { signature: "sig1" } } as const;
  const details = [{ type: "reasoning.text", text: "Hm.", signature: "sig2" }];
  const openaiThought = { ...thought, metadata: { field: "reasoning_content", reasoning_details: details } };
  const signed = call("read", {}, "1");
  if (signed.state.status === "completed")
    signed.state.metadata = { provider: { extra_content: { signature: "sig3" } } };
  const modelID = "test-model";

  for (const [who, model] of Object.entries({
    "another model": { providerID: "anthropic", modelID: "claude-haiku-4-5" },
    "another provider": { providerID: "openai", modelID },
  })) {
    it(`thinking and signatures of ${who} are not sent to Anthropic`, () => {
      const entries = [user("Go"), replyOf(model, thought, openaiThought, signed), user("And?")];
      assert.doesNotMatch(bodies(entries).anthropic, /sig\d|Hm/);
      assert.match(bodies([user("Go"), assistant(thought, signed)]).anthropic, /sig1/);
    });
  }

  it("nor are they sent to OpenAI", () => {
    const entries = [user("Go"), assistant(thought, openaiThought, signed), user("And?")];
    assert.doesNotMatch(bodies(entries).openai, /sig\d|Hm/);
    const own = [user("Go"), replyOf({ providerID: "openai", modelID }, openaiThought, signed)];
    assert.match(bodies(own).openai, /sig2.*sig3/);
  });

  it("an entry is converted again for another model, and again for the first one", () => {
    const entries = [user("Go"), assistant(thought, { type: "text", text: "ok" }), user("And?")];
    const first = anthropicBody(request({ entries }));
    assert.doesNotMatch(anthropicBody(request({ entries, model: "claude-opus-5-5" })), /sig1/);
    assert.equal(anthropicBody(request({ entries })), first);
  });
});

describe("L10 L11 a stopped call", () => {
  const open = harnesses();

  it("is sent with its output so far and a note that the user stopped it", async () => {
    const command = "printf 'partial output\\n' >&2; sleep 60";
    const h = open([[{ call: "bash", input: { command } }], ["Fine."]], { mode: "bypassPermissions" });
    const turn = h.turn();
    await until(() => h.events.some((event) => event.type === "output" && event.text.includes("partial output")));
    await h.session.stop();
    assert.equal((await turn).reason, "interrupted");
    await h.turn("follow up");
    assert.equal(h.model.requests.length, 2);
    const { entries = [] } = h.model.requests[1] ?? {};
    const [, , results] = told([...entries]);
    assert.match(JSON.stringify(results.content[0]), /partial output.*(aborted|stopped) by (the )?user/i);
    assert.equal(results.content[1].text, "follow up");
  });
});

describe("E3 E4 data that is sent back", () => {
  const open = harnesses();
  let server: ModelServer | undefined;
  afterEach(() => server?.stop());

  /** Returns the request that follows this answer of the model. */
  async function nextRequest(api: "anthropic" | "openai", answer: Answer): Promise<string> {
    server = await startModelServer([answer, [{ text: "ok" }]]);
    const model = (api === "anthropic" ? anthropicModel : openaiModel)({ apiKey: "test-key-1", baseURL: server.url });
    const choices = { model: { providerID: api, modelID: "test-model" } };
    const h = open([], { openModel: async () => model, choices, mode: "bypassPermissions" });
    await h.turn();
    if (server.requests.length < 2) await h.turn("And?");
    const [, second] = server.requests;
    assert.ok(second);
    assertValid(second);
    return second.raw;
  }

  const read = { call: { name: "read", input: { file_path: "a" }, id: "call_same_id_0" } };

  it("signature-only and redacted thinking are sent back unchanged and in place", async () => {
    const raw = await nextRequest("anthropic", [
      { redacted: "blob1" },
      { thinking: "", signature: "sig" },
      { redacted: "blob2" },
      read,
    ]);
    assert.deepEqual(JSON.parse(raw).messages[1].content.slice(0, 3), [
      { type: "redacted_thinking", data: "blob1" },
      { type: "thinking", thinking: "", signature: "sig" },
      { type: "redacted_thinking", data: "blob2" },
    ]);
  });

  it("two calls with the same id become two calls with different ids", async () => {
    const said = { blocks: [read, { ...read, call: { ...read.call, input: { file_path: "b" } } }] };
    await nextRequest("anthropic", { bytes: anthropicEvents(said).join("") });
    await server?.stop();
    await nextRequest("openai", { bytes: openaiEvents(said).join("") });
  });

  const histories = loopCases("pairing").flatMap(({ id, title, input }) => {
    const history = z.safeParse(History, input["history"]);
    return history.success ? [{ id, title, history: history.data }] : [];
  });
  describe("collected chats", () => {
    for (const { id, title, history } of histories) {
      it(`${id} ${title}`, () => {
        const entries = entriesOf(history);
        const before = structuredClone(entries);
        const { anthropic } = bodies(entries);
        assert.deepEqual(entries, before);
        // A history entry without a call belongs to no chat, so nothing is sent.
        const calls = history.flatMap(({ tool_calls = [] }) => tool_calls);
        assert.equal(anthropic.split('"tool_result"').length - 1, calls.length);
      });
    }
  });

  const streamed = loopCases("pairing").filter(({ input }) => typeof input["stream"] === "string");
  describe("collected cases with a recorded stream", () => {
    for (const { id, title, input, expect } of streamed) {
      it(`${id} ${title}`, async function () {
        const name = String(input["stream"]);
        const bytes = recording(name);
        if (!bytes) return this.skip();
        const raw = await nextRequest(name.startsWith("a") ? "anthropic" : "openai", { bytes });
        if (!expect["data_equal"]) return;
        const data = [...bytes.toString().matchAll(/"type":"redacted_thinking","data":"([^"]+)"/g)].map(
          ([, blob]) => blob,
        );
        assert.ok(data.length > 0);
        for (const blob of data) assert.ok(raw.includes(blob ?? "?"));
      });
    }
  });
});
