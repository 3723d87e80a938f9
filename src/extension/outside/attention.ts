/** Tells outside of the panel that Rondo waits, works or is done: a badge, an item of the status bar, a notification. */

import * as vscode from "vscode";
import type { Chat } from "../../chat/apply.ts";
import { endSentence, questionSentence, type Wish, waitingWords } from "../../chat/attention.ts";
import type { ChatEvent, ExitReason } from "../../chat/events.ts";
import type { UserRequest } from "../../chat/requests.ts";
import { t } from "../../l10n/l10n.ts";
import type { Session } from "../../loop/session/session.ts";
import { questionsHere } from "../sessions/summary.ts";
import { readSettings } from "../settings.ts";

/** So long a question waits without focus in the panel before a notification tells of it. */
const patienceMs = 5_000;

/** Those that the user has not caused. */
const ends: Partial<Record<ExitReason, "done" | "failed">> = {
  end_turn: "done",
  max_turns: "failed",
  max_tokens: "failed",
  // The user has been asked, and let the step finish.
  error_max_budget_usd: "done",
  error: "failed",
};

/** The panel, as this module sees it. */
interface WatchedPanel {
  /** Whether its view is on the screen. */
  readonly isVisible: boolean;
  readonly hasFocus: boolean;
  setBadge(badge: vscode.ViewBadge | undefined): void;
}

interface AttentionOptions {
  panel: WatchedPanel;
  sessions(): readonly Session[];
  currentID(): string;
  /** Shows the panel with this session. */
  show(sessionID: string): Promise<void>;
}

interface OpenQuestion {
  session: Session;
  request: UserRequest;
}

interface StatusLook {
  text: string;
  label: string;
  isLoud: boolean;
}

const looks: Record<Wish, Pick<StatusLook, "text" | "label">> = {
  waits: { text: `$(question) ${t("Rondo waits for you")}`, label: t("Rondo waits for you") },
  works: { text: `$(loading~spin) ${t("Rondo is working")}`, label: t("Rondo is working") },
  failed: { text: `$(error) ${t("Rondo has stopped")}`, label: t("Rondo has stopped with an error") },
  done: { text: `$(pass) ${t("Rondo is done")}`, label: t("Rondo is done") },
};

