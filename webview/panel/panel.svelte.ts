/** The panel's state: the chat as the fold of its events, the host's state, and the open view. */

import { sameJson } from "../../src/base/json.ts";
import { apply, type Chat } from "../../src/chat/apply.ts";
import type { ArgumentValues } from "../../src/chat/command-requests.ts";
import type { EditorContext, EditorContextKind } from "../../src/chat/editor-views.ts";
import type { ChatEvent } from "../../src/chat/events.ts";
import type { HostNotice } from "../../src/chat/host-notice.ts";
import type { PickerList } from "../../src/chat/model-list.ts";
import type { PageContents, PageMessage, PageName } from "../../src/chat/pages.ts";
import type { PanelState } from "../../src/chat/panel-state.ts";
import type { PromptTime, ToPanel } from "../../src/chat/protocol.ts";
import type { Rule, RuleTrial } from "../../src/chat/requests.ts";
import type { RestoreFile } from "../../src/chat/review-views.ts";
import type { CommandJudgement } from "../../src/chat/rule-views.ts";
import type { MergeView, SessionSummary } from "../../src/chat/session-views.ts";
import { newestTodos, type Todo, todosOf } from "../../src/chat/todos.ts";
import { t } from "../../src/l10n/l10n.ts";
import { joinDeltas, placeChild, requestsOf } from "../calls/subagents.ts";
import { Draft } from "../composer/draft.svelte.ts";
import { mentionSearch } from "../composer/mention-search.svelte.ts";
import { mentionedNames } from "../composer/mentioned-names.ts";
import { refusedFiles } from "../composer/refused-files.svelte.ts";
import { replaceText } from "../composer/undoable-text.ts";
import { AnswerAgain } from "../conversation/answer-again.svelte.ts";
import { EarlierMessages } from "../conversation/earlier-messages.svelte.ts";
import { messageGroupsOf } from "../conversation/message-groups.ts";
import { forgetKept } from "../conversation/open-lines.svelte.ts";
import { answerImages } from "../markdown/answer-images.svelte.ts";
import { fileChecks } from "../markdown/file-checks.svelte.ts";
import { symbolLinks } from "../markdown/symbol-links.ts";
import { connecting } from "../models/connecting.svelte.ts";
import { sessionTitle } from "../sessions/session-title.ts";
import { Announcements } from "../spoken/announcements.ts";
import { Inbox } from "./inbox.ts";
import { send } from "./vscode-api.ts";

/** The text box of a question; while the question is open, the composer is that text box. */
export interface AnswerField {
  readonly label: string;
  readonly placeholder?: string;
  text: string;
  /** Text that no answer has sent; it joins the draft when the question closes. */
  readonly unsent: string;
}

/** What the keys of an open question do, for commands that are called from elsewhere. */
interface CardKeys {
  confirm(): void;
  dismiss(): void;
}

type PanelView = "chat" | PageName;

/** What is not about one page. */
type OtherMessage = Exclude<ToPanel, PageMessage>;

