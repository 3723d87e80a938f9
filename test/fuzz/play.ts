/** Plays a random script through a session, the real SDKs and a loopback server, and checks its invariants. */
import assert from "node:assert/strict";
import * as z from "zod/mini";
import type { UserRequest } from "../../src/chat/requests.ts";
import type { SessionLock } from "../../src/loop/storage.ts";
import { openModel } from "../../src/providers/providers.ts";
import { write } from "../../src/tools/built-in/write.ts";
import { defineTool, type Tool } from "../../src/tools/tool.ts";
import { answersTo } from "../loop/answers.ts";
import { Harness } from "../loop/harness.ts";
import { randomTools } from "../loop/random-tools.ts";
import { type ModelServer, startModelServer } from "../model-server.ts";
import { answerTo, type Deed, type Script } from "./scripts.ts";
import { assertValid } from "./valid.ts";

/** Prints this many characters. */
const big: Tool = defineTool({
  name: "big",
  sideEffect: "read-only",
  description: "A test.",
  input: z.object({ n: z.number() }),
  prepare: async ({ n }) => ({
    title: "Run big",
    preview: { type: "text", text: "big" },
    requires: [],
    writes: [],
    run: async () => ({ output: "word ".repeat(n / 5), metadata: {} }),
  }),
});

/** Requests of one script. */
const mostSteps = 40;

/** A server for all runs, each with its own script. */
export class Playground {
  readonly #server: ModelServer;
  #answer: ((request: ModelServer["requests"][number]) => ReturnType<typeof answerTo>) | undefined;

  private constructor(server: ModelServer) {
    this.#server = server;
  }

  static async open(): Promise<Playground> {
    const playground: Playground = new Playground(
      await startModelServer((request) => playground.#answer?.(request) ?? { status: 503 }),
    );
    return playground;
  }

  async close(): Promise<void> {
    await this.#server.stop();
  }

  async play(script: Script): Promise<void> {
    const { requests, url } = this.#server;
    requests.length = 0;
    const lock = new CountingLock();
    const h = this.#harness(script, lock, url);
    const user = new User(h, script);
    let step = 0;
    this.#answer = (request) => {
      // Subagents may start subagents, so long runs end here.
      if (step > mostSteps) return { blocks: [{ text: "Enough." }] };
      const now = script.steps[step++ % script.steps.length] ?? assert.fail();
      user.begin(now.deed);
      // I7: the server counts 4 characters for a token; no request may be larger than its window.
      const tokens = Math.ceil(request.raw.length / 4);
      return answerTo(script.api, now, tokens, script.window);
    };
    try {
      for (const turn of script.turns) await user.ask(turn);
      await user.settled();
      assert.equal(lock.held, 0, "I4: a lock was left behind");
      for (const request of requests) assertValid(request);
      this.#assertFits(h, script);
      user.assertAllowed();
    } finally {
      this.#answer = undefined;
      await h.close();
    }
  }

  #harness({ api, window, memory }: Script, lock: SessionLock, url: string): Harness {
    const access = { apiKey: "none", baseURL: api === "anthropic" ? url : `${url}/v1` };
    return new Harness([], {
      tools: [...randomTools, big, write],
      project: { memory: memory ? { path: ".rondo/MEMORY.md", text: "" } : undefined },
      lock,
      choices: { model: { providerID: api, modelID: "test" } },
      openModel: () => openModel(api, access),
      limits: {
        maxTurns: 6,
        maxRetries: 1,
        maxQueueDepth: 2,
        contextWindow: window,
        stallNoticeMs: 30,
        stallTimeoutMs: 60,
      },
    });
  }

  /** I7: a request that does not fit is never sent; if nothing could make it fit, the user is told. */
  #assertFits(h: Harness, { window }: Script): void {
    const tooLarge = this.#server.requests.filter(({ raw }) => raw.length / 4 > window);
    if (tooLarge.length === 0) return;
    const told = h.chat.messages.some(({ info }) => info.role === "assistant" && info.error?.code === "context-full");
    assert.ok(told, `I7: a request of ${tooLarge[0]?.raw.length} characters for a window of ${window} tokens`);
  }
}

/** I1: checks that at most one run holds the lock. */
class CountingLock implements SessionLock {
  held = 0;

  async acquire() {
    this.held += 1;
    assert.equal(this.held, 1, "I1: two runs at once");
    return { caughtUp: [], release: () => void this.held--, lost: new AbortController().signal };
  }
}

/** Answers questions, presses Stop and sends prompts, when the script says. */
class User {
  readonly #h: Harness;
  readonly #script: Script;
  readonly #waits = new Set<Promise<unknown>>();
  #asked = 0;
  #allowed = 0;
  #deed: Deed = { type: "nothing" };
  #events = 0;
  #prompts = 0;

  constructor(h: Harness, script: Script) {
    this.#h = h;
    this.#script = script;
    h.session.listen((event) => {
      if (event.type === "asked") this.#reply(event.request);
      this.#events += 1;
      if (this.#deed.type !== "nothing" && this.#events > this.#deed.after) this.#act();
    });
  }

  begin(deed: Deed): void {
    this.#deed = deed;
    this.#events = 0;
  }

  async ask(turn: Script["turns"][number]): Promise<void> {
    const { session } = this.#h;
    if (turn === "again") return await session.tryAgain();
    if (turn === "prompt") return void (await this.#h.send("Do it.").catch(whatIsRefused));
    await session.compact().catch(whatIsRefused);
  }

  async settled(): Promise<void> {
    while (this.#waits.size > 0) await Promise.all(this.#waits);
    await this.#h.session.stop();
  }

  /** I6: calls that ask run only as often as they were allowed. */
  assertAllowed(): void {
    const ran = this.#h.events.filter(
      (event) =>
        event.type === "part" &&
        event.part.type === "tool" &&
        event.part.tool === "change" &&
        event.part.state.status === "completed",
    );
    assert.ok(ran.length <= this.#allowed, `I6: ran ${ran.length} times, was allowed ${this.#allowed} times`);
  }

  /** Answers later, like a user, perhaps after the question has closed. */
  #reply(request: UserRequest): void {
    const { answers } = this.#script;
    const all = answersTo(request);
    const answer = all[(answers[this.#asked++ % answers.length] ?? 0) % all.length] ?? assert.fail();
    setImmediate(() => {
      if (!this.#h.session.answer(request.id, answer) || answer.kind !== "permission") return;
      if (answer.type === "always") this.#allowed = Number.POSITIVE_INFINITY;
      else if (answer.type !== "deny") this.#allowed += 1;
    });
  }

  #act(): void {
    const deed = this.#deed;
    this.#deed = { type: "nothing" };
    if (deed.type === "stop") this.#await(this.#h.session.stop());
    if (deed.type === "prompt" && this.#prompts++ < 3) {
      this.#await(
        this.#h.session.prompt({ parts: [{ type: "text", text: "And this." }] }, deed.how).catch(whatIsRefused),
      );
    }
  }

  #await(wait: Promise<unknown>): void {
    const known = wait.finally(() => this.#waits.delete(known));
    this.#waits.add(known);
  }
}

function whatIsRefused(error: unknown): void {
  if (!(error instanceof Error) || error.name !== "IntakeError") throw error;
}
