/** What the panel shows and what it may ask for: the sessions, the models, the review and the draft, seen as one. */
import * as vscode from "vscode";
import { knownModel } from "../loop/catalog.ts";
import { type ChatEvent, PermissionMode } from "../loop/events.ts";
import { IntakeError } from "../loop/intake-error.ts";
import { contextSize } from "../loop/message.ts";
import { ModelError } from "../loop/model.ts";
import { never } from "../loop/never.ts";
import { type Attachment, textPrompt } from "../loop/prompt-input.ts";
import type { PanelState, ToHost } from "../loop/protocol.ts";
import type { Choices, Session } from "../loop/session.ts";
import { RecordError } from "../loop/store.ts";
import { fromFile, pickFiles } from "./attachments.ts";
import type { Conversations } from "./conversations.ts";
import type { Keys } from "./keys.ts";
import type { Models } from "./models.ts";
import { openInEditor, openPreview } from "./open.ts";
import type { PanelSource } from "./panel.ts";
import type { Review } from "./review/review.ts";
import { readSettings } from "./settings.ts";

/** What VS Code keeps for this workspace. */
export const remembered = { draft: "rondo.draft", session: "rondo.session", mode: "rondo.mode", model: "rondo.model" };

/** Sessions that the empty panel offers. */
const recentSessions = 5;

interface Parts {
  conversations: Conversations;
  models: Models;
  keys: Keys;
  review: Review;
  memory: vscode.Memento;
  log: vscode.LogOutputChannel;
  /** To be called when `state()` has changed. */
  onChange(): void;
  /** Puts a message that was not taken back into the composer. */
  giveBack(text: string): void;
  /** Shows the list of sessions in the panel. */
  showSessions(): void;
}

