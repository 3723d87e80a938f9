/** Restoring a checkpoint of the session on screen: the preview, the restore itself, and its undo. */

import * as vscode from "vscode";
import type { Chat } from "../../chat/apply.ts";
import { ownWords } from "../../chat/words.ts";
import type { LastRestore } from "../../checkpoints/session-checkpoints.ts";
import { language, t } from "../../l10n/l10n.ts";
import type { Feature } from "../feature.ts";
import type { Models } from "../models/models.ts";
import { NoticeError } from "../notice-error.ts";
import type { Handlers, PanelContext, PanelRequest } from "../panel/handlers.ts";
import type { Panel } from "../panel/panel.ts";
import type { WindowServices } from "../services.ts";
import { chooseModel } from "../sessions/choices.ts";
import type { EditorWindow } from "../window.ts";
import { checkpointText, compareWith } from "./editor-checkpoints.ts";

export class RestorePage implements Feature {
  readonly #panel: Panel;
  readonly #context: PanelContext;
  readonly #models: Models;
  readonly #closing = new AbortController();
  #last: LastRestore | undefined;

  readonly handlers = {
    "preview-restore": ({ messageID }) => this.#preview(messageID),
    restore: (request) => this.#restore(request),
    "answer-again": (request) => this.#answerAgain(request),
    "undo-restore": () => this.#undo(),
    "finish-restore": () => this.#finish(),
    compare: ({ messageID }) => this.#compare(messageID),
  } satisfies Partial<Handlers>;

  readonly commands = { "rondo.restoreCheckpoint": () => this.#choose() };

  readonly observer = { switched: () => void this.#refresh() };

  readonly documents = { "rondo-checkpoint": checkpointText };

  constructor({ panel }: EditorWindow, { models, page }: WindowServices) {
    this.#panel = panel;
    this.#context = page;
    this.#models = models;
  }

  state() {
    if (!this.#last) return { restored: undefined };
    const { files, at, open, isUndo } = this.#last;
    return { restored: { files, at, open, isUndo } };
  }

  async #choose(): Promise<void> {
    const messageID = await pickMessage(this.#context.conversations.current.chat);
    if (messageID === undefined) return;
    await this.#panel.reveal();
    this.#context.send({ type: "show-restore", messageID });
  }

  /** Reads the restore that can be undone again: one was made or undone, or another session is on screen. */
  async #refresh(): Promise<void> {
    // A restore that cannot be read cannot be undone. The next restore reports what is wrong.
    this.#last = await this.#context.conversations.checkpoints.restored().catch(() => undefined);
    this.#context.stateChanged();
  }

  dispose(): void {
    this.#closing.abort();
  }

  async #preview(messageID: string): Promise<void> {
    const { send, conversations } = this.#context;
    const { chat } = conversations.current;
    const snapshot = snapshotBefore(chat, messageID);
    if (snapshot === undefined) {
      // No file has changed since: only the conversation can go back.
      send({ type: "restore-preview", messageID, at: Date.now(), files: [] });
      return;
    }
    const { at, known, files } = await conversations.checkpoints.preview(snapshot, this.#closing.signal);
    if (!known && hasChanged(chat, messageID))
      throw new NoticeError(t("This checkpoint has been deleted to save space."));
    send({ type: "restore-preview", messageID, at: known ? at : Date.now(), files });
  }

  /** Restores the chosen files, and the conversation if `chat` is true. Files that were left out are reported. */
  async #restore({ messageID, paths, chat }: PanelRequest<"restore">): Promise<void> {
    const { conversations } = this.#context;
    const session = conversations.current;
    if (session.running) await session.stop();
    await this.#restoreFiles(session.chat, messageID, paths, chat ? messageID : "");
    if (chat) await this.#rewind(messageID);
    await this.#refresh();
  }

  /** Restores the chosen files, and answers the message again with the model that is chosen. */
  async #answerAgain({ messageID, paths }: PanelRequest<"answer-again">): Promise<void> {
    const { conversations, memory } = this.#context;
    const session = conversations.current;
    if (session.running) await session.stop();
    // Before anything changes: there may be no model.
    chooseModel(session, this.#models, memory);
    await this.#restoreFiles(session.chat, messageID, paths, messageID);
    await this.#refresh();
    await session.answerAgain(messageID);
  }

  /** `rewindTo`: the message before which the conversation goes on if this is cut off and finished later; empty if nowhere. */
  async #restoreFiles(chat: Chat, messageID: string, paths: readonly string[], rewindTo: string): Promise<void> {
    const snapshot = snapshotBefore(chat, messageID);
    if (snapshot === undefined || paths.length === 0) return;
    const { checkpoints } = this.#context.conversations;
    const { left } = await checkpoints.restore(snapshot, [...paths], this.#closing.signal, rewindTo);
    this.#report(left);
  }

  /** Does the rest of a restore that was cut off: of its files, and of the conversation. */
  async #finish(): Promise<void> {
    const { conversations } = this.#context;
    const session = conversations.current;
    if (session.running) await session.stop();
    const rewindTo = (await conversations.checkpoints.restored())?.rewindTo ?? "";
    const { left } = await conversations.checkpoints.finish(this.#closing.signal);
    this.#report(left);
    if (session.chat.messages.some(({ info }) => info.id === rewindTo)) await this.#rewind(rewindTo);
    await this.#refresh();
  }

  /** Takes the conversation back to before a message, whose words return to the message box. */
  async #rewind(messageID: string): Promise<void> {
    const session = this.#context.conversations.current;
    const prompt = session.chat.messages.find(({ info }) => info.id === messageID);
    await session.rewind(messageID);
    this.#context.send({ type: "compose", text: ownWords(prompt?.parts ?? []), send: false });
  }