class PanelModel {
  /** Has the newest messages only. Undefined until the first snapshot. */
  chat = $state<Chat>();
  /** Those before them. */
  readonly earlier = new EarlierMessages();
  state = $state.raw<PanelState>();
  /** Undefined until the host has answered. `query`: the text of the search. */
  sessions = $state.raw<{ query: string; found: SessionSummary[] }>();
  /** What the host has sent for the pages; that of a page is undefined until it has answered. */
  contents = $state.raw<Partial<PageContents>>({});
  /** What the editor held when "@" was typed last. */
  editorContexts = $state.raw<ReadonlyMap<EditorContextKind, EditorContext>>(new Map());
  /** What an MCP server has last offered for an argument of a command. */
  argumentValues = $state.raw<ArgumentValues>();
  /** As the host has last listed them for the picker; undefined until it was opened. */
  models = $state.raw<PickerList>();
  /** How the rules judge the command that the user entered on the page of rules. */
  explained = $state.raw<CommandJudgement>();
  /** How the rules judge the command that the user is editing in a question. */
  judged = $state.raw<{ requestID: string; judgement: CommandJudgement }>();
  /** Matches of the rules that the user is editing in a question. */
  tried = $state.raw<{ requestID: string; rules: Rule[]; trials: RuleTrial[] }>();
  /** The message to restore to; `preview` is missing until the host has answered. */
  restore = $state.raw<{ messageID: string; preview?: { at: number; files: RestoreFile[] } }>();
  /** The question what becomes of the changes when a message is answered again. */
  readonly answerAgain = new AnswerAgain();
  /** The merge of a worktree that the user is asked about. */
  merge = $state.raw<MergeView>();
  todos = $state.raw<readonly Todo[]>([]);
  view = $state<PanelView>("chat");
  /** Dismissed notices: servers by name and state, ended commands, a restore. */
  seenServers = $state.raw<ReadonlySet<string>>(new Set());
  cleared = $state.raw<ReadonlySet<string>>(new Set());
  seenRestore = $state("");
  notice = $state.raw<HostNotice>();
  /** Whether the form for a key opens as soon as an error shows that wants one. */
  wantsKeyForm = $state(false);
  readonly #draft = new Draft(() => this.chat?.session.id ?? "");
  field = $state<HTMLTextAreaElement>();
  /** Undefined while the composer holds the draft. */
  answerField = $state.raw<AnswerField>();
  /** Undefined while no question is open. */
  cardKeys: CardKeys | undefined;
  /** Incremented to focus the composer, or to scroll the log to its end. */
  wantFocus = $state(0);
  wantEnd = $state(0);
  /** Whether the field that searches the conversation is open. `wantFind`: incremented to focus it. */
  isFinding = $state(false);
  wantFind = $state(0);
  /** Incremented with the events of the chat. */
  chatVersion = $state(0);
  menu = $state<"mode" | "model" | "send">();
  /** ID of the queued message that the user is editing. */
  editing = $state<string>();
  readonly title = $derived(sessionTitle(this.chat?.session.title ?? "", t("New session")));
  /** The open questions of the chat and of all its subagents. */
  readonly requests = $derived(this.chat ? requestsOf(this.chat) : []);
  readonly helpers = $derived(this.state?.agents.filter(({ mode }) => mode !== "primary") ?? []);
  readonly announcements = new Announcements();

  readonly #handlers: { [Type in OtherMessage["type"]]: (message: Extract<OtherMessage, { type: Type }>) => void } = {
    snapshot: (message) => this.#takeSnapshot(message),
    earlier: (message) => this.#takeEarlier(message),
    events: ({ events }) => this.#takeEvents(events),
    state: ({ state }) => this.#takeState(state),
    sessions: ({ query, sessions }) => (this.sessions = { query, found: sessions }),
    child: ({ chat }) => this.chat && placeChild(this.chat, chat),
    "answer-image": ({ path, image }) => answerImages.take(path, image),
    "checked-files": ({ paths, missing }) => fileChecks.take(paths, missing),
    "found-symbols": (found) => symbolLinks.take(found),
    "editor-context": ({ context }) => (this.editorContexts = new Map(this.editorContexts).set(context.kind, context)),
    "mention-kinds": ({ notes }) => (mentionSearch.notes = notes),
    mentions: ({ found }) => mentionSearch.take(found),
    "variable-values": (offered) => (mentionSearch.variableValues = offered),
    "scale-image": ({ name, mime, data }) => this.onImage(name, mime, data),
    models: ({ list }) => (this.models = list),
    "argument-values": (offered) => (this.argumentValues = offered),
    judged: (message) => (this.judged = message),
    tried: (message) => (this.tried = message),
    explained: ({ judgement }) => (this.explained = judgement),
    "restore-preview": (preview) => {
      const { messageID } = preview;
      if (this.restore?.messageID === messageID) this.restore = { messageID, preview };
      this.answerAgain.take(messageID, preview.files);
    },
    "merge-preview": ({ merge }) => {
      this.merge = merge;
      this.view = "chat";
    },
    connect: ({ view }) => (connecting.view = view),
    connected: ({ label }) => this.#begin(label),
    notice: (notice) => (this.notice = notice),
    "refused-file": (file) => refusedFiles.add(file),
    compose: ({ text, send }) => (send && this.ready ? this.#send(text, "next-step") : this.insert(text)),
    find: () => this.find(),
    "answer-key": ({ key }) => this.#pressAnswerKey(key),
    focus: () => this.#focus(),
    "show-sessions": () => this.show("sessions"),
    "show-restore": ({ messageID }) => this.showRestore(messageID),
  };

