/** Whole sessions, as the user finds, names, copies, keeps and deletes them. */
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import type { FilePart } from "../../chat/message.ts";
import { ownWords } from "../../chat/words.ts";
import { exportMarkdown, exportTranscript } from "../../loop/transfer/export.ts";
import { forkChat } from "../../loop/transfer/fork.ts";
import { importTranscript } from "../../loop/transfer/import.ts";
import type { Conversations } from "../sessions/conversations.ts";
import type { PanelMessage } from "./panel.ts";

type Format = "jsonl" | "markdown";

const formats: Record<Format, { name: string; ending: string }> = {
  jsonl: { name: "JSON Lines", ending: "jsonl" },
  markdown: { name: "Markdown", ending: "md" },
};

/** The largest file that is imported, in bytes. */
const largestImport = 256 << 20;

export class Archive {
  readonly #conversations: Conversations;
  readonly #send: (message: PanelMessage) => void;
  #query = "";
  #search = new AbortController();

  /** `send` reaches the panel. */
  constructor(conversations: Conversations, send: (message: PanelMessage) => void) {
    this.#conversations = conversations;
    this.#send = send;
  }

  /** Shows the sessions that hold the words, all when there are none; what was searched for before is given up. */
  async list(query: string): Promise<void> {
    this.#search.abort();
    this.#search = new AbortController();
    this.#query = query;
    const { signal } = this.#search;
    if (query.trim() === "") return this.#send({ type: "sessions", query, sessions: this.#conversations.list() });
    try {
      const sessions = await this.#conversations.search(query, signal);
      if (!signal.aborted) this.#send({ type: "sessions", query, sessions });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async remove(id: string): Promise<void> {
    await this.#conversations.remove(id);
    await this.list(this.#query);
  }

  async rename(id: string, title: string): Promise<void> {
    const words = title.trim();
    if (words === "") return;
    await this.#conversations.rename(id, words);
    await this.list(this.#query);
  }

  /** Writes the session where the user says, and shows the file. */
  async export(id: string, format: Format): Promise<void> {
    const chat = this.#conversations.chat(id);
    const { name, ending } = formats[format];
    const target = await vscode.window.showSaveDialog({
      title: "Export Session",
      filters: { [name]: [ending] },
      defaultUri: vscode.Uri.file(
        path.join(chat.session.cwd || os.homedir(), `${fileName(chat.session.title)}.${ending}`),
      ),
    });
    if (!target) return;
    const text = format === "jsonl" ? exportTranscript(chat) : exportMarkdown(chat);
    await vscode.workspace.fs.writeFile(target, Buffer.from(text));
    // Where the editor takes no file as large as this, the export is done all the same.
    await Promise.resolve(vscode.window.showTextDocument(target, { preview: true })).catch(() => undefined);
  }

  /** Opens the session that is in a file of the user's as a new one. */
  async import(): Promise<void> {
    const [file] =
      (await vscode.window.showOpenDialog({
        title: "Import Session",
        openLabel: "Import",
        filters: { [formats.jsonl.name]: [formats.jsonl.ending] },
      })) ?? [];
    if (!file) return;
    const { size } = await vscode.workspace.fs.stat(file);
    if (size > largestImport)
      throw new Error(`The file is larger than ${largestImport >> 20} MB, the most for a session.`);
    const text = Buffer.from(await vscode.workspace.fs.readFile(file)).toString("utf8");
    this.#conversations.add(importTranscript(text, vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? ""));
  }

  /** Shows a new session with all that came before a message of the user's. Answers with what the message was. */
  fork(messageID: string): { text: string; files: FilePart[] } {
    const { chat } = this.#conversations.current;
    const parts = chat.messages.find(({ info }) => info.id === messageID)?.parts ?? [];
    this.#conversations.add(forkChat(chat, messageID));
    return {
      text: ownWords(parts),
      files: parts.filter((part) => part.type === "file"),
    };
  }
}

/** A title as the name of a file, on any system. */
function fileName(title: string): string {
  const name = title
    .replace(/[^\p{L}\p{N} ._-]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^\.+/, "")
    .slice(0, 80);
  return name || "session";
}
