/** What the panel shows and what it may ask for: the sessions, the models, the review and the draft, seen as one. */
import * as vscode from "vscode";
import type { Chat } from "../../chat/apply.ts";
import { type ChatEvent, PermissionMode } from "../../chat/events.ts";
import { contextSize } from "../../chat/message.ts";
import { never } from "../../chat/never.ts";
import { type Attachment, textPrompt } from "../../chat/prompt-input.ts";
import type { Cost, PanelState, ToHost } from "../../chat/protocol.ts";
import { costOfSession } from "../../loop/budget.ts";
import { ModelError } from "../../loop/model.ts";
import { IntakeError } from "../../loop/session/intake-error.ts";
import type { Session } from "../../loop/session/session.ts";
import type { Choices } from "../../loop/setup/agent-config.ts";
import { windowOf } from "../../loop/setup/model-catalog.ts";
import type { Ledger } from "../../loop/storage.ts";
import { RecordError } from "../../loop/storage.ts";
import { ImportError } from "../../loop/transfer/import.ts";
import type { Mcp } from "../mcp/mcp-servers.ts";
import type { Keys } from "../models/keys.ts";
import type { Models } from "../models/models.ts";
import type { Review } from "../review/review.ts";
import type { Conversations } from "../sessions/conversations.ts";
import type { Projects } from "../sessions/projects.ts";
import { readSettings } from "../settings.ts";
import { fromFile, pickFiles } from "./attachments.ts";
import { openInEditor, openPreview } from "./open.ts";
import type { PanelMessage, PanelSource } from "./panel.ts";
import type { Restores } from "./restore-page.ts";
import type { RulesPage } from "./rules-page.ts";
import type { Archive } from "./sessions-page.ts";

/** What VS Code keeps for this workspace. */
export const remembered = { draft: "rondo.draft", session: "rondo.session", mode: "rondo.mode", model: "rondo.model" };

/** Sessions that the empty panel offers. */
const recentSessions = 5;

interface Parts {
  conversations: Conversations;
  archive: Archive;
  projects: Projects;
  ledger: Ledger;
  models: Models;
  keys: Keys;
  review: Review;
  rulesPage: RulesPage;
  restores: Restores;
  mcp: Mcp;
  showTerminal(): void;
  memory: vscode.Memento;
  log: vscode.LogOutputChannel;
  /** To be called when `state()` has changed. */
  onChange(): void;
  send(message: PanelMessage): void;
}