  async #undo(): Promise<void> {
    const { conversations } = this.#context;
    const session = conversations.current;
    if (session.running) await session.stop();
    const { left } = await conversations.checkpoints.undo(this.#closing.signal);
    if (session.chat.setAside.length > 0) await session.rewind(null);
    this.#report(left);
    await this.#refresh();
  }

  async #compare(messageID: string): Promise<void> {
    const { checkpoints, current } = this.#context.conversations;
    const snapshot = snapshotBefore(current.chat, messageID);
    if (snapshot !== undefined) await compareWith(checkpoints, snapshot, this.#closing.signal);
  }

  #report(left: readonly { path: string; problem: string }[]): void {
    const [first] = left;
    if (!first) return;
    const others = left.length > 1 ? t(", and {0} more", left.length - 1) : "";
    const message = t("Not restored: {0} ({1}){2}.", first.path, first.problem, others);
    this.#context.send({ type: "notice", message, next: t("These files are unchanged."), fix: "none" });
  }
}

/** Whether a file was changed for the message or after it. */
function hasChanged({ messages }: Chat, messageID: string): boolean {
  const at = messages.findIndex(({ info }) => info.id === messageID);
  return messages.slice(at).some(({ parts }) => parts.some(({ type }) => type === "patch"));
}

/** Returns the snapshot before the first step for the message or after it; undefined when there was none. */
function snapshotBefore({ messages }: Chat, messageID: string): string | undefined {
  const at = messages.findIndex(({ info }) => info.id === messageID);
  if (at < 0) return undefined;
  for (const { parts } of messages.slice(at)) {
    for (const part of parts) if (part.type === "step-start" && part.snapshot !== undefined) return part.snapshot;
  }
  return undefined;
}

/** Asks for the message to go back to; the newest comes first. */
async function pickMessage({ messages }: Chat): Promise<string | undefined> {
  const items = messages.flatMap((entry) => {
    const label = ownWords(entry.parts).trim().replace(/\s+/g, " ").slice(0, 100);
    if (entry.info.role !== "user" || label === "") return [];
    const time = new Date(entry.info.createdAt).toLocaleTimeString(language(), { hour: "2-digit", minute: "2-digit" });
    return [{ label, description: time, messageID: entry.info.id }];
  });
  const title = t("Restore Checkpoint");
  const placeHolder = t("Restore the files to before this message; you see the changes first");
  return (await vscode.window.showQuickPick(items.toReversed(), { title, placeHolder }))?.messageID;
}
