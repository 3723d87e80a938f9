/** The composer: its draft and attachments, who answers, and the prompts that wait in the queue. */

import type * as vscode from "vscode";
import { commentsPrompt } from "../../chat/comments.ts";
import type { ModelRef } from "../../chat/message.ts";
import { type Attachment, type PromptPart, type SentComment, textPrompt } from "../../chat/prompt-input.ts";
import type { HostNotice, PromptTime } from "../../chat/protocol.ts";
import type { BuildMode } from "../../chat/requests.ts";
import type { CommandChoice } from "../../chat/slash-command.ts";
import { t } from "../../l10n/l10n.ts";
import { buildPrompt } from "../../loop/session/plan-offer.ts";
import type { Session, WhenBusy } from "../../loop/session/session.ts";
import type { CommentThreads } from "../comments/comment-threads.ts";
import type { Models } from "../models/models.ts";
import { bypassFromNow, chooseModel, remembered, SessionChoices } from "../sessions/choices.ts";
import { Drafts } from "../sessions/drafts.ts";
import { readSettings } from "../settings.ts";
import { AttachError, type Attachments, pickFiles } from "./attachments.ts";
import type { Handlers, PanelContext } from "./handlers.ts";
import type { SlashCommands } from "./slash-commands.ts";
import type { WorktreePage } from "./worktree-page.ts";

interface WrittenPrompt {
  text: string;
  attachments: readonly Attachment[];
  /** Names of the agents that the text mentions with "@". */
  agents?: readonly string[];
  /** Ids of comments that are sent with it. */
  comments?: readonly string[];
  when?: PromptTime;
}

const whenBusy: Record<PromptTime, WhenBusy> = {
  "next-step": "queue",
  "after-turn": "after-turn",
  now: "interrupt",
};

interface ComposerSources {
  models: Models;
  files: Attachments;
  worktrees: Pick<WorktreePage, "begin">;
  commands: Pick<SlashCommands, "choices" | "instructions" | "refresh">;
  comments: Pick<CommentThreads, "pending" | "take" | "giveBack">;
  /** Resolves when the session has recorded what the user has decided in the review. */
  decided(session: Session): Promise<void>;
}

export class Composer {
  readonly #context: PanelContext;
  readonly #sources: ComposerSources;
  readonly #drafts: Drafts;
  readonly #choices: SessionChoices;