  readonly inbox = new Inbox((message) => {
    if (this.#isOfPage(message)) this.#takePage(message);
    // TypeScript does not relate the type of a message to that of its handler.
    else (this.#handlers[message.type] as (message: ToPanel) => void)(message);
  });

  #isOfPage(message: ToPanel): message is Extract<ToPanel, PageMessage> {
    return !(message.type in this.#handlers);
  }

  #takePage(message: PageMessage): void {
    // The part after "show-" is the name of a page by the type of the message.
    if (message.type.startsWith("show-")) this.show(message.type.slice(5) as PageName);
    else this.contents = { ...this.contents, [message.type]: message };
  }

  /** Takes over what the user has typed before the panel was there, and whether Enter was pressed then. */
  begin(typed: string, entered: boolean): void {
    if (this.#draft.begin(typed, entered)) this.inbox.typed();
  }

  /** Attaches an image that the host has read; set by the composer. */
  onImage: (name: string, mime: string, data: string) => void = () => {};

  get draft(): string {
    return this.#draft.text;
  }

  /** Shows it without keeping it: Svelte sets it to what the field holds before the first snapshot has come, too. */
  set draft(draft: string) {
    this.#draft.text = draft;
  }

  write(draft: string): void {
    this.#draft.write(draft);
  }

  /** Writes a draft into the field so that the user can undo it there. */
  rewrite(draft: string): void {
    const isWritten = this.field !== undefined && !this.answerField && replaceText(this.field, draft);
    if (!isWritten) this.write(draft);
  }

  insert(text: string): void {
    const end = this.draft.length;
    const atEnd = { selectionStart: end, selectionEnd: end };
    const { selectionStart: from, selectionEnd: to } = this.answerField ? atEnd : (this.field ?? atEnd);
    this.rewrite(this.draft.slice(0, from) + text + this.draft.slice(to));
    this.#focus();
  }

  closeAnswerField(field: AnswerField): void {
    if (this.answerField === field) this.answerField = undefined;
    const unsent = field.unsent.trim();
    if (unsent !== "") this.write(this.draft === "" ? unsent : `${this.draft}\n${unsent}`);
  }

  get ready(): boolean {
    return this.state !== undefined && this.state.readiness.type !== "no-key";
  }

  prompt(when: PromptTime = "next-step"): void {
    const text = this.draft.trim();
    if (!this.state) return;
    const { attachments, comments } = this.state;
    if (text === "" && attachments.length + comments.length === 0) return;
    if (!this.ready) {
      connecting.ask();
      return;
    }
    this.#send(text, when);
    this.write("");
  }

  /** Sends the task that was written before a model was connected; not one that is still written in a session. */
  #begin(label: string): void {
    const waits = connecting.isAsked || this.chat?.messages.length === 0;
    const isFromPicker = this.menu === "model";
    this.menu = undefined;
    connecting.end(label);
    if (waits && !isFromPicker && this.draft.trim() !== "") this.prompt();
    else this.#focus();
  }

  #send(text: string, when: PromptTime): void {
    send({ type: "prompt", text, attachments: this.state?.attachments ?? [], agents: this.#mentionedIn(text), when });
    // The host has taken them: a second message that follows at once has none.
    if (this.state) this.state = { ...this.state, attachments: [] };
    this.view = "chat";
    this.notice = undefined;
    refusedFiles.clear();
    this.wantEnd++;
  }

  /** Removes it at once: the next chip that is removed has its place in what is left, as it has for the host. */
  detach(index: number): void {
    if (!this.state) return;
    send({ type: "detach", index });
    this.#takeState({ ...this.state, attachments: this.state.attachments.toSpliced(index, 1) });
  }

  editQueued(queuedID: string, text: string): void {
    send({ type: "edit-queued", queuedID, text, agents: this.#mentionedIn(text) });
  }

  /** Names of the agents that the text mentions. */
  #mentionedIn(text: string): string[] {
    const names = this.helpers.map(({ name }) => name);
    return mentionedNames(text, names);
  }

  open(id: string): void {
    this.wantsKeyForm = false;
    this.#draft.sendNow();
    send({ type: "open-session", id });
    this.view = "chat";
    this.wantEnd++;
  }

  newSession(): void {
    this.#draft.sendNow();
    send({ type: "new-session" });
    this.#focus();
  }

  find(): void {
    this.view = "chat";
    if (this.chat?.messages.length === 0) return;
    this.isFinding = true;
    this.wantFind++;
  }

  /** A question that is behind another page is shown first: what is not in sight is not answered. */
  #pressAnswerKey(key: "confirm" | "dismiss"): void {
    if (this.view === "chat") this.cardKeys?.[key]();
    else this.view = "chat";
  }

  #focus(): void {
    this.view = "chat";
    this.wantFocus++;
  }

  /** Opens a page, which is filled anew. */
  show(page: PageName): void {
    if (page === "sessions") send({ type: "list-sessions", query: "" });
    this.contents = { ...this.contents, [page]: undefined };
    this.explained = undefined;
    this.view = page;
  }

  /** Opens the restore dialog, which asks the host what would change. */
  showRestore(messageID: string): void {
    this.view = "chat";
    this.answerAgain.close();
    this.restore = { messageID };
    send({ type: "preview-restore", messageID });
  }

  /** Opens the question before the message of an answer is answered again. `replyID`: its first message. */
  showAnswerAgain(replyID: string): void {
    this.restore = undefined;
    this.answerAgain.show(replyID, [...this.earlier.entries, ...(this.chat?.messages ?? [])], this.earlier);
  }

  /** `keep`: what the summary is to keep, in the user's words; empty: nothing in particular. */
  compact(keep: string): void {
    send({ type: "compact", goOn: false, ...(keep !== "" && { keep }) });
    this.view = "chat";
    this.wantEnd++;
  }

  #takeSnapshot({ chat, missing, state, draft }: Extract<ToPanel, { type: "snapshot" }>): void {
    const isOther = this.chat !== undefined && this.chat.session.id !== chat.session.id;
    const isFirst = this.chat === undefined;
    if (isOther) this.#leave(draft);
    this.todos = newestTodos(chat.messages);
    this.chat = this.earlier.begin(chat, missing);
    if (this.menu === "model") send({ type: "show-models" });
    this.state = state;
    if (!isFirst) this.#draft.restore(draft);
    // Enter was for the message, never for a question that is open.
    else if (this.#draft.join(draft) && this.requests.length === 0) this.prompt();
  }

  /** Prepares the composer for another session, which has its own draft. */
  #leave(draft: string): void {
    this.#draft.switchTo(draft);
    forgetKept();
    this.restore = undefined;
    this.answerAgain.close();
    this.merge = undefined;
    this.notice = undefined;
    refusedFiles.clear();
    this.isFinding = false;
  }

