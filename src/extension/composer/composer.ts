/** The composer: its draft and attachments, who answers, and the prompts that wait in the queue. */

import type * as vscode from "vscode";
import { commentsPrompt } from "../../chat/comments.ts";
import type { HostNotice } from "../../chat/host-notice.ts";
import type { ModelRef } from "../../chat/message.ts";
import { type Attachment, type PromptPart, type SentComment, textPrompt } from "../../chat/prompt-input.ts";
import type { PromptTime } from "../../chat/protocol.ts";
import type { BuildMode } from "../../chat/requests.ts";
import { joined, renewed } from "../../chat/same-attachment.ts";
import { counted, t } from "../../l10n/l10n.ts";
import { buildPrompt } from "../../loop/session/plan-offer.ts";
import type { Session, WhenBusy } from "../../loop/session/session.ts";
import { withoutServerAnswer } from "../../mcp/prompts/server-prompts.ts";
import { AttachError, type Attachments, RefusedFileError } from "../attachments/attachments.ts";
import { pickFiles } from "../attachments/pick-files.ts";
import type { EditorSelection } from "../attachments/selection.ts";
import type { Bypass } from "../bypass/bypass.ts";
import type { CommentThreads } from "../comments/comment-threads.ts";
import type { Feature } from "../feature.ts";
import type { Models } from "../models/models.ts";
import { NoticeError } from "../notice-error.ts";
import type { Handlers, PanelContext, PanelRequest } from "../panel/handlers.ts";
import { tellError } from "../panel/reported.ts";
import { bypassFromNow, chooseModel, remembered, SessionChoices } from "../sessions/choices.ts";
import type { Projects } from "../sessions/projects.ts";
import { readSettings } from "../settings.ts";
import { toldName } from "../told-name.ts";
import type { WorktreePage } from "../worktrees/worktree-page.ts";
import { AskedPrompts, AskingStopped } from "./asked-prompts.ts";
import { Drafts } from "./drafts.ts";
import type { SlashCommands } from "./slash-commands.ts";

interface WrittenPrompt {
  text: string;
  attachments: readonly Attachment[];
  /** Names of the agents that the text mentions with "@". */
  agents?: readonly string[];
  /** Ids of comments that are sent with it. */
  comments?: readonly string[];
  when?: PromptTime;
  /** The reply whose plan is built with a fresh context. */
  planID?: string | undefined;
}

const whenBusy: Record<PromptTime, WhenBusy> = {
  "next-step": "queue",
  "after-turn": "after-turn",
  now: "interrupt",
};

interface LateAttachment {
  name: string;
  /** The place of the draft that it belongs to. */
  place: string;
  done: Promise<readonly Attachment[]>;
  /** Whether a message that was sent waits for it. */
  isSent: boolean;
}

/** What is there within this time is not shown as being read. */
const showLateMs = 150;

interface ComposerSources {
  models: Models;
  files: Attachments;
  selection: Pick<EditorSelection, "forMessage">;
  worktrees: Pick<WorktreePage, "begin">;
  commands: Pick<SlashCommands, "choices" | "instructions" | "refresh" | "serverOf" | "ask" | "values">;
  comments: Pick<CommentThreads, "pending" | "take" | "giveBack">;
  bypass: Pick<Bypass, "chosen" | "saved">;
  projects: Pick<Projects, "agents">;
  /** Resolves when the session has recorded what the user has decided in the review. */
  decided(session: Session): Promise<void>;
}

export class Composer implements Feature {
  readonly #context: PanelContext;
  readonly #sources: ComposerSources;
  readonly #drafts: Drafts;
  readonly #asked: AskedPrompts;
  #values = new AbortController();
  readonly #choices: SessionChoices;
  readonly #late = new Set<LateAttachment>();
  /** Resolves when what is attached to the messages so far is there. */
  #gathering: Promise<unknown> = Promise.resolve();

