/** The composer: its draft and attachments, who answers, and the prompts that wait in the queue. */
import type { PermissionMode } from "../../chat/events.ts";
import type { ModelRef } from "../../chat/message.ts";
import { type Attachment, textPrompt } from "../../chat/prompt-input.ts";
import type { BuildMode } from "../../chat/requests.ts";
import { buildPrompt } from "../../loop/session/plan-offer.ts";
import type { Session } from "../../loop/session/session.ts";
import type { Models } from "../models/models.ts";
import { chooseCurrentModel, remembered } from "../sessions/choices.ts";
import { readSettings } from "../settings.ts";
import { fromFile, pickFiles } from "./attachments.ts";
import type { Handlers, PanelContext } from "./handlers.ts";

interface WrittenPrompt {
  text: string;
  attachments: readonly Attachment[];
  /** Names of the agents that the text mentions with "@". */
  agents?: readonly string[];
}

export class Composer {
  readonly #context: PanelContext;
  readonly #models: Models;
  #attachments: Attachment[] = [];
  #draft: string;

  readonly handlers = {
    prompt: (request) => this.prompt(request),
    draft: ({ text }) => this.#keepDraft(text),
    attach: async () => this.attach(await Promise.all((await pickFiles()).map(fromFile))),
    detach: ({ index }) => this.#setAttachments(this.#attachments.toSpliced(index, 1)),
    withdraw: ({ queuedID }) => this.#session.withdraw(queuedID),
    "send-queued-now": () => this.#session.sendQueuedNow(),
    "edit-queued": ({ queuedID, text }) => this.#session.editQueued(queuedID, text),
    "move-queued": ({ queuedID, to }) => this.#session.moveQueued(queuedID, to),
    "set-mode": ({ mode }) => {
      this.#session.setMode(mode);
      this.#keepMode(mode);
    },
    "set-model": ({ providerID, modelID }) => this.#setModel({ providerID, modelID }),
    "set-agent": ({ name }) => {
      this.#session.choices.agent = name;
      this.#context.stateChanged();
    },
  } satisfies Partial<Handlers>;

  constructor(context: PanelContext, models: Models) {
    this.#context = context;
    this.#models = models;
    this.#draft = context.memory.get(remembered.draft, "");
  }

  get draft(): string {
    return this.#draft;
  }

  get attachments(): Attachment[] {
    return this.#attachments;
  }

  /** Sends a prompt. Resolves when it is on its way; a prompt that is not accepted comes back with the reason. */
  async prompt({ text, attachments, agents = [] }: WrittenPrompt): Promise<void> {
    const { conversations, memory, prepare, send, explain } = this.#context;
    await prepare();
    const session = this.#session;
    const giveBack = (error: unknown) => {
      send({ type: "notice", ...explain(error) });
      this.putBack(text, attachments);
    };
    try {
      chooseCurrentModel(session, this.#models);
    } catch (error) {
      return giveBack(error);
    }
    if (!session.running && conversations.runsElsewhere) send({ type: "notice", ...waitNotice() });
    const { parts } = textPrompt(text, attachments);
    const mentions = agents.map((name) => ({ type: "agent" as const, name }));
    session.prompt({ parts: [...parts, ...mentions] }).catch(giveBack);
    this.#keepDraft("");
    void memory.update(remembered.session, session.chat.session.id);
    this.#setAttachments([]);
  }

  /** Sends the prompt that carries the plan out. The draft stays. */
  async startBuilding(mode: BuildMode): Promise<void> {
    const draft = this.#draft;
    this.#session.startBuilding(mode);
    this.#keepMode(mode);
    await this.prompt({ text: buildPrompt, attachments: this.#attachments });
    this.#keepDraft(draft);
  }

  /** Puts a text and attachments into the composer, for the user to send. */
  putBack(text: string, attachments: readonly Attachment[]): void {
    this.#context.send({ type: "compose", text, send: false });
    this.attach(attachments);
  }

  attach(attachments: readonly Attachment[]): void {
    const isNew = (one: Attachment) =>
      !this.#attachments.some((other) => other.url === one.url && other.source?.start === one.source?.start);
    this.#setAttachments([...this.#attachments, ...attachments.filter(isNew)]);
  }

  get #session(): Session {
    return this.#context.conversations.current;
  }

  #keepMode(mode: PermissionMode): void {
    void this.#context.memory.update(remembered.mode, mode);
    this.#context.stateChanged();
  }

  #setModel(ref: ModelRef): void {
    this.#models.choose(ref);
    const { current } = this.#models;
    this.#session.choose(current ? { model: current } : {});
    void this.#context.memory.update(remembered.model, current);
    this.#context.stateChanged();
  }

  #setAttachments(attachments: Attachment[]): void {
    this.#attachments = attachments;
    this.#context.stateChanged();
  }

  #keepDraft(text: string): void {
    this.#draft = text;
    void this.#context.memory.update(remembered.draft, text);
  }
}

function waitNotice(): { message: string; next: string } {
  const seconds = Math.ceil(readSettings().limits.queueTimeoutMs / 1000);
  return {
    message: "This session runs in another window or process.",
    next: `Your message will be sent when it finishes, or returned after ${seconds} s. Stop ends the wait.`,
  };
}
