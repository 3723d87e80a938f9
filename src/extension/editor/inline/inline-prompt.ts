/** "Edit with Rondo…": a prompt at the cursor or for a selection, whose answer is streamed into the editor for review. */

import * as vscode from "vscode";
import { t } from "../../../l10n/l10n.ts";
import type { Attachments } from "../../attachments/attachments.ts";
import type { WriteWatch } from "../../host/editor-workspace.ts";
import { isExact } from "../../host/file-encoding.ts";
import type { PanelContext } from "../../panel/handlers.ts";
import type { BriefModel } from "../brief-model.ts";
import { lastLineOf } from "../last-line.ts";
import type { EditPermission } from "./edit-permission.ts";
import { codeFrom, inlineQuestion } from "./inline-question.ts";
import { StreamedPlace } from "./streamed-place.ts";

const maxReplyTokens = 16_000;
const timeoutMs = 180_000;

interface InlinePromptOptions {
  page: Pick<PanelContext, "prepare" | "explain">;
  model: BriefModel;
  files: Pick<Attachments, "whyNot">;
  watch: WriteWatch;
  /** Whether the rules and the mode in force let Rondo change the file. */
  mayEdit(uri: vscode.Uri): Promise<EditPermission>;
}

const stopButton = { iconPath: new vscode.ThemeIcon("debug-stop"), tooltip: t("Stop") };

export class InlinePrompts implements vscode.Disposable {
  readonly #options: InlinePromptOptions;
  #open: vscode.InputBox | undefined;

  constructor(options: InlinePromptOptions) {
    this.#options = options;
  }

  async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return tell(t("Open a file first. Rondo edits at its cursor or selection."));
    const refusal = await this.#refusal(editor.document);
    if (refusal !== undefined) return tell(refusal);
    if (!(await this.#isConsented(editor.document))) return;
    this.#open?.dispose();
    this.#open = this.#inputFor(editor);
    this.#open.show();
  }

  dispose(): void {
    this.#open?.dispose();
  }

  async #refusal(document: vscode.TextDocument): Promise<string | undefined> {
    const { uri } = document;
    if (!vscode.workspace.isTrusted) return t("This workspace is not trusted, so Rondo changes nothing in it.");
    if (uri.scheme === "untitled") return undefined;
    if (uri.scheme !== "file") return t("Rondo edits files on disk, and new ones.");
    const name = vscode.workspace.asRelativePath(uri);
    const why = await this.#options.files.whyNot(uri);
    if (why !== undefined) return t("{0} is not sent to the model: {1}.", name, why);
    if (!(await isExact(document))) {
      return t(
        "{0} has bytes that are not text in its encoding ({1}), so Rondo does not change it. Reopen it with the right encoding first.",
        name,
        document.encoding,
      );
    }
    const permission = await this.#options.mayEdit(uri);
    return permission.type === "denied" ? t("Rondo does not change {0}. {1}", name, permission.why) : undefined;
  }