  readonly handlers = {
    prompt: (request) => this.#promptFromPanel(request),
    "send-comments": () => this.sendComments(this.#pendingIDs),
    draft: ({ sessionID, text }) => this.#drafts.write(this.#placeOf(sessionID), text),
    "list-commands": () => {
      this.#sources.commands.refresh();
      this.#context.stateChanged();
    },
    "list-values": (request) => this.#listValues(request),
    "stop-asking": () => this.#asked.stop(this.#session.chat.session.id),
    attach: async () => this.attachFiles(await pickFiles()),
    detach: ({ index }) => this.#setAttachments(this.attachments.toSpliced(index, 1)),
    withdraw: ({ queuedID }) => this.#session.queue.withdraw(queuedID),
    "send-queued-now": () => this.#session.sendQueuedNow(),
    "send-one-now": ({ queuedID }) => this.#session.sendQueuedNow(queuedID),
    "set-queued-time": ({ queuedID, when }) => this.#session.queue.setTime(queuedID, when),
    "edit-queued": (request) => this.#editQueued(request),
    "move-queued": ({ queuedID, to }) => this.#session.queue.move(queuedID, to),
    "set-mode": ({ mode }) => {
      const session = this.#session;
      const chosen = mode === "bypassPermissions" ? bypassFromNow(session.buildMode) : { mode, modeEnd: undefined };
      session.setMode(chosen.mode, chosen.modeEnd);
      this.#keepMode(session);
      this.#sources.bypass.chosen(session.chat.session.id, mode);
    },
    "set-model": ({ providerID, modelID }) => this.setModel({ providerID, modelID }),
    "set-agent": ({ name }) => {
      this.#session.choices.agent = name;
      this.#context.stateChanged();
    },
  } satisfies Partial<Handlers>;

  constructor(context: PanelContext, sources: ComposerSources) {
    this.#context = context;
    this.#sources = sources;
    this.#drafts = new Drafts(context.memory, remembered.drafts);
    this.#asked = new AskedPrompts(context.memory, remembered.asked, this.#drafts, () => context.stateChanged());
    this.#choices = new SessionChoices(context.memory);
  }

  get draft(): string {
    return this.#drafts.text(this.#place);
  }

  get attachments(): Attachment[] {
    return this.#drafts.attachments(this.#place);
  }

  state() {
    const place = this.#place;
    return {
      attachments: this.attachments,
      attaching: [...this.#late].filter((one) => one.place === place).map(({ name }) => name),
      commands: this.#sources.commands.choices,
      asking: this.#asked.serverOf(this.#session.chat.session.id),
      agent: this.#session.choices.agent,
      agents: this.#sources.projects.agents,
    };
  }

  /** Messages keep their order, though one may have to wait for what is attached to it. */
  async #promptFromPanel(request: Pick<WrittenPrompt, "text" | "attachments" | "agents" | "when">): Promise<void> {
    const written = { ...request, comments: this.#pendingIDs };
    const session = this.#session;
    const place = this.#place;
    // Before anything is waited for: what the user writes and attaches from now on belongs to the next message.
    this.#drafts.write(place, "");
    // The panel may not have heard of the newest.
    const chosen = renewed(request.attachments, this.#drafts.take(place));
    const late = [...this.#late].filter((one) => one.place === place && !one.isSent);
    for (const one of late) one.isSent = true;
    this.#context.stateChanged();
    const gathered = this.#gathering.then(() => this.#allAttached(session, chosen, late));
    this.#gathering = gathered.catch(() => {});
    try {
      const attachments = await gathered;
      if (session !== this.#session) throw new AttachError(t("Another session came on screen before it was sent."), "");
      await this.prompt({ ...written, attachments });
    } catch (error) {
      const read = await Promise.allSettled(late.map(({ done }) => done));
      const made = read.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
      this.#giveBack(session, { ...written, attachments: renewed(chosen, made), comments: [] }, error);
    }
  }

  /** Before the servers end with the window. */
  closing(): void {
    this.#asked.close();
  }

  /**
   * Sends a prompt; the draft stays. Resolves when it is on its way. A prompt that is not accepted comes back with the
   * reason.
   */
  async prompt(written: WrittenPrompt): Promise<void> {
    const { text, attachments, agents = [], comments = [] } = written;
    const { memory, prepare } = this.#context;
    await prepare();
    await this.#sources.bypass.saved;
    if (text === "" && attachments.length + agents.length + comments.length === 0) return;
    const session = this.#session;
    await this.#sources.decided(session);
    const place = this.#place;
    try {
      const texts = await this.#texts(text);
      chooseModel(session, this.#sources.models, memory);
      // While a server was asked, another session may have come on screen.
      const begun = session === this.#session ? await this.#sources.worktrees.begin(text) : [];
      const [first = session, ...others] = begun;
      const taken = await this.#sources.comments.take(comments, first.chat);
      // With its first message it no longer shares its draft with all empty ones.
      if (first === session) this.#drafts.move(place, session.chat.session.id);
      for (const one of [first, ...others]) this.#send(one, written, texts, taken);
    } catch (error) {
      this.#giveBack(session, written, error);
    }
  }

  #send(session: Session, written: WrittenPrompt, texts: readonly PromptPart[], taken: readonly SentComment[]): void {
    const { attachments, agents = [], when = "next-step", planID } = written;
    const { conversations, memory, send } = this.#context;
    chooseModel(session, this.#sources.models, memory);
    const isCurrent = session === this.#session;
    if (isCurrent && !session.running && conversations.runsElsewhere) send({ type: "notice", ...waitNotice() });
    const words = [...textPrompt("", attachments).parts, ...texts, ...agentParts(agents)];
    if (words.length + taken.length === 0) return;
    const giveBack = (error: unknown) => this.#giveBack(session, written, error);
    const input = taken.length > 0 ? commentsPrompt(taken, words) : { parts: words };
    session.prompt(input, whenBusy[when], planID).catch(giveBack);
    if (isCurrent) void memory.update(remembered.session, session.chat.session.id);
  }

  /**
   * The user's text, and the instructions of a command that it begins with; those of an MCP server are asked for.
   * @throws ServerRequestError, AskingStopped
   */
  async #texts(text: string): Promise<PromptPart[]> {
    const { commands } = this.#sources;
    const { parts } = textPrompt(text);
    const server = commands.serverOf(text);
    if (server !== undefined) {
      const about = { sessionID: this.#session.chat.session.id, place: this.#place, text, server };
      const answer = await this.#asked.wait(about, (signal) => commands.ask(text, signal));
      const [message] = answer.notes;
      if (message) this.#context.send({ type: "notice", message: answer.notes.join(" "), next: "", fix: "none" });
      return [...parts, ...answer.parts];
    }
    const instructions = commands.instructions(text);
    return [
      ...parts,
      ...(instructions === undefined ? [] : [{ type: "text" as const, text: instructions, synthetic: true }]),
    ];
  }

  /**
   * A command of an MCP server is asked for again: its former answer was one to other words. What cannot be changed comes
   * into the message box.
   */
  async #editQueued({ queuedID, text, agents }: PanelRequest<"edit-queued">): Promise<void> {
    const session = this.#session;
    try {
      const written = [...(await this.#texts(text)), ...agentParts(agents)];
      const isThere = await session.queue.edit(queuedID, written, withoutServerAnswer);
      if (!isThere) {
        throw new NoticeError(t("This message is no longer in the queue."), t("Your change is in the message box."));
      }
    } catch (error) {
      this.#giveBack(session, { text, attachments: [] }, error);
    }
  }

  async #listValues({ command, argument, value, given }: PanelRequest<"list-values">): Promise<void> {
    this.#values.abort();
    this.#values = new AbortController();
    const { signal } = this.#values;
    const values = await this.#sources.commands.values(command, { name: argument, value }, given, signal);
    if (!signal.aborted) this.#context.send({ type: "argument-values", command, argument, value, values });
  }

  /** Sends comments that wait. What stands in the composer stays there. */
  async sendComments(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.prompt({ text: "", attachments: [], comments: ids });
  }

  /** Sends the prompt that carries the plan out. The draft stays. `planID`: the plan that is built with a fresh context. */
  async startBuilding(mode: BuildMode, planID?: string): Promise<void> {
    const onPlan = planID === undefined ? [] : this.#sources.comments.pending.filter(({ isPlan }) => isPlan);
    const comments = onPlan.map(({ id }) => id);
    this.#session.startBuilding(mode);
    this.#keepMode(this.#session);
    await this.prompt({ text: buildPrompt, attachments: this.#drafts.take(this.#place), comments, planID });
  }

  /** Puts a text and attachments into the composer, for the user to send. */
  putBack(text: string, attachments: readonly Attachment[]): void {
    this.#context.send({ type: "compose", text, send: false });
    this.attach(attachments);
  }

  attach(attachments: readonly Attachment[]): void {
    this.#setAttachments(renewed(this.attachments, attachments));
  }

  /** Attaches what takes time to read; a message that is sent before waits for it. @throws what `read` does */
  async attachLater(name: string, read: () => Promise<readonly Attachment[]>): Promise<void> {
    const place = this.#place;
    const late: LateAttachment = { name, place, done: read(), isSent: false };
    this.#late.add(late);
    const tell = setTimeout(() => this.#context.stateChanged(), showLateMs);
    try {
      const made = await late.done;
      if (!late.isSent) this.#drafts.attach(place, renewed(this.#drafts.attachments(place), made));
    } finally {
      clearTimeout(tell);
      this.#late.delete(late);
      this.#context.stateChanged();
    }
  }

  /** Returns all that is attached to a message which is sent now. @throws AttachError if something cannot be read */
  async #allAttached(
    { chat }: Session,
    chosen: readonly Attachment[],
    late: readonly LateAttachment[],
  ): Promise<Attachment[]> {
    const made = await Promise.all(late.map(({ done }) => done));
    const selected = await this.#sources.selection.forMessage(chat);
    const all = joined(selected, renewed(chosen, made.flat()));
    return await Promise.all(all.map((one) => this.#sources.files.asNow(one)));
  }

  /**
   * Attaches what can be attached; images when the panel has scaled them. Tells which files are refused.
   * @throws AttachError about other faults
   */
  async attachFiles(uris: readonly vscode.Uri[]): Promise<void> {
    const [first] = uris;
    if (!first) return;
    const { files } = this.#sources;
    const read = Promise.allSettled(
      uris.map(async (uri): Promise<Attachment[]> => {
        const image = await files.image(uri);
        if (!image) return [await files.fromFile(uri)];
        this.#context.send({ type: "scale-image", ...image });
        return [];
      }),
    );
    const name = uris.length === 1 ? toldName(first) : counted(uris.length, "{0} file", "{0} files");
    await this.attachLater(name, async () =>
      (await read).flatMap((one) => (one.status === "fulfilled" ? one.value : [])),
    );
    const errors: unknown[] = (await read).flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    const isRefusal = (error: unknown) => error instanceof RefusedFileError;
    for (const error of errors.filter(isRefusal)) tellError(this.#context, error);
    const failed = errors.filter((error) => !isRefusal(error)).map((error) => this.#context.explain(error));
    const [fault] = failed;
    if (fault) throw new AttachError(failed.map(({ message }) => message).join(" "), fault.next);
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
    const { id } = session.chat.session;
    const place = this.#placeOf(id);
    this.#drafts.move(id, place);
    if (!(error instanceof AskingStopped)) this.#context.send({ type: "notice", ...this.#context.explain(error) });
    if (session === this.#session) {
      this.putBack(text, attachments);
      return;
    }
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
  setModel(ref: ModelRef): void {
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

const agentParts = (names: readonly string[]): PromptPart[] => names.map((name) => ({ type: "agent", name }));

function waitNotice(): HostNotice {
  const seconds = Math.ceil(readSettings().limits.queueTimeoutMs / 1000);
  return {
    message: t("This session runs in another window or process."),
    next: t("Your message will be sent when it finishes, or returned after {0} s. “Stop” ends the wait.", seconds),
    fix: "none",
  };
}
