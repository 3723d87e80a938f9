/** The selection of the active editor, which goes with each message unless the user has switched that off. */

import * as vscode from "vscode";
import { sameJson } from "../../base/json.ts";
import type { Chat } from "../../chat/apply.ts";
import type { SelectionView } from "../../chat/attach.ts";
import type { FilePart } from "../../chat/message.ts";
import type { Attachment } from "../../chat/prompt-input.ts";
import { t } from "../../l10n/l10n.ts";
import { lastLineOf } from "../editor/last-line.ts";
import type { Feature } from "../feature.ts";
import type { Handlers } from "../panel/handlers.ts";
import type { Attachments } from "./attachments.ts";

/** A selection that grows changes many times a second. */
const quietMs = 100;
const key = "rondo.sendsSelection";
/** Documents that the user writes; not output, and not the old side of a comparison. */
const schemes = new Set(["file", "untitled", "vscode-vfs", "vscode-remote", "vscode-notebook-cell"]);

interface SelectionOptions {
  files: Pick<Attachments, "fromSelection" | "whyNot">;
  memory: vscode.Memento;
  changed(): void;
}

export class EditorSelection implements Feature {
  readonly #options: SelectionOptions;
  readonly #own: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;
  #view: Omit<SelectionView, "on"> | undefined;

  readonly handlers = {
    "send-selection": ({ on }) => {
      void this.#options.memory.update(key, on);
      this.#options.changed();
    },
  } satisfies Partial<Handlers>;

  constructor(options: SelectionOptions) {
    this.#options = options;
    const soon = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#look(), quietMs);
    };
    this.#own = vscode.Disposable.from(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) soon();
      }),
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === vscode.window.activeTextEditor?.document && this.#view) soon();
      }),
    );
    soon();
  }

  state() {
    return { selection: this.#view && { ...this.#view, on: this.#isOn } };
  }

  /** Returns what goes with a message now; none if that is switched off, or if the last message had the same. */
  async forMessage(chat: Chat): Promise<Attachment[]> {
    const editor = selectingEditor();
    if (!editor || !this.#isOn || (await this.#whyNot(editor)) !== "") return [];
    const attachment = await this.#options.files.fromSelection(editor);
    return isInLastPrompt(chat, attachment) ? [] : [attachment];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#own.dispose();
  }

  get #isOn(): boolean {
    return this.#options.memory.get(key, true);
  }

  async #look(): Promise<void> {
    const editor = selectingEditor();
    const why = editor ? await this.#whyNot(editor) : "";
    if (editor !== selectingEditor()) return;
    const before = this.#view;
    this.#view = editor && { ...placeOf(editor), why };
    if (!sameJson(this.#view, before)) this.#options.changed();
  }

  async #whyNot({ document: { uri } }: vscode.TextEditor): Promise<string> {
    // What cannot be looked up cannot be sent.
    const why = this.#options.files.whyNot(uri).catch(() => t("it cannot be read"));
    return (await why) ?? "";
  }
}

function selectingEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor && !editor.selection.isEmpty && schemes.has(editor.document.uri.scheme) ? editor : undefined;
}

function placeOf({ document: { uri }, selection }: vscode.TextEditor) {
  const lines = { start: selection.start.line + 1, end: lastLineOf(selection) + 1 };
  return { filename: vscode.workspace.asRelativePath(uri), uri: uri.toString(), ...lines };
}

function isInLastPrompt({ messages }: Chat, { url, source }: Attachment): boolean {
  const last = messages.findLast(({ info }) => info.role === "user");
  const files = last?.parts.filter((part): part is FilePart => part.type === "file") ?? [];
  return files.some((part) => part.url === url && sameJson(part.source, source));
}