  /** Asks where a rule or the file's protection demands it. */
  async #isConsented({ uri }: vscode.TextDocument): Promise<boolean> {
    const permission = uri.scheme === "file" ? await this.#options.mayEdit(uri) : ({ type: "allowed" } as const);
    if (permission.type !== "ask") return true;
    const question = t("Let Rondo write into {0}?", vscode.workspace.asRelativePath(uri));
    const answer = await vscode.window.showWarningMessage(
      question,
      { modal: true, detail: permission.why },
      t("Edit Here"),
    );
    return answer === "Edit Here";
  }

  #inputFor(editor: vscode.TextEditor): vscode.InputBox {
    const input = vscode.window.createInputBox();
    const place = new StreamedPlace(editor, wholeLines(editor), this.#options.watch);
    const wishes: string[] = [];
    let running: AbortController | undefined;
    input.title = t("Edit {0}", placeName(editor.document, place.range));
    input.placeholder = t("What should change here?");
    input.ignoreFocusOut = true;
    input.onDidAccept(async () => {
      const wish = input.value.trim();
      if (wish === "" || running) return;
      running = new AbortController();
      // The mode and the rules may have changed since the field was opened.
      const refusal = await this.#refusal(editor.document);
      if (refusal !== undefined) {
        running = undefined;
        input.validationMessage = refusal;
        return;
      }
      // It stays enabled: a disabled field loses the focus, and with it Escape.
      Object.assign(input, { busy: true, buttons: [stopButton] });
      input.prompt = t("Rondo writes. Escape stops it and takes the change back.");
      input.validationMessage = undefined;
      try {
        await this.#write(editor, place, [...wishes, wish], running.signal);
        wishes.push(wish);
        input.value = "";
        input.prompt = t("Ask for a further change, or press Escape. “Accept” and “Reject” are at the change.");
      } catch (error) {
        const { message, next } = this.#options.page.explain(error);
        input.prompt = "";
        input.validationMessage = running.signal.aborted ? "Stopped." : `${message} ${next}`.trim();
      } finally {
        running = undefined;
        Object.assign(input, { busy: false, buttons: [] });
      }
    });
    input.onDidTriggerButton(() => running?.abort());
    input.onDidHide(() => {
      running?.abort();
      input.dispose();
      place.dispose();
      if (this.#open === input) this.#open = undefined;
    });
    return input;
  }

  /** Takes the change back if it does not come to its end. @throws ModelError, or the signal's reason */
  async #write(editor: vscode.TextEditor, place: StreamedPlace, wishes: readonly string[], stop: AbortSignal) {
    const { model, page } = this.#options;
    await page.prepare();
    const { text, range } = place;
    const all = editor.document.getText();
    const asked = inlineQuestion(
      {
        file: vscode.workspace.asRelativePath(editor.document.uri),
        language: editor.document.languageId,
        before: all.slice(0, editor.document.offsetAt(range.start)),
        text,
        after: all.slice(editor.document.offsetAt(range.end)),
      },
      wishes,
    );
    const agent = model.agent("inline");
    const signal = AbortSignal.any([stop, place.lost, AbortSignal.timeout(timeoutMs)]);
    place.beginStep();
    let written = Promise.resolve(true);
    let latest = "";
    const show = (code: string) => {
      if (code === "") return;
      const isIdle = latest === "";
      latest = code;
      // A piece that comes while one is written waits, and is left out if another one follows it.
      if (isIdle) {
        written = written.then(async (went) => {
          const next = latest;
          latest = "";
          return went && !signal.aborted && (await place.replace(next));
        });
      }
    };
    try {
      const request = { agent, modelOf: agent, asked, maxTokens: maxReplyTokens, signal };
      const answer = await model.ask({ ...request, onText: (part) => show(codeFrom(part, false)) });
      signal.throwIfAborted();
      await written;
      const code = codeFrom(answer, true).trimEnd();
      if (!(await place.replace(code))) throw new Error(t("The editor refused the change."));
    } catch (error) {
      await written;
      await place.replace(text);
      if (place.lost.aborted) throw new Error(t("You changed the text there, so Rondo stopped."));
      throw error;
    }
  }
}

/** The selected lines; without a selection the line of the cursor. */
function wholeLines({ document, selection }: vscode.TextEditor): vscode.Range {
  const last = lastLineOf(selection);
  return new vscode.Range(selection.start.line, 0, last, document.lineAt(last).text.length);
}

function placeName({ uri }: vscode.TextDocument, { start, end }: vscode.Range): string {
  const lines =
    start.line === end.line ? t("line {0}", start.line + 1) : t("lines {0}–{1}", start.line + 1, end.line + 1);
  return t("{0} of {1}", lines, vscode.workspace.asRelativePath(uri));
}

function tell(sentence: string): void {
  void vscode.window.showInformationMessage(sentence);
}
