/** Calls and their results, and what goes back to which model, in whatever state a chat is. */
import assert from "node:assert/strict";
import type { Entry } from "../../src/loop/apply.ts";
import { anthropicModel } from "../../src/loop/models/anthropic.ts";
import { requestBody as anthropicBody } from "../../src/loop/models/anthropic-request.ts";
import { openaiModel } from "../../src/loop/models/openai.ts";
import { requestBody as openaiBody } from "../../src/loop/models/openai-request.ts";
import { harnesses } from "../loop/harness.ts";
import { anthropicEvents, openaiEvents } from "../model-server/encode.ts";
import { type Answer, type ModelServer, startModelServer } from "../model-server.ts";
import { assistant, call, replyOf, request, user } from "../wire/ask.ts";
import { checkAnthropic, checkOpenAI } from "../wire/valid.ts";
import { recording } from "./failing.ts";
import { sharedCases } from "./shared.ts";

const time = { start: 1 };

/** The body for each provider, checked. */
function bodies(entries: Entry[]): { anthropic: string; openai: string } {
  const anthropic = anthropicBody(request({ entries }));
  const openai = openaiBody(request({ entries }), false);
  checkAnthropic(anthropic);
  checkOpenAI(openai);
  return { anthropic, openai };
}

/** The messages for Anthropic. */
function told(entries: Entry[]) {
  return JSON.parse(bodies(entries).anthropic).messages;
}

function failed(error: string): ReturnType<typeof call> {
  return { ...call("bash", {}, ""), state: { status: "error", input: {}, error, start: 1, end: 2 } };
}

describe("I8 calls and results", () => {
  it("the result of a call that was interrupted stands before the user's next words; the chat stays as it is", () => {
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

  it("C4 a call that was discarded is not told, nor a message that held nothing else", () => {
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

  it("blank texts and empty outputs are no blocks without a word", () => {
    const entries = [user("Go"), assistant({ type: "text", text: "  \n" }, call("r", {}, ""), failed("")), user(" ")];
    const [, reply, results] = told(entries);
    assert.equal(reply.content.length, 2);
    for (const { content } of results.content) assert.match(content, /\w/);
    assert.equal(JSON.parse(bodies(entries).openai).messages[2].content, null);
  });

  it("halves of characters are replaced, and what only looks like one is kept", () => {
    const half = "cut \ud83d here";
    const looks = "\\ud83d and \\\\ud83d and 👋";
    const entries = [
      user(half, looks),
      assistant({ type: "text", text: half }, call("r", { [half]: half, looks }, half)),
    ];
    const { anthropic, openai } = bodies(entries);
    for (const body of [anthropic, openai]) assert.ok(body.includes(JSON.stringify(looks).slice(1, -1)), body);
    checkAnthropic(anthropicBody(request({ entries, system: half })));
    checkOpenAI(openaiBody(request({ entries, system: half }), false));
    const [{ function: called }] = JSON.parse(openai).messages[2].tool_calls;
    assert.ok(JSON.stringify(JSON.parse(called.arguments)).includes("\ufffd"));
  });

  it("an id that is taken gets another, in one reply and over many, and stays the same from request to request", () => {
    const same = (output: string) => ({ ...call("r", {}, output), callID: "call_0" });
    const entries = [user("Go"), assistant(same("1"), same("2")), assistant(same("3")), assistant(same("4"))];
    const shorter = told(entries.slice(0, 3));
    assert.deepEqual(told(entries).slice(0, 3), shorter);
    const first = told([user("Go"), assistant(same("1")), assistant(same("2"))]);
    assert.equal(first[1].content[0].id, "call_0");
    assert.notEqual(first[3].content[0].id, "call_0");
  });

  it("replies without a user's word between them, or before them, are kept apart by one", () => {
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

describe("D3 parts that are no words", () => {
  it("a mention becomes a request to hand work over; compactions and subtasks say nothing; silent messages are told", () => {
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

  it("what is shown only is not told, whoever said it", () => {
    const aside = { type: "text", text: "A hook said this", ignored: true } as const;
    for (const body of Object.values(
      bodies([user("Go", aside), assistant(aside, { type: "text", text: "ok" }), user("?")]),
    )) {
      assert.doesNotMatch(body, /A hook/);
    }
  });
});

describe("E3 what belongs to one model", () => {
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
    it(`thinking and signatures of ${who} do not go to Anthropic`, () => {
      const entries = [user("Go"), replyOf(model, thought, openaiThought, signed), user("And?")];
      assert.doesNotMatch(bodies(entries).anthropic, /sig\d|Hm/);
      assert.match(bodies([user("Go"), assistant(thought, signed)]).anthropic, /sig1/);
    });
  }

  it("nor to OpenAI", () => {
    const entries = [user("Go"), assistant(thought, openaiThought, signed), user("And?")];
    assert.doesNotMatch(bodies(entries).openai, /sig\d|Hm/);
    const own = [user("Go"), replyOf({ providerID: "openai", modelID }, openaiThought, signed)];
    assert.match(bodies(own).openai, /sig2.*sig3/);
  });

  it("an entry is told anew when another model is asked, and then as before", () => {
    const entries = [user("Go"), assistant(thought, { type: "text", text: "ok" }), user("And?")];
    const first = anthropicBody(request({ entries }));
    assert.doesNotMatch(anthropicBody(request({ entries, model: "claude-opus-5-5" })), /sig1/);
    assert.equal(anthropicBody(request({ entries })), first);
  });
});

describe("E3 E4 what comes back", () => {
  const open = harnesses();
  let server: ModelServer | undefined;
  afterEach(() => server?.stop());

  /** The request after an answer of the model. */
  async function after(api: "anthropic" | "openai", answer: Answer): Promise<string> {
    server = await startModelServer([answer, [{ text: "ok" }]]);
    const model = (api === "anthropic" ? anthropicModel : openaiModel)({ apiKey: "test-key-1", baseURL: server.url });
    const choices = { model: { providerID: api, modelID: "test-model" } };
    const h = open([], { openModel: async () => model, choices, mode: "bypassPermissions" });
    await h.turn();
    if (server.requests.length < 2) await h.turn("And?");
    const [, second] = server.requests;
    assert.ok(second);
    (api === "anthropic" ? checkAnthropic : checkOpenAI)(second.raw);
    return second.raw;
  }

  const read = { call: { name: "read", input: { file_path: "a" }, id: "call_same_id_0" } };

  it("thinking that is a signature alone, and redacted thinking, unchanged and in their places", async () => {
    const raw = await after("anthropic", [
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

  it("two calls with one id are two calls with two", async () => {
    const said = { blocks: [read, { ...read, call: { ...read.call, input: { file_path: "b" } } }] };
    await after("anthropic", { bytes: anthropicEvents(said).join("") });
    await server?.stop();
    await after("openai", { bytes: openaiEvents(said).join("") });
  });

  const shared = sharedCases("pairing").filter(({ input }) => typeof input["stream"] === "string");
  (shared.length > 0 ? describe : describe.skip)("as other tools' tests have it", () => {
    for (const { id, title, input, expect } of shared) {
      it(`${id} ${title}`, async function () {
        const name = String(input["stream"]);
        const bytes = recording(name);
        if (!bytes) return this.skip();
        const raw = await after(name.startsWith("a") ? "anthropic" : "openai", { bytes });
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
