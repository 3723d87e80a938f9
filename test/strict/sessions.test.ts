/**
 * Property: whatever happens in a session, what a model was sent before its reply is what it is sent before it later, or
 * its thoughts are left out (C7). The servers bind thoughts, refuse or count those that no longer fit, and report more.
 */
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import * as z from "zod/mini";
import type { PermissionMode } from "../../src/chat/permission-mode.ts";
import { type Hooks, noOutcome } from "../../src/loop/hooks.ts";
import type { Thinking } from "../../src/loop/model.ts";
import { IntakeError } from "../../src/loop/session/intake-error.ts";
import { eventsOf, forkChat } from "../../src/loop/transfer/fork.ts";
import { replay } from "../../src/record/replay.ts";
import { defineTool, type Tool } from "../../src/tools/tool.ts";
import { answersTo } from "../loop/answers.ts";
import type { Harness } from "../loop/harness.ts";
import { randomly } from "../random.ts";
import { anthropicProvider, messagesRows } from "./anthropic.ts";
import { openaiResponses } from "./openai.ts";
import { openSession } from "./stories.ts";
import { type Block, type ScriptedReply, StrictServer } from "./strict-server.ts";

const runs = 25;

const call = (name: string, input: Record<string, unknown> = {}): Block => ({ call: { name, input } });

const calls = fc.constantFrom(
  call("read", { file_path: "a.txt" }),
  call("Read", { file_path: "b.txt" }),
  call("read", { file_path: "dot.png" }),
  call("bash", { command: "echo sent" }),
  call("bash", { command: "echo behind", run_in_background: true }),
  call("write", { file_path: "c.txt", content: "gamma\n" }),
  call("nowhere", { a: 1 }),
  call("big"),
  call("lately", { n: 1 }),
  call("task", { description: "Look", prompt: "Look.", subagent_type: "general" }),
);

const block: fc.Arbitrary<Block> = fc.oneof(
  fc.constant<Block>({ thinking: "Hm." }),
  fc.constant<Block>({ text: "Well." }),
  calls,
  calls,
);

/** Begins with a thought, so that each reply is bound; more of them stand between the calls. */
const step = fc.array(block, { minLength: 1, maxLength: 5 }).map((rest): Block[] => [{ thinking: "So." }, ...rest]);

const deeds = [
  "nothing",
  "nothing",
  "note",
  "stored note",
  "stop",
  "switch",
  "compact",
  "rewind",
  "rewind and back",
  "reload",
  "fork",
  "plan",
  "effort",
  "rules",
  "tools",
  "big",
  "subtask",
  "switched off",
  "drop",
  "drop and back",
  "pin",
] as const;

const round = fc.record({
  steps: fc.array(step, { maxLength: 3 }),
  /** What happens while the model replies, and when the turn is over. */
  during: fc.constantFrom(...deeds),
  after: fc.constantFrom(...deeds),
  answers: fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 3 }),
  hook: fc.constantFrom("none", "none", "change", "words"),
});
type Round = typeof round extends fc.Arbitrary<infer One> ? One : never;

function lately(version: number): Tool {
  return defineTool({
    name: "lately",
    sideEffect: "read-only",
    description: `A tool that comes late, version ${version}.`,
    input: z.object({ n: z.optional(z.number()) }),
    prepare: async () => ({
      title: "Run lately",
      preview: { type: "text", text: "lately" },
      requires: [],
      writes: [],
      run: async () => ({ output: "late", metadata: {} }),
    }),
  });
}

/** A session that changes hands: a reload or a fork goes on in another one. */
class Play {
  readonly #servers: readonly StrictServer[];
  readonly #opened: Harness[] = [];
  readonly #project = { rules: [{ path: "AGENTS.md", text: "Be brief." }], branch: "main" };
  #tools: Tool[] = [];
  #round: Round | undefined;
  #asked = 0;
  #changes = 0;
  h: Harness;

