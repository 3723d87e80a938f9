/** Going back: what a restore would change, the restore itself, and its undo, for the session on screen. */
import type * as vscode from "vscode";
import type { Chat } from "../../chat/apply.ts";
import type { PanelState, ToHost } from "../../chat/protocol.ts";
import { ownWords } from "../../chat/words.ts";
import type { Conversations } from "../sessions/conversations.ts";
import { compareWith } from "../sessions/editor-checkpoints.ts";
import type { PanelMessage } from "./panel.ts";

interface Parts {
  conversations: Conversations;
  send(message: PanelMessage): void;
  /** `last` has changed. */
  onChange(): void;
}

export class Restores implements vscode.Disposable {
  readonly #parts: Parts;
  /** Aborted with the window. */
  readonly #closing = new AbortController();
  readonly #switching: vscode.Disposable;
  #last: PanelState["restored"];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#switching = parts.conversations.onDidSwitch(() => void this.#look());
  }

  /** The restore that can be undone. */
  get last(): PanelState["restored"] {
    return this.#last;
  }

  async preview(messageID: string): Promise<void> {
    const { send, conversations } = this.#parts;
    const snapshot = snapshotBefore(conversations.current.chat, messageID);
    if (snapshot === undefined) {
      // Nothing has been done since, so there is only the conversation to go back with.
      send({ type: "restore-preview", messageID, at: Date.now(), files: [] });
      return;
    }
    const { at, known, files } = await conversations.checkpoints.preview(snapshot, this.#closing.signal);
    if (!known && hasChanged(conversations.current.chat, messageID)) {
      throw new Error("Of that moment no copies are kept any more: older ones gave way to newer ones.");
    }
    send({ type: "restore-preview", messageID, at: known ? at : Date.now(), files });
  }

  /** Brings the chosen files back, and the conversation where that is wanted. What is left undone is told. */
  async restore({ messageID, paths, chat }: Extract<ToHost, { type: "restore" }>): Promise<void> {
    const { conversations, send } = this.#parts;
    const session = conversations.current;
    if (session.running) await session.stop();
    const snapshot = snapshotBefore(session.chat, messageID);
    if (snapshot !== undefined && paths.length > 0) {
      const { left } = await conversations.checkpoints.restore(snapshot, paths, this.#closing.signal);
      this.#tell(left);
    }
    if (chat) {
      const asked = session.chat.messages.find(({ info }) => info.id === messageID);
      await session.rewind(messageID);
      send({ type: "compose", text: ownWords(asked?.parts ?? []), send: false });
    }
    await this.#look();
  }

  async undo(): Promise<void> {
    const { conversations } = this.#parts;
    const session = conversations.current;
    if (session.running) await session.stop();
    const { left } = await conversations.checkpoints.undo(this.#closing.signal);
    if (session.chat.setAside.length > 0) await session.rewind(null);
    this.#tell(left);
    await this.#look();
  }

  /** Shows the files as they were beside how they are. */
  async compare(messageID: string): Promise<void> {
    const { checkpoints, current } = this.#parts.conversations;
    const snapshot = snapshotBefore(current.chat, messageID);
    if (snapshot !== undefined) await compareWith(checkpoints, snapshot, this.#closing.signal);
  }

  dispose(): void {
    this.#closing.abort();
    this.#switching.dispose();
  }

  async #look(): Promise<void> {
    // What cannot be read cannot be undone either; a restore itself says what is wrong.
    this.#last = await this.#parts.conversations.checkpoints.restored().catch(() => undefined);
    this.#parts.onChange();
  }

  #tell(left: readonly { path: string; problem: string }[]): void {
    const [first] = left;
    if (!first) return;
    const others = left.length > 1 ? `, and ${left.length - 1} more` : "";
    const message = `Not restored: ${first.path} (${first.problem})${others}.`;
    this.#parts.send({ type: "notice", message, next: "These files are as they were before." });
  }
}

/** Whether anything was changed for the message or after it. */
function hasChanged({ messages }: Chat, messageID: string): boolean {
  const at = messages.findIndex(({ info }) => info.id === messageID);
  return messages.slice(at).some(({ parts }) => parts.some(({ type }) => type === "patch"));
}

/** The state before the first thing that was done for the message, or after it; undefined when nothing was. */
function snapshotBefore({ messages }: Chat, messageID: string): string | undefined {
  const at = messages.findIndex(({ info }) => info.id === messageID);
  if (at < 0) return undefined;
  for (const { parts } of messages.slice(at)) {
    for (const part of parts) if (part.type === "step-start" && part.snapshot !== undefined) return part.snapshot;
  }
  return undefined;
}