export class Attention implements vscode.Disposable {
  readonly #options: AttentionOptions;
  /** Made when there is something to tell, so that the start of the extension makes none. */
  #item: vscode.StatusBarItem | undefined;
  #shown = "";
  #badge = 0;
  /** By session ID: turns that have ended out of sight. */
  readonly #ended = new Map<string, "done" | "failed">();
  /** Questions that a notification was shown for, or that another one's notification has counted. */
  readonly #told = new Set<string>();
  /** The question of the notification that is on the screen. */
  #notified = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AttentionOptions) {
    this.#options = options;
  }

  event(session: Session, event: ChatEvent): void {
    const inner = innermost(event);
    if (inner.type === "status" && inner.status.type !== "idle") this.#ended.delete(session.chat.session.id);
    if (event.type === "ended") this.#noteEnd(session, ends[event.reason]);
    if (["asked", "answered", "status", "ended"].includes(inner.type)) this.update();
  }

  /** To be called when what is in sight, or a setting, has changed. */
  update(): void {
    const { panel, sessions, currentID } = this.#options;
    if (panel.isVisible) this.#ended.delete(currentID());
    const questions = this.#questions();
    const unseen = questions.filter(({ session }) => !this.#isInSight(session));
    this.#showBadge(unseen.length);
    const isWorking = sessions().some(({ chat }) => chat.status.type !== "idle");
    const ended = [...this.#ended.values()];
    const end = ended.includes("failed") ? "failed" : ended[0];
    const wish: Wish | undefined = questions.length > 0 ? "waits" : isWorking ? "works" : end;
    this.#showItem(wish && { ...looks[wish], isLoud: unseen.length > 0 }, questions.length);
    this.#watch(questions);
  }

  /** Shows what waits the longest, else what has ended. */
  async show(): Promise<void> {
    const [question] = this.#questions();
    const [ended] = this.#ended.keys();
    await this.#options.show(question?.session.chat.session.id ?? ended ?? this.#options.currentID());
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#item?.dispose();
  }

  #questions(): OpenQuestion[] {
    return this.#options
      .sessions()
      .flatMap((session) => questionsHere(session).map((request) => ({ session, request })));
  }

  #isInSight({ chat }: { chat: Chat }): boolean {
    const { panel, currentID } = this.#options;
    return panel.isVisible && chat.session.id === currentID();
  }

  #showBadge(questions: number): void {
    const value = readSettings().window["attention.badge"] ? questions : 0;
    if (value === this.#badge) return;
    this.#badge = value;
    this.#options.panel.setBadge(value === 0 ? undefined : { value, tooltip: waitingWords(value) });
  }

  #showItem(look: StatusLook | undefined, questions: number): void {
    const wanted = readSettings().window["attention.statusBar"] ? look : undefined;
    const key = JSON.stringify([wanted, questions]);
    if (key === this.#shown || (!wanted && !this.#item)) return;
    this.#shown = key;
    if (!wanted) {
      this.#item?.hide();
      return;
    }
    if (!this.#item) {
      this.#item = vscode.window.createStatusBarItem("rondo.state", vscode.StatusBarAlignment.Left, 0);
      this.#item.name = "Rondo";
      this.#item.command = "rondo.showWaiting";
    }
    const { text, label, isLoud } = wanted;
    const words = questions > 1 ? t("{0}: {1} questions", label, questions) : label;
    this.#item.text = text;
    this.#item.tooltip = t("{0}. Click to show the chat.", words);
    this.#item.accessibilityInformation = { label: words, role: "button" };
    this.#item.backgroundColor = isLoud ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.#item.show();
  }

  /** Waits with the notification as long as the user is in the panel. */
  #watch(questions: readonly OpenQuestion[]): void {
    const open = new Set(questions.map(({ request }) => request.id));
    for (const id of this.#told) if (!open.has(id)) this.#told.delete(id);
    const isUntold = questions.some(({ request }) => !this.#told.has(request.id));
    const mayTell = isUntold && !this.#options.panel.hasFocus && !open.has(this.#notified);
    if (!mayTell || !readSettings().window["attention.notifications"]) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#tell();
    }, patienceMs);
  }

  /** One notification for all questions that are open: the others are counted. Nothing in it allows anything. */
  async #tell(): Promise<void> {
    const questions = this.#questions().filter(({ request }) => !this.#told.has(request.id));
    const [first, ...more] = questions;
    if (!first) return;
    const { session, request } = first;
    for (const one of questions) this.#told.add(one.request.id);
    this.#notified = request.id;
    const others =
      more.length === 0
        ? ""
        : more.length === 1
          ? ` ${t("1 more question waits.")}`
          : ` ${t("{0} more wait.", more.length)}`;
    const actions = request.kind === "permission" ? [t("Show"), t("Deny")] : [t("Show")];
    const chosen = await vscode.window.showInformationMessage(questionSentence(request) + others, ...actions);
    if (this.#notified === request.id) this.#notified = "";
    // It may have been answered meanwhile, which VS Code's notification cannot be told.
    if (chosen === "Deny") session.answer(request.id, { kind: "permission", type: "deny", words: "" });
    else if (chosen === "Show") await this.#options.show(session.chat.session.id);
    this.update();
  }

  #noteEnd(session: Session, end: "done" | "failed" | undefined): void {
    const { id, title } = session.chat.session;
    if (!end) return void this.#ended.delete(id);
    if (!this.#isInSight(session)) this.#ended.set(id, end);
    if (!readSettings().window["attention.notifications"] || vscode.window.state.focused) return;
    // A plan that asks comes right after the end of its turn, and is told as a question.
    setImmediate(() => {
      if (questionsHere(session).length > 0 || session.running) return;
      void vscode.window.showInformationMessage(endSentence(end, title), t("Show")).then(async (chosen) => {
        if (chosen === "Show") await this.#options.show(id);
      });
    });
  }
}

function innermost(event: ChatEvent): Exclude<ChatEvent, { type: "child" }> {
  return event.type === "child" ? innermost(event.event) : event;
}
