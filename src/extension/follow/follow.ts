/**
 * Shows in an editor where the agent reads and writes. The editor has a group of its own and never the focus; nothing of
 * the user's is covered or replaced. As in Zed (https://zed.dev/docs/ai/agent-panel), following pauses when the user
 * moves in that editor, and goes on with the next message.
 */

import * as vscode from "vscode";
import type { FollowState } from "../../chat/editor-views.ts";
import type { ChatEvent } from "../../chat/events.ts";
import { t } from "../../l10n/l10n.ts";
import { findFile } from "../answers/open.ts";
import { type AgentPlace, placeOfCall } from "./agent-place.ts";

interface FollowOptions {
  on: boolean;
  changed(): void;
  note(message: string): void;
}

/** The editor that shows the agent's place. */
interface Shown {
  uri: vscode.Uri;
  column: vscode.ViewColumn;
  /** The line that was revealed and is still scrolled to. */
  goal: number | undefined;
  /** Of the document, when the editor was shown and when it last scrolled. */
  firstVersion: number;
  version: number;
  /** First visible line. */
  top: number;
}

export class Follow implements vscode.Disposable {
  readonly #options: FollowOptions;
  #state: FollowState;
  /** The newest place that is not shown yet. */
  #next: AgentPlace | undefined;
  #showing: Promise<void> | undefined;
  #shown: Shown | undefined;
  readonly #told = new Set<string>();
  readonly #here = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    borderColor: new vscode.ThemeColor("editor.rangeHighlightBorder"),
    overviewRulerColor: new vscode.ThemeColor("editorInfo.foreground"),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
  readonly #own: vscode.Disposable[];

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#state = options.on ? "on" : "off";
    this.#own = [
      this.#here,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        const isUser =
          kind === vscode.TextEditorSelectionChangeKind.Keyboard || kind === vscode.TextEditorSelectionChangeKind.Mouse;
        if (isUser && this.#isShown(textEditor)) this.#pause();
      }),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) => {
        if (this.#isShown(textEditor) && this.#hasScrolled(textEditor, visibleRanges[0])) this.#pause();
      }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        // Our own next file replaces the tab while it is shown.
        if (!this.#showing && closed.some((tab) => this.#isOurs(tab))) this.#pause();
      }),
    ];
  }

  dispose(): void {
    for (const one of this.#own) one.dispose();
  }

  get state(): FollowState {
    return this.#state;
  }

  /** Resolves when the newest place is shown. */
  get settled(): Promise<void> {
    return this.#showing ?? Promise.resolve();
  }

  set(on: boolean): void {
    this.#change(on ? "on" : "off");
    if (!on) this.#clear();
  }

  /** Takes an event of the session on screen, or of its subagents. */
  event(event: ChatEvent): void {
    if (event.type === "child") {
      this.event(event.event);
      return;
    }
    if (event.type === "message" && event.message.role === "user" && this.#state === "paused") this.#change("on");
    if (event.type === "ended") this.#clear();
    if (event.type !== "part" || event.part.type !== "tool" || this.#state !== "on") return;
    const key = `${event.part.id} ${event.part.state.status}`;
    const place = this.#told.has(key) ? undefined : placeOfCall(event.part);
    this.#told.add(key);
    if (!place) return;
    this.#next = place;
    this.#showing ??= this.#showAll().finally(() => {
      this.#showing = undefined;
    });
  }

  /** Shows the newest place; those that came and went meanwhile are left out. */
  async #showAll(): Promise<void> {
    for (let place = this.#next; place && this.#state === "on"; place = this.#next) {
      this.#next = undefined;
      try {
        await this.#show(place);
      } catch (error) {
        // A folder, a picture, a file that is not there yet.
        this.#options.note(
          t("Not followed to {0}: {1}", place.path, error instanceof Error ? error.message : String(error)),
        );
      }
    }
  }

  async #show(place: AgentPlace): Promise<void> {
    const uri = await findFile(place.path);
    const document = await vscode.workspace.openTextDocument(uri);
    const column = this.#column();
    const former = this.#finishedTab(uri);
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: column,
      preview: true,
      preserveFocus: true,
    });
    const range = rangeOf(document, place);
    const isInView = editor.visibleRanges.some((visible) => visible.contains(range.start));
    this.#shown = {
      uri,
      column: editor.viewColumn ?? column,
      goal: isInView ? undefined : range.start.line,
      firstVersion: document.version,
      version: document.version,
      top: editor.visibleRanges[0]?.start.line ?? 0,
    };
    if (!isInView) editor.revealRange(range, vscode.TextEditorRevealType.InCenter);
    editor.setDecorations(this.#here, [range]);
    if (former) await vscode.window.tabGroups.close(former, true);
  }

  /** Returns the group of our editor, else a new one behind all others; the first one in an empty window. */
  #column(): vscode.ViewColumn {
    if (this.#ourTab() && this.#shown) return this.#shown.column;
    const groups = vscode.window.tabGroups.all;
    return groups.every(({ tabs }) => tabs.length === 0) ? vscode.ViewColumn.One : groups.length + 1;
  }

  #ourTab(): vscode.Tab | undefined {
    const group = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn === this.#shown?.column);
    return group?.tabs.find((tab) => this.#isOurs(tab));
  }

  #isOurs({ input, group }: vscode.Tab): boolean {
    const isFile = input instanceof vscode.TabInputText && input.uri.toString() === this.#shown?.uri.toString();
    return isFile && group.viewColumn === this.#shown?.column;
  }

  /**
   * Returns our tab if the editor of `next` will not replace it: previews are switched off, or the agent's edit has made
   * the preview a lasting editor. An editor that the user has kept, pinned or changed stays.
   */
  #finishedTab(next: vscode.Uri): vscode.Tab | undefined {
    const tab = this.#ourTab();
    const shown = this.#shown;
    if (!tab || !shown || tab.isDirty || tab.isPinned || tab.isPreview) return undefined;
    if (shown.uri.toString() === next.toString()) return undefined;
    const usesPreview = vscode.workspace.getConfiguration("workbench.editor").get("enablePreview", true);
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === shown.uri.toString());
    return !usesPreview || document?.version !== shown.firstVersion ? tab : undefined;
  }

  #isShown(editor: vscode.TextEditor): boolean {
    const { uri, column } = this.#shown ?? {};
    return editor.viewColumn === column && editor.document.uri.toString() === uri?.toString();
  }

  /** Whether the user has scrolled: not our own way to the goal, which may be animated, and not the agent's edit. */
  #hasScrolled(editor: vscode.TextEditor, visible: vscode.Range | undefined): boolean {
    const shown = this.#shown;
    if (!shown || !visible || visible.start.line === shown.top) return false;
    const { goal, top, version } = shown;
    shown.top = visible.start.line;
    shown.version = editor.document.version;
    if (version !== editor.document.version || this.#showing) return false;
    if (goal === undefined) return true;
    if (visible.start.line <= goal && goal <= visible.end.line) shown.goal = undefined;
    return Math.abs(goal - visible.start.line) > Math.abs(goal - top);
  }

  #pause(): void {
    if (this.#state !== "on") return;
    this.#change("paused");
    this.#clear();
  }

  #change(state: FollowState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.changed();
  }

  #clear(): void {
    this.#next = undefined;
    this.#told.clear();
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.#here, []);
  }
}

function rangeOf(document: vscode.TextDocument, { at }: AgentPlace): vscode.Range {
  if (at.type === "lines") return document.validateRange(new vscode.Range(at.first, 0, at.last, 0));
  const index = at.type === "text" && at.text !== "" ? document.getText().indexOf(at.text) : -1;
  if (at.type !== "text" || index < 0) return new vscode.Range(0, 0, 0, 0);
  return new vscode.Range(document.positionAt(index), document.positionAt(index + at.text.trimEnd().length));
}