  #takeState(state: PanelState): void {
    const { restored } = state;
    if (restored && !sameJson(restored, this.state?.restored)) this.announcements.addRestored(restored);
    const isListStale = this.view === "sessions" && !sameJson(state.tabs, this.state?.tabs);
    this.announcements.addMode(this.state, state);
    this.announcements.addReview(this.state?.review ?? [], state.review);
    this.announcements.addAttached(this.state?.attachments ?? [], state.attachments);
    this.state = state;
    if (isListStale) send({ type: "list-sessions", query: this.sessions?.query ?? "" });
  }

  #takeEarlier({ before, messages, missing }: Extract<ToPanel, { type: "earlier" }>): void {
    if (!this.chat) return;
    const [first] = messageGroupsOf(this.chat.messages);
    this.earlier.take(before, messages, missing, first?.type === "assistant" ? first.id : undefined);
    if (this.todos.length === 0) this.todos = newestTodos(messages);
    if (this.answerAgain.wanted !== "") this.showAnswerAgain(this.answerAgain.wanted);
  }

  #takeEvents(events: ChatEvent[]): void {
    if (!this.chat) return;
    this.chatVersion++;
    for (const event of joinDeltas(events)) {
      if (event.type === "rewound" && !this.earlier.bringBack(this.chat)) {
        this.inbox.requestSnapshot();
        return;
      }
      apply(this.chat, event);
      if (event.type === "rewound") this.todos = newestTodos(this.chat.messages);
      else if (event.type === "part") this.todos = todosOf(event.part) ?? this.todos;
      this.announcements.addEvent(event, this.chat, this.state?.review ?? []);
    }
    this.earlier.putAway(this.chat);
  }
}

export const panel = new PanelModel();