export class Rondo implements PanelSource {
  readonly #parts: Parts;
  #attachments: Attachment[] = [];
  #draft: string;
  #prepared: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#draft = parts.memory.get(remembered.draft, "");
  }

  get session(): Session {
    return this.#parts.conversations.current;
  }

  chat() {
    return this.session.chat;
  }

  draft(): string {
    return this.#draft;
  }

  /** Reads the keys and opens the session that was on screen before the window was reloaded. */
  prepare(): Promise<void> {
    this.#prepared ??= this.#prepare();
    return this.#prepared;
  }

  async #prepare(): Promise<void> {
    const { keys, memory, conversations, log } = this.#parts;
    await keys.load();
    const id = memory.get<string>(remembered.session);
    if (id === undefined || !conversations.has(id) || this.chat().messages.length > 0) return;
    try {
      conversations.show(id);
    } catch (error) {
      log.error("The last session could not be opened", error);
    }
  }

  state(): PanelState {
    const { models, review, conversations } = this.#parts;
    const { current } = models;
    return {
      readiness: models.readiness,
      mode: this.session.choices.mode,
      model: current && models.describe(current),
      models: models.choices,
      trusted: vscode.workspace.isTrusted,
      hasFolder: (vscode.workspace.workspaceFolders?.length ?? 0) > 0,
      attachments: this.#attachments,
      review: review.files(),
      contextUsed: this.#contextUsed(),
      cost: this.#cost(),
      recent: this.chat().messages.length === 0 ? conversations.list().slice(0, recentSessions) : [],
    };
  }

  async receive(message: ToHost): Promise<void> {
    const { conversations, models, review } = this.#parts;
    switch (message.type) {
      case "ready":
        return;
      case "prompt":
        try {
          return await this.prompt(message.text, message.attachments);
        } catch (error) {
          this.#parts.giveBack(message.text);
          throw error;
        }
      case "stop":
        return await this.session.stop();
      case "new-session":
        return conversations.startNew();
      case "open-session":
        return conversations.show(message.id);
      case "delete-session":
        await conversations.remove(message.id);
        return this.#parts.showSessions();
      case "list-sessions":
        return this.#parts.showSessions();
      case "answer":
        this.session.answer(message.requestID, message.answer);
        return;
      case "set-mode":
        return this.setMode(message.mode);
      case "set-model":
        models.choose({ providerID: message.providerID, modelID: message.modelID });
        void this.#parts.memory.update(remembered.model, models.current);
        return this.#parts.onChange();
      case "withdraw":
        return this.session.withdraw(message.queuedID);
      case "attach":
        return await this.attach(await Promise.all((await pickFiles()).map(fromFile)));
      case "detach":
        this.#attachments = this.#attachments.toSpliced(message.index, 1);
        return this.#parts.onChange();
      case "open-file":
        return await openInEditor(message.path, message.line);
      case "open-diff":
        return await openPreview(this.chat(), message.requestID);
      case "open-link":
        return await openLink(message.url);
      case "copy":
        return await vscode.env.clipboard.writeText(message.text);
      case "review":
        return await settleReview(review, message.action, message.path);
      case "retry-now":
        return this.session.retryNow();
      case "try-again":
        this.#choose();
        return await this.session.tryAgain();
      case "set-key":
        await vscode.commands.executeCommand("rondo.setKey");
        return;
      case "open-settings":
        await vscode.commands.executeCommand("workbench.action.openSettings", message.query);
        return;
      case "show-log":
        return this.#parts.log.show();
      case "draft":
        return this.#keepDraft(message.text);
      default:
        return never(message);
    }
  }

  /** Sends a prompt with what is attached. Resolves when it is taken, not when it is answered. */
  async prompt(text: string, attachments: readonly Attachment[]): Promise<void> {
    await this.prepare();
    this.#choose();
    const { session } = this;
    const taken = session.prompt(textPrompt(text, attachments));
    // A refusal comes at once; the end of the turn is shown by its events.
    await Promise.race([taken, new Promise((resolve) => setImmediate(resolve))]);
    taken.catch((error: unknown) => this.#parts.log.error("A prompt was not taken", error));
    this.#attachments = [];
    this.#keepDraft("");
    void this.#parts.memory.update(remembered.session, session.chat.session.id);
    this.#parts.onChange();
  }

  attach(attachments: readonly Attachment[]): void {
    const isNew = (one: Attachment) =>
      !this.#attachments.some((other) => other.url === one.url && other.source?.start === one.source?.start);
    this.#attachments = [...this.#attachments, ...attachments.filter(isNew)];
    this.#parts.onChange();
  }

  setMode(mode: PermissionMode): void {
    this.session.setMode(mode);
    void this.#parts.memory.update(remembered.mode, mode);
    this.#parts.onChange();
  }

  /** Another session is on screen: it is the one to come back to after a reload. */
  switched(): void {
    void this.#parts.memory.update(remembered.session, this.chat().session.id);
  }

  explain(error: unknown): { message: string; next: string } {
    if (error instanceof ModelError || error instanceof RecordError)
      return { message: error.message, next: error.next };
    if (error instanceof IntakeError) return { message: error.message, next: "" };
    this.#parts.log.error("Something went wrong", error);
    const message = error instanceof Error ? error.message : String(error);
    return { message, next: 'Details are in the log: "Rondo: Show Log".' };
  }

  /** The model and the settings of this moment, for the turn that begins. */
  #choose(): void {
    const { current, readiness } = this.#parts.models;
    const { agent, thinking } = readSettings();
    if (readiness.type === "no-key") {
      throw new ModelError(
        "no-key",
        "No model is connected.",
        'Set a key with "Rondo: Set API Key…", or start a server.',
      );
    }
    if (!current) {
      throw new ModelError("unknown-model", "No model is chosen.", 'Choose one with "Rondo: Select Model…".');
    }
    Object.assign(this.session.choices, { agent, thinking, ...(current && { model: current }) });
  }

  #keepDraft(text: string): void {
    this.#draft = text;
    void this.#parts.memory.update(remembered.draft, text);
  }

  #contextUsed(): number | undefined {
    const last = this.chat().messages.findLast(({ info }) => info.role === "assistant" && info.tokens.output > 0)?.info;
    if (last?.role !== "assistant") return undefined;
    const window = knownModel(last.model)?.contextWindow ?? readSettings().limits.contextWindow;
    return Math.min(1, contextSize(last.tokens) / window);
  }

  #cost(): number | undefined {
    let sum = 0;
    for (const { info } of this.chat().messages) {
      if (info.role !== "assistant" || info.tokens.output === 0) continue;
      if (info.cost === undefined) return undefined;
      sum += info.cost;
    }
    return sum;
  }
}

/** What a session that is opened now begins with. */
export function choicesNow(models: Models, memory: vscode.Memento): Choices {
  const { agent, thinking, mode } = readSettings();
  return {
    mode: PermissionMode.safeParse(memory.get(remembered.mode)).data ?? mode,
    model: models.current ?? { providerID: "anthropic", modelID: "" },
    agent,
    thinking,
    appended: "",
  };
}

/** Whether the panel's other state may have changed with this event. */
export function changesState(event: ChatEvent): boolean {
  return event.type === "message" || event.type === "status" || event.type === "ended" || event.type === "session";
}

async function openLink(url: string): Promise<void> {
  const uri = vscode.Uri.parse(url);
  // A link of a model's answer may lead to a page, and nowhere else: no commands, no files outside.
  if (uri.scheme !== "https" && uri.scheme !== "http" && uri.scheme !== "mailto") {
    throw new Error(`Links of the kind "${uri.scheme}:" are not opened.`);
  }
  await vscode.env.openExternal(uri);
}

async function settleReview(review: Review, action: "accept" | "reject", path: string | undefined): Promise<void> {
  const files = path === undefined ? review.uris() : [vscode.Uri.file(path)];
  for (const uri of files) {
    if (action === "accept") review.accept(uri);
    else await review.reject(uri);
  }
}
