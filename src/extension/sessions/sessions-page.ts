/** The list of sessions: opens, searches, renames, deletes, exports, imports and forks them. */
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { sameJson } from "../../base/json.ts";
import { ownWords } from "../../chat/words.ts";
import { t } from "../../l10n/l10n.ts";
import { markdownSteps, transcriptSteps } from "../../loop/transfer/export.ts";
import { forkAfter, forkChat } from "../../loop/transfer/fork.ts";
import { importInSlices } from "../../loop/transfer/import.ts";
import { runInSlices } from "../../loop/transfer/slices.ts";
import { exportText } from "../answers/open.ts";
import type { Composer } from "../composer/composer.ts";
import type { Command, Feature } from "../feature.ts";
import { NoticeError } from "../notice-error.ts";
import type { Handlers, PanelContext, PanelRequest } from "../panel/handlers.ts";
import { reportedIn } from "../panel/reported.ts";
import type { WindowServices } from "../services.ts";
import type { EditorWindow } from "../window.ts";
import type { WorktreePage } from "../worktrees/worktree-page.ts";
import { remembered } from "./choices.ts";
import type { Conversations } from "./conversations.ts";
import type { SessionObserver } from "./observers.ts";
import type { SessionMarks } from "./session-marks.ts";

type ExportFormat = PanelRequest<"export-session">["format"];

const formats: Record<ExportFormat, { name: string; ending: string }> = {
  jsonl: { name: t("JSON Lines"), ending: "jsonl" },
  markdown: { name: t("Markdown"), ending: "md" },
};

const maxImportBytes = 256 << 20;

/** Events after which a tab, or the list of sessions, may look otherwise. */
const tabEvents: ReadonlySet<string> = new Set(["asked", "answered", "status", "ended", "session"]);
const stateEvents: ReadonlySet<string> = new Set(["message", "status", "ended", "session"]);

const maxRecent = 5;

export class SessionsPage implements Feature {
  readonly #window: EditorWindow;
  readonly #marks: SessionMarks;
  readonly #conversations: Conversations;
  readonly #send: PanelContext["send"];
  readonly #composer: Composer;
  readonly #worktrees: WorktreePage;
  #query = "";
  /** Whether the panel has a list that may be on the screen. */
  #isListed = false;
  #search = new AbortController();