/** A prompt as the user wrote it. */
interface Said {
  text: string;
  attachments: readonly Attachment[];
  /** Mentioned with "@". */
  agents?: readonly string[];
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
    const { keys, models, memory, conversations, projects, log } = this.#parts;
    projects.watch();
    await keys.load();
    await models.load();
    const id = memory.get<string>(remembered.session);
    if (id === undefined || !conversations.has(id) || this.chat().messages.length > 0) return;
    try {
      conversations.show(id);
    } catch (error) {
      log.error("The last session could not be opened", error);
    }
  }

  state(): PanelState {
    const { models, review, conversations, projects, mcp, restores } = this.#parts;
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
      agents: projects.agents,
      agent: this.session.choices.agent,
      servers: mcp.servers.views(),
      restored: restores.last,
      recent: this.chat().messages.length === 0 ? conversations.list().slice(0, recentSessions) : [],
    };
  }

  async receive(message: ToHost): Promise<void> {
    const { archive, conversations, models, review } = this.#parts;
    switch (message.type) {
      // The page is made anew, and shows the chat.
      case "ready":
        return this.#parts.rulesPage.hide();
      case "prompt":
        return await this.prompt(message);
      case "stop":
        return await this.stop();
      case "new-session":
        return conversations.startNew();
      case "open-session":
        return conversations.show(message.id);
      case "delete-session":
        return await archive.remove(message.id);
      case "rename-session":
        return await archive.rename(message.id, message.title);
      case "list-sessions":
        return await archive.list(message.query);
      case "export-session":
        return await archive.export(message.id, message.format);
      case "import-session":
        return await archive.import();
      case "fork":
        return this.#fork(message.messageID);
      case "compact":
        return await this.compact();
      case "open-child":
        return this.#parts.send({ type: "child", chat: conversations.child(message.sessionID) });
      case "show-context":
        return this.#parts.send({ type: "context", use: this.session.contextUse() });
      case "answer":
        this.#answer(message);
        return;
      case "judge":
        return await this.#parts.rulesPage.judge(message.requestID, message.command);
      case "try-rules":
        return this.#parts.rulesPage.tryOut(message.requestID, message.rules);
      case "show-rules":
        return this.#parts.rulesPage.show();
      case "hide-rules":
        return this.#parts.rulesPage.hide();
      case "remove-rule":
        return await this.#parts.rulesPage.remove(message.rule, message.source);
      case "explain":
        return await this.#parts.rulesPage.explain(message.command);
      case "end-command":
        await this.session.background.kill(message.id);
        return;
      case "to-background":
        this.session.background.detach(message.callID);
        return;
      case "end-call":
        this.session.background.endCall(message.callID);
        return;
      case "show-terminal":
        return this.#parts.showTerminal();
      case "server":
        return await this.#parts.mcp.act(message.name, message.action);
      case "preview-restore":
        return await this.#parts.restores.preview(message.messageID);
      case "restore":
        return await this.#parts.restores.restore(message);
      case "undo-restore":
        return await this.#parts.restores.undo();
      case "compare":
        return await this.#parts.restores.compare(message.messageID);
      case "set-mode":
        return this.setMode(message.mode);
      case "set-model":
        models.choose({ providerID: message.providerID, modelID: message.modelID });
        this.session.choose(models.current ? { model: models.current } : {});
        void this.#parts.memory.update(remembered.model, models.current);
        return this.#parts.onChange();
      case "set-agent":
        this.session.choices.agent = message.name;
        return this.#parts.onChange();
      case "withdraw":
        return await this.session.withdraw(message.queuedID);
      case "edit-queued":
        return await this.session.editQueued(message.queuedID, message.text);
      case "move-queued":
        return await this.session.moveQueued(message.queuedID, message.to);
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

  /** Sends a prompt. Resolves when it is on its way; what is not taken comes back, with the reason. */
  async prompt({ text, attachments, agents = [] }: Said): Promise<void> {
    await this.prepare();
    const { session } = this;
    try {
      this.#choose();
    } catch (error) {
      return this.#giveBack({ text, attachments }, error);
    }
    if (!session.running && this.#parts.conversations.runsElsewhere) this.#tellOfTheWait();
    const { parts } = textPrompt(text, attachments);
    const mentions = agents.map((name) => ({ type: "agent" as const, name }));
    const taken = session.prompt({ parts: [...parts, ...mentions] });
    taken.catch((error: unknown) => this.#giveBack({ text, attachments }, error));
    this.#attachments = [];
    this.#keepDraft("");
    void this.#parts.memory.update(remembered.session, session.chat.session.id);
    this.#parts.onChange();
  }

  async stop(): Promise<void> {
    const { conversations, send } = this.#parts;
    if (this.session.running || !conversations.runsElsewhere) return await this.session.stop();
    send({ type: "notice", message: "This session runs in another window or process.", next: "Stop it there." });
  }

  async compact(): Promise<void> {
    await this.prepare();
    try {
      this.#choose();
      await this.session.compact();
    } catch (error) {
      this.#parts.send({ type: "notice", ...this.explain(error) });
    }
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

  /** The user may have changed the command that is allowed. */
  #answer({ requestID, answer }: Extract<ToHost, { type: "answer" }>): void {
    const { session } = this;
    if (answer.type !== "once" || answer.command === undefined) {
      session.answer(requestID, answer.type === "once" ? { type: "once" } : answer);
      return;
    }
    const { command } = answer;
    const input = session.permissions.find(requestID)?.question.input;
    session.answer(requestID, { type: "once", input: { ...input, command } });
  }

  #giveBack({ text, attachments }: Said, error: unknown): void {
    const { send } = this.#parts;
    send({ type: "notice", ...this.explain(error) });
    send({ type: "compose", text, send: false });
    this.attach(attachments);
  }

  #tellOfTheWait(): void {
    const seconds = Math.ceil(readSettings().limits.queueTimeoutMs / 1000);
    this.#parts.send({
      type: "notice",
      message: "This session runs in another window or process.",
      next: `The message waits for it, at most ${seconds} s; then it comes back. Stop ends the wait.`,
    });
  }

  #fork(messageID: string): void {
    const { text, files } = this.#parts.archive.fork(messageID);
    this.#parts.send({ type: "compose", text, send: false });
    this.attach(files.map(({ mime, filename, url, source }) => ({ mime, filename, url, ...(source && { source }) })));
  }

  explain(error: unknown): { message: string; next: string } {
    if (error instanceof ModelError || error instanceof RecordError)
      return { message: error.message, next: error.next };
    if (error instanceof IntakeError || error instanceof ImportError) return { message: error.message, next: "" };
    this.#parts.log.error("Something went wrong", error);
    const message = error instanceof Error ? error.message : String(error);
    return { message, next: 'Details are in the log: "Rondo: Show Log".' };
  }

  /** The model and the settings of this moment, for the turn that begins. */
  #choose(): void {
    const { current, readiness } = this.#parts.models;
    const { thinking } = readSettings();
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
    this.session.choose({ thinking, model: current });
  }

  #keepDraft(text: string): void {
    this.#draft = text;
    void this.#parts.memory.update(remembered.draft, text);
  }

  #contextUsed(): number | undefined {
    const last = this.chat().messages.findLast(({ info }) => info.role === "assistant" && info.tokens.output > 0)?.info;
    if (last?.role !== "assistant") return undefined;
    const window = windowOf(last.model, { ...readSettings().limits, windows: this.#parts.models.windows });
    // After a compaction the conversation is its summary.
    const used = last.summary ? last.tokens.output : contextSize(last.tokens);
    return Math.min(1, used / window);
  }

  #cost(): Cost {
    const { usd, partial } = costOfSession(this.chat().messages);
    return { session: usd, today: this.#parts.ledger.today(), partial };
  }
}

/** What a session that is opened now begins with; one that is gone on with keeps its agent. */
export function choicesNow(models: Models, memory: vscode.Memento, { messages }: Chat): Choices {
  const { agent, thinking, mode } = readSettings();
  const last = messages.findLast(({ info }) => info.role === "user")?.info;
  return {
    mode: PermissionMode.safeParse(memory.get(remembered.mode)).data ?? mode,
    model: models.current ?? { providerID: "anthropic", modelID: "" },
    agent: last?.agent ?? agent,
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