  readonly handlers = {
    prompt: (request) => this.prompt({ ...request, comments: this.#pendingIDs }),
    "send-comments": () => this.sendComments(this.#pendingIDs),
    draft: ({ sessionID, text }) => this.#drafts.write(this.#placeOf(sessionID), text),
    "list-commands": () => {
      this.#sources.commands.refresh();
      this.#context.stateChanged();
    },
    attach: async () => this.#attachFiles(await pickFiles()),
    detach: ({ index }) => this.#setAttachments(this.attachments.toSpliced(index, 1)),
    withdraw: ({ queuedID }) => this.#session.queue.withdraw(queuedID),
    "send-queued-now": () => this.#session.sendQueuedNow(),
    "send-one-now": ({ queuedID }) => this.#session.sendQueuedNow(queuedID),
    "set-queued-time": ({ queuedID, when }) => this.#session.queue.setTime(queuedID, when),
    "edit-queued": ({ queuedID, text }) => this.#session.queue.edit(queuedID, this.#texts(text)),
    "move-queued": ({ queuedID, to }) => this.#session.queue.move(queuedID, to),
    "set-mode": ({ mode }) => {
      const session = this.#session;
      const chosen = mode === "bypassPermissions" ? bypassFromNow(session.buildMode) : { mode, modeEnd: undefined };
      session.setMode(chosen.mode, chosen.modeEnd);
      this.#keepMode(session);
    },
    "set-model": ({ providerID, modelID }) => this.#setModel({ providerID, modelID }),
    "set-agent": ({ name }) => {
      this.#session.choices.agent = name;
      this.#context.stateChanged();
    },
  } satisfies Partial<Handlers>;

  constructor(context: PanelContext, sources: ComposerSources) {
    this.#context = context;
    this.#sources = sources;
    this.#drafts = new Drafts(context.memory, remembered.drafts);
    this.#choices = new SessionChoices(context.memory);
  }

  get draft(): string {
    return this.#drafts.text(this.#place);
  }

  get attachments(): Attachment[] {
    return this.#drafts.attachments(this.#place);
  }

  get commands(): CommandChoice[] {
    return this.#sources.commands.choices;
  }

  /** Sends a prompt. Resolves when it is on its way; a prompt that is not accepted comes back with the reason. */
  async prompt(written: WrittenPrompt): Promise<void> {
    const { text, attachments, agents = [], comments = [] } = written;
    const { memory, prepare } = this.#context;
    await prepare();
    if (text === "" && attachments.length + agents.length + comments.length === 0) return;
    const session = this.#session;
    await this.#sources.decided(session);
    try {
      chooseModel(session, this.#sources.models, memory);
      const begun = await this.#sources.worktrees.begin(text);
      const [first = session, ...others] = begun;
      const taken = await this.#sources.comments.take(comments, first.chat);
      // Before a session has its first message: an empty session shares its draft with all empty ones.
      this.#drafts.write(this.#place, "");
      this.#setAttachments([]);
      for (const one of [first, ...others]) this.#send(one, written, taken);
    } catch (error) {
      this.#giveBack(session, written, error);
    }
  }

  #send(session: Session, written: WrittenPrompt, taken: readonly SentComment[]): void {
    const { text, attachments, agents = [], when = "next-step" } = written;
    const { conversations, memory, send } = this.#context;
    chooseModel(session, this.#sources.models, memory);
    const isCurrent = session === this.#session;
    if (isCurrent && !session.running && conversations.runsElsewhere) send({ type: "notice", ...waitNotice() });
    const mentions = agents.map((name) => ({ type: "agent" as const, name }));
    const words = [...textPrompt("", attachments).parts, ...this.#texts(text), ...mentions];
    if (words.length + taken.length === 0) return;
    const giveBack = (error: unknown) => this.#giveBack(session, written, error);
    const input = taken.length > 0 ? commentsPrompt(taken, words) : { parts: words };
    session.prompt(input, whenBusy[when]).catch(giveBack);
    if (isCurrent) void memory.update(remembered.session, session.chat.session.id);
  }

  /** The user's text, and the instructions of a command that it begins with. */
  #texts(text: string): PromptPart[] {
    const instructions = this.#sources.commands.instructions(text);
    return [
      ...textPrompt(text).parts,
      ...(instructions === undefined ? [] : [{ type: "text" as const, text: instructions, synthetic: true }]),
    ];
  }

  /** Sends comments that wait. What stands in the composer stays there. */
  async sendComments(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { draft, attachments } = this;
    await this.prompt({ text: "", attachments: [], comments: ids });
    this.#drafts.write(this.#place, draft);
    this.#setAttachments(attachments);
  }

  /** Sends the prompt that carries the plan out. The draft stays. */
  async startBuilding(mode: BuildMode): Promise<void> {
    const { draft } = this;
    this.#session.startBuilding(mode);
    this.#keepMode(this.#session);
    await this.prompt({ text: buildPrompt, attachments: this.attachments });
    this.#drafts.write(this.#place, draft);
  }

  /** Puts a text and attachments into the composer, for the user to send. */
  putBack(text: string, attachments: readonly Attachment[]): void {
    this.#context.send({ type: "compose", text, send: false });
    this.attach(attachments);
  }

  attach(attachments: readonly Attachment[]): void {
    const isNew = (one: Attachment) =>
      !this.attachments.some((other) => other.url === one.url && other.source?.start === one.source?.start);
    this.#setAttachments([...this.attachments, ...attachments.filter(isNew)]);
  }

  /** Attaches what can be attached. @throws AttachError about the rest */
  async #attachFiles(uris: readonly vscode.Uri[]): Promise<void> {
    const results = await Promise.allSettled(uris.map((uri) => this.#sources.files.fromFile(uri)));
    this.attach(results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
    const failed = results.flatMap((one) => (one.status === "rejected" ? [this.#context.explain(one.reason)] : []));
    const [first] = failed;
    if (first) throw new AttachError(failed.map(({ message }) => message).join(" "), first.next);
  }

  get #pendingIDs(): string[] {
    return this.#sources.comments.pending.map(({ id }) => id);
  }

  get #session(): Session {
    return this.#context.conversations.current;
  }

  /** The place of the draft of the session on screen. */
  get #place(): string {
    return this.#placeOf(this.#session.chat.session.id);
  }

  /** Empty sessions share one draft, because they leave no record to find it by. */
  #placeOf(sessionID: string): string {
    const { conversations } = this.#context;
    const open = conversations.openChat(sessionID);
    const isEmpty = open ? open.messages.length === 0 : !conversations.has(sessionID);
    return isEmpty ? "" : sessionID;
  }

  /** Says why a prompt was not taken, and puts it back into the composer of its session. */
  #giveBack(session: Session, { text, attachments, comments = [] }: WrittenPrompt, error: unknown): void {
    this.#sources.comments.giveBack(comments);
    this.#context.send({ type: "notice", ...this.#context.explain(error) });
    if (session === this.#session) {
      this.putBack(text, attachments);
      return;
    }
    const place = this.#placeOf(session.chat.session.id);
    this.#drafts.write(place, [this.#drafts.text(place), text].filter(Boolean).join("\n"));
    this.#drafts.attach(place, [...this.#drafts.attachments(place), ...attachments]);
  }

  /** Remembers the session's mode for a reload, and for new sessions unless it is Bypass. */
  #keepMode({ chat, choices }: Session): void {
    if (choices.mode !== "bypassPermissions") void this.#context.memory.update(remembered.mode, choices.mode);
    this.#choices.keepMode(chat.session.id, choices);
    this.#context.stateChanged();
  }

  /** Chooses the model of this session and of new ones. The other sessions in tabs keep theirs. */
  #setModel(ref: ModelRef): void {
    const { conversations, memory } = this.#context;
    const { id } = this.#session.chat.session;
    const before = this.#sources.models.current;
    for (const tab of conversations.tabs) {
      if (before && tab.id !== id && !this.#choices.of(tab.id).model) this.#choices.keepModel(tab.id, before);
    }
    this.#sources.models.choose(ref);
    this.#choices.keepModel(id, ref);
    const { current } = this.#sources.models;
    this.#session.choose(current ? { model: current } : {});
    void memory.update(remembered.model, current);
    this.#context.stateChanged();
  }

  #setAttachments(attachments: Attachment[]): void {
    this.#drafts.attach(this.#place, attachments);
    this.#context.stateChanged();
  }
}

function waitNotice(): HostNotice {
  const seconds = Math.ceil(readSettings().limits.queueTimeoutMs / 1000);
  return {
    message: t("This session runs in another window or process."),
    next: t("Your message will be sent when it finishes, or returned after {0} s. Stop ends the wait.", seconds),
    fix: "none",
  };
}