  readonly handlers = {
    "new-session": () => this.#conversations.startNew(),
    "open-session": ({ id }) => this.#conversations.show(id),
    "close-tab": ({ id }) => this.#conversations.closeTab(id),
    "delete-session": async ({ id }) => {
      if (!(await this.#worktrees.release(id))) return;
      await this.#conversations.remove(id);
      await this.#list(this.#query);
    },
    "rename-session": ({ id, title }) => this.#rename(id, title),
    "list-sessions": async ({ query }) => {
      await this.#list(query);
      void this.#worktrees.refresh();
    },
    "export-session": ({ id, format }) => this.#export(id, format),
    "import-session": () => this.#import(),
    fork: ({ messageID }) => this.#fork(messageID),
    "fork-after": ({ messageID }) => {
      this.#conversations.add(forkAfter(this.#conversations.current.chat, messageID));
      this.#send({ type: "focus" });
    },
  } satisfies Partial<Handlers>;

  readonly commands: Record<string, Command>;

  readonly observer = {
    event: (_, { type }) => {
      if (tabEvents.has(type)) this.#window.observers.tabsChanged();
      if (stateEvents.has(type)) this.#window.stateChanged();
    },
    switched: ({ chat }) => {
      void this.#window.memory.update(remembered.session, chat.session.id);
      this.#window.observers.tabsChanged();
    },
    tabsChanged: () => {
      const { tabs, sessions } = this.#conversations;
      this.#marks.update(sessions);
      const { memory, stateChanged } = this.#window;
      if (!sameJson(tabs, memory.get(remembered.tabs))) void memory.update(remembered.tabs, tabs);
      stateChanged();
    },
  } satisfies Partial<SessionObserver>;

  constructor(window: EditorWindow, { marks, page }: WindowServices, composer: Composer, worktrees: WorktreePage) {
    this.#window = window;
    this.#marks = marks;
    this.#worktrees = worktrees;
    this.#conversations = page.conversations;
    this.#send = page.send;
    this.#composer = composer;
    this.commands = this.#commands(page);
    window.own(
      marks.onDidChange(() => {
        window.stateChanged();
        if (this.#isListed) void this.#list(this.#query);
      }),
    );
  }

  prepare(): void {
    restoreLastSession(this.#conversations, this.#window.memory, this.#window.log);
  }

  state() {
    const { current, tabs } = this.#conversations;
    return {
      tabs: tabs.map((tab) => ({
        ...tab,
        title: this.#worktrees.titleOf(tab.id, tab.title),
        state: this.#marks.of(tab.id)?.state ?? tab.state,
      })),
      recent: current.chat.messages.length === 0 ? this.#conversations.list().slice(0, maxRecent) : [],
    };
  }

  #commands(page: PanelContext): Record<string, Command> {
    const conversations = this.#conversations;
    const { panel } = this.#window;
    const reported = reportedIn(page);
    const goTo = (step: 1 | -1) =>
      reported(async () => {
        await panel.reveal();
        await page.prepare();
        const { tabs, current } = conversations;
        const at = tabs.findIndex(({ id }) => id === current.chat.session.id);
        const next = tabs.at((at + step) % tabs.length);
        if (next) conversations.show(next.id);
      });
    return {
      "rondo.new": panel.revealed(() => conversations.startNew()),
      "rondo.sessions": panel.revealed(() => this.#send({ type: "show-sessions" })),
      "rondo.nextSession": goTo(1),
      "rondo.previousSession": goTo(-1),
      "rondo.rename": reported(async () => {
        const { id, title } = conversations.current.chat.session;
        const name = await vscode.window.showInputBox({ title: t("Rename Session"), value: title });
        if (name !== undefined) await this.#rename(id, name);
      }),
      "rondo.export": reported(async () => {
        const items = [
          { label: formats.markdown.name, description: t("to read"), format: "markdown" as const },
          { label: formats.jsonl.name, description: t("complete; can be imported again"), format: "jsonl" as const },
        ];
        const picked = await vscode.window.showQuickPick(items, { title: t("Export Session") });
        if (picked) await this.#export(conversations.current.chat.session.id, picked.format);
      }),
      "rondo.import": reported(panel.revealed(() => this.#import())),
      "rondo.openRecord": async () => {
        const { session, messages } = conversations.current.chat;
        if (!conversations.has(session.id) || messages.length === 0) {
          const none = t("This session has no record yet. The first message creates it.");
          return void vscode.window.showInformationMessage(none);
        }
        await vscode.window.showTextDocument(vscode.Uri.file(conversations.recordPath()), { preview: true });
      },
    };
  }

  async #rename(id: string, title: string): Promise<void> {
    const words = title.trim();
    if (words === "") return;
    await this.#conversations.rename(id, words);
    await this.#list(this.#query);
  }

  async #export(id: string, format: ExportFormat): Promise<void> {
    const chat = this.#conversations.chat(id);
    const { name, ending } = formats[format];
    const file = path.join(chat.session.cwd || os.homedir(), `${fileName(chat.session.title)}.${ending}`);
    const steps = format === "jsonl" ? transcriptSteps(chat) : markdownSteps(chat);
    const text = () => runInSlices(steps, new AbortController().signal);
    await exportText(t("Export Session"), { [name]: [ending] }, file, text);
  }

  async #import(): Promise<void> {
    const [file] =
      (await vscode.window.showOpenDialog({
        title: t("Import Session"),
        openLabel: t("Import"),
        filters: { [formats.jsonl.name]: [formats.jsonl.ending] },
      })) ?? [];
    if (!file) return;
    const { size } = await vscode.workspace.fs.stat(file);
    if (size > maxImportBytes) {
      throw new NoticeError(t("The file is larger than {0} MB, the limit for a session.", maxImportBytes >> 20));
    }
    const bytes = await vscode.workspace.fs.readFile(file);
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    const progress = {
      location: vscode.ProgressLocation.Notification,
      title: t("Importing the session"),
      cancellable: true,
    };
    await vscode.window.withProgress(progress, async (_, token) => {
      const cancelled = new AbortController();
      token.onCancellationRequested(() => cancelled.abort());
      try {
        const chat = await importInSlices(bytes, cwd, cancelled.signal);
        await this.#conversations.addInSlices(chat, cancelled.signal);
      } catch (error) {
        if (!cancelled.signal.aborted) throw error;
      }
    });
  }

  /** Shows the sessions whose title or messages contain the words, or all of them. Ends the search before. */
  async #list(query: string): Promise<void> {
    this.#search.abort();
    this.#search = new AbortController();
    this.#query = query;
    this.#isListed = true;
    const { signal } = this.#search;
    if (query.trim() === "") return this.#send({ type: "sessions", query, sessions: this.#conversations.list() });
    try {
      const sessions = await this.#conversations.search(query, signal);
      if (!signal.aborted) this.#send({ type: "sessions", query, sessions });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Shows a new session with all messages before the given one, whose text and files go into the composer. */
  #fork(messageID: string): void {
    const { chat } = this.#conversations.current;
    const parts = chat.messages.find(({ info }) => info.id === messageID)?.parts ?? [];
    this.#conversations.add(forkChat(chat, messageID));
    const files = parts.filter((part) => part.type === "file");
    this.#composer.putBack(
      ownWords(parts),
      files.map(({ mime, filename, url, source }) => ({ mime, filename, url, ...(source && { source }) })),
    );
  }
}

/** Makes a title a file name that is valid on every system. */
function fileName(title: string): string {
  const name = title
    .replace(/[^\p{L}\p{N} ._-]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^\.+/, "")
    .slice(0, 80);
  return name || "session";
}

// What a window that is opened again shows first.

/** Gives the window its tabs again, and shows the session that was on screen, unless the user has begun another one. */
function restoreLastSession(conversations: Conversations, memory: vscode.Memento, log: vscode.LogOutputChannel): void {
  conversations.restoreTabs(memory.get(remembered.tabs));
  const id = memory.get<string>(remembered.session);
  if (id === undefined || !conversations.has(id) || conversations.current.chat.messages.length > 0) return;
  try {
    conversations.show(id);
  } catch (error) {
    log.error("The last session could not be opened", error);
  }
}