  constructor(servers: readonly StrictServer[]) {
    this.#servers = servers;
    this.h = this.#open(undefined);
  }

  #open(chat: Harness["chat"] | undefined): Harness {
    const hooks: Hooks = {
      has: (event) => event === "PreToolUse" || event === "PostToolUse",
      fire: async (event, subject) => {
        const hook = this.#round?.hook;
        if (event === "PostToolUse")
          return hook === "words" ? { ...noOutcome, additionalContext: ["Note it."] } : noOutcome;
        const change = { command: `echo changed ${++this.#changes}` };
        return hook === "change" && subject === "bash" ? { ...noOutcome, updatedInput: change } : noOutcome;
      },
    };
    const h = openSession(this.#servers, {
      ...(chat && { chat }),
      externalTools: { ready: async () => {}, tools: () => this.#tools },
      more: {
        mode: "default",
        hooks,
        project: this.#project,
        choices: { model: this.#servers[0]?.ref ?? assert.fail() },
      },
    });
    // The record is whole, so that it can be opened again.
    for (const event of chat ? eventsOf(chat) : []) h.transcript.append(event);
    h.session.listen((event) => {
      if (event.type !== "asked") return;
      const all = answersTo(event.request);
      const { answers = [0] } = this.#round ?? {};
      const next = all[(answers[this.#asked++ % answers.length] ?? 0) % all.length] ?? assert.fail();
      setImmediate(() => h.session.answer(event.request.id, next));
    });
    this.#opened.push(h);
    return h;
  }

  async round(round: Round): Promise<void> {
    this.#round = round;
    const last: ScriptedReply = { blocks: [{ thinking: "Done now." }, { text: "Done." }] };
    const replies: ScriptedReply[] = [...round.steps.map((blocks) => ({ blocks })), last];
    const [first = last] = replies;
    let isHanging = false;
    first.before = () => this.#during(round.during);
    if (round.during === "stop") {
      first.hangAfter = 5;
      first.before = () => {
        isHanging = true;
      };
    }
    for (const server of this.#servers) server.script(...replies.map((one) => ({ ...one })));
    let isOver = false;
    const subtask = { type: "subtask", agent: "general", description: "Look", prompt: "Look." } as const;
    const parts = round.during === "subtask" ? { parts: [{ type: "text", text: "Go." } as const, subtask] } : {};
    const tools = round.during === "switched off" ? { tools: { bash: false } } : {};
    const turn = this.h.turn("Go on.", { ...parts, ...tools }).finally(() => {
      isOver = true;
    });
    if (round.during === "stop") {
      while (!isHanging && !isOver) await wait(1);
      await wait(5);
      await this.h.session.stop();
    }
    const { reason, error } = await turn;
    const isExpected = reason !== "error" || error?.code === "empty-reply";
    assert.ok(isExpected, `${error?.code}: ${error?.message}`);
    await this.#after(round.after);
  }

  #during(deed: Round["during"]): void {
    const { session } = this.h;
    if (deed === "note") void this.h.send("This, too.");
    if (deed === "stored note") void this.h.send("Know this.", { noReply: true });
    if (deed === "plan") session.setMode(this.#otherMode());
    if (deed === "switch") this.#switch();
    if (deed === "effort") session.choose({ thinking: this.#otherEffort() });
    if (deed === "tools") this.#changeTools();
    if (deed === "drop" || deed === "drop and back" || deed === "pin") void this.#mark(deed);
  }

  /** Pins or drops some part that can be: those that cannot are refused. */
  async #mark(deed: "drop" | "drop and back" | "pin"): Promise<void> {
    const { session, chat } = this.h;
    const parts = chat.messages.flatMap((entry) => entry.parts);
    const { id = "" } = parts[(this.#changes++ * 7) % parts.length] ?? {};
    try {
      await session.changePiece(id, deed === "pin" ? "pin" : "drop");
      if (deed === "drop and back") await session.changePiece(id, "put-back");
    } catch (error) {
      ignoreIntake(error);
    }
  }

  async #after(deed: Round["after"]): Promise<void> {
    const { session, chat } = this.h;
    const prompts = chat.messages.filter(({ info }) => info.role === "user");
    const some = prompts[Math.floor(prompts.length / 2)]?.info.id ?? assert.fail();
    switch (deed) {
      case "compact":
        for (const server of this.#servers)
          server.script({ blocks: [{ thinking: "I sum up." }, { text: "So it was." }] });
        await session.compact().catch(ignoreIntake);
        return;
      case "big":
        for (const server of this.#servers)
          server.script({
            blocks: [{ thinking: "Much." }, ...Array.from({ length: 12 }, (_, n) => call("big", { n }))],
          });
        await this.h.turn("Read it all.");
        return;
      case "rewind":
      case "rewind and back":
        await session.rewind(some);
        if (deed === "rewind and back") await session.rewind(null);
        return;
      case "reload":
        this.h.transcript.flush();
        await session.dispose();
        this.h = this.#open(replay(this.h.transcript.path).chat);
        return;
      case "fork":
        await session.dispose();
        this.h = this.#open(forkChat(chat, some));
        return;
      case "rules":
        this.#project.rules = [{ path: "AGENTS.md", text: `Be brief, ${++this.#changes}.` }];
        this.#project.branch = `topic-${this.#changes}`;
        return;
      case "note":
        return;
      case "stored note":
        await this.h.send("Know this.", { noReply: true });
        return;
      default:
        this.#during(deed);
    }
  }

  #switch(): void {
    const { model } = this.h.session.choices;
    const other = this.#servers.find(({ ref }) => ref.modelID !== model.modelID) ?? assert.fail();
    this.h.session.choose({ model: other.ref });
  }

  #otherMode(): PermissionMode {
    return this.h.session.choices.mode === "plan" ? "default" : "plan";
  }

  #otherEffort(): Thinking {
    const efforts: Thinking[] = ["default", "low", "medium", "high"];
    return efforts[(efforts.indexOf(this.h.session.choices.thinking) + 1 + (this.#changes++ % 2)) % 4] ?? "default";
  }

  #changeTools(): void {
    this.#tools = this.#tools.length > 0 && this.#changes % 2 ? [] : [lately(++this.#changes)];
  }

  async close(): Promise<void> {
    for (const h of this.#opened) await h.close();
  }
}

function ignoreIntake(error: unknown): void {
  if (!(error instanceof IntakeError)) throw error;
}

describe("strict servers: whatever happens in a session", () => {
  const servers: StrictServer[] = [];
  const anthropic = ["claude-opus-5-5", "claude-sonnet-5-5"].map((name) =>
    anthropicProvider(messagesRows.find(({ model }) => model === name) ?? assert.fail()),
  );
  const openai = ["gpt-6.2-sol", "gpt-6.2-astra"].map(openaiResponses);
  before(async () => {
    servers.push(...(await Promise.all([...anthropic, ...openai].map((one) => StrictServer.start(one as never)))));
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });

  for (const [name, from, dropped] of [
    ["Anthropic", 0, []],
    ["OpenAI", 2, openai],
  ] as const) {
    randomly(`C7 I8 ${name} refuses nothing, and leaves out no thought, in ${runs} sessions`, async function () {
      this.timeout(240_000);
      const pair = servers.slice(from, from + 2);
      const property = fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 5 }), async (rounds) => {
        for (const server of pair) server.play();
        for (const server of dropped) server.dropped.length = 0;
        const play = new Play(pair);
        try {
          for (const one of rounds) await play.round(one);
        } finally {
          await play.close();
        }
        for (const { provider, refusals } of pair)
          assert.deepEqual(refusals, [], `${provider.model} refused a request`);
        for (const server of dropped) assert.deepEqual(server.dropped, [], "thoughts were left out");
      });
      await fc.assert(property, { numRuns: runs });
    });
  }
});
