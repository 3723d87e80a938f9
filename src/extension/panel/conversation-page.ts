/** The conversation: its turn, its context, its subagents and the commands that run in it. */
import type { Session } from "../../loop/session/session.ts";
import type { Models } from "../models/models.ts";
import { chooseCurrentModel } from "../sessions/choices.ts";
import type { Handlers, PanelContext } from "./handlers.ts";

export class ConversationPage {
  readonly #context: PanelContext;
  readonly #models: Models;

  readonly handlers = {
    stop: () => this.stop(),
    compact: () => this.compact(),
    "retry-now": () => this.#session.retryNow(),
    "try-again": () => {
      chooseCurrentModel(this.#session, this.#models);
      return this.#session.tryAgain();
    },
    "show-context": () => this.#context.send({ type: "context", use: this.#session.contextUse() }),
    "open-child": ({ sessionID }) =>
      this.#context.send({ type: "child", chat: this.#context.conversations.child(sessionID) }),
    "end-command": async ({ id }) => void (await this.#session.background.kill(id)),
    "to-background": ({ callID }) => void this.#session.background.detach(callID),
    "end-call": ({ callID }) => void this.#session.background.endCall(callID),
  } satisfies Partial<Handlers>;

  constructor(context: PanelContext, models: Models) {
    this.#context = context;
    this.#models = models;
  }

  async stop(): Promise<void> {
    const { conversations, send } = this.#context;
    if (this.#session.running || !conversations.runsElsewhere) return await this.#session.stop();
    send({ type: "notice", message: "This session runs in another window or process.", next: "Stop it there." });
  }

  /** @throws ModelError when there is no model, and what `Session.compact` throws */
  async compact(): Promise<void> {
    await this.#context.prepare();
    chooseCurrentModel(this.#session, this.#models);
    await this.#session.compact();
  }

  get #session(): Session {
    return this.#context.conversations.current;
  }
}
