/** The review in the window: the editor's marks, the panel's bar, and the sessions that hear what is decided. */
import * as vscode from "vscode";
import { attempt } from "../../base/attempt.ts";
import type { PanelState } from "../../chat/panel-state.ts";
import { t } from "../../l10n/l10n.ts";
import type { Session } from "../../loop/session/session.ts";
import { type Changes, userLines } from "../../review/hunks.ts";
import type { LineHunk } from "../../review/line-diff.ts";
import { cellOfLine } from "../../tools/notebook/cell-lines.ts";
import type { Feature } from "../feature.ts";
import type { WindowServices } from "../services.ts";
import type { ChangeAuthors } from "../sessions/change-authors.ts";
import type { Conversations } from "../sessions/conversations.ts";
import type { EditorWindow } from "../window.ts";
import { isAllChanges, watchAllChanges } from "./all-changes.ts";
import { BaselineProvider, isBefore } from "./baseline-provider.ts";
import { DecisionTeller } from "./decision-teller.ts";
import { Decorations } from "./decorations.ts";
import { HunkLenses } from "./hunk-lenses.ts";
import { isNotebook } from "./notebook-text.ts";
import { linesInWords, removedLines, withoutEnd } from "./old-lines.ts";
import { onceAFrame } from "./once-a-frame.ts";
import type { Review } from "./review.ts";
import { reviewCommands, reviewHandlers } from "./review-commands.ts";
import { hunkAt } from "./review-places.ts";

interface ReviewFeature extends Feature {
  /** Resolves when the session has recorded what was decided so far, or cannot now. */
  settled(session: Session): Promise<void>;
}

export function reviewFeature({ context, log, own, stateChanged }: EditorWindow, services: WindowServices) {
  const { authors, host, ownFolderOf, review } = services;
  const { conversations } = services.page;
  const teller = own(
    new DecisionTeller({
      review,
      // In a worktree a file of the same name is another one.
      chats: () => conversations.sessions.map(({ chat }) => chat).filter((chat) => ownFolderOf(chat) === undefined),
      authors: (names) =>
        authors
          .sessionsOf(names)
          .filter((id) => attempt(() => ownFolderOf(conversations.chat(id)) === undefined, false)),
      record: (sessionID, decisions) => conversations.decided(sessionID, decisions),
      locate: (uri) => host.workspace.locate(uri.fsPath),
      failed: (error) => log.warn(String(error)),
    }),
  );
  const shown = own(new ShownReview(review));
  own(offerDiffLenses(context.globalState));
  own(review.onDidChange(stateChanged));
  const loaded = review.load();
  const text = async (uri: vscode.Uri) => {
    await loaded;
    return shown.text(uri);
  };
  const settled = ({ chat }: Session) => teller.settled(chat.session.id);
  return {
    handlers: reviewHandlers(review),
    commands: reviewCommands(review),
    observer: {
      event({ chat }, event) {
        if (ownFolderOf(chat) !== undefined) return;
        authors.note(chat.session.id, event);
        if (event.type === "message" && event.message.role === "user") review.forgetDecided();
      },
    },
    documents: { "rondo-before": text, "rondo-lines": text },
    state: () => ({ review: review.files(), reviewBy: otherAuthors(authors, conversations) }),
    settled,
    closing: async () => void (await Promise.all(conversations.sessions.map(settled))),
    close: () => review.flush(),
  } satisfies ReviewFeature;
}

function otherAuthors(authors: ChangeAuthors, { current, tabs }: Conversations): PanelState["reviewBy"] {
  const own = current.chat.session.id;
  const others = [...authors.byPath()].filter(([, ids]) => ids.length > 0 && !ids.includes(own));
  const titleOf = (ids: readonly string[]) =>
    tabs.findLast(({ id }) => ids.includes(id))?.title ?? t("another session");
  return Object.fromEntries(others.map(([path, ids]) => [path, titleOf(ids)]));
}

// Offers once, beside the first diff of a review, to show the lines of actions in diffs, which VS Code leaves out.

const askedKey = "rondo.diffLensesOffered";

/** The setting is for all diffs and all extensions, so that only the user switches it on. */
function offerDiffLenses(memory: vscode.Memento): vscode.Disposable {
  const look = async () => {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    if (!tab || !isReviewDiff(tab) || memory.get(askedKey) === true) return;
    const settings = vscode.workspace.getConfiguration("diffEditor");
    if (settings.get("codeLens") === true) return;
    await memory.update(askedKey, true);
    const sentence = t(
      "Accept and Reject can stand above each change in diffs, too. VS Code then shows the CodeLenses of all extensions in all diffs.",
    );
    const answer = await vscode.window.showInformationMessage(sentence, t("Show Them"), t("Leave Diffs as They Are"));
    if (answer === "Show Them") await settings.update("codeLens", true, vscode.ConfigurationTarget.Global);
  };
  return vscode.window.tabGroups.onDidChangeTabs(() => void look());
}

function isReviewDiff(tab: vscode.Tab): boolean {
  return isAllChanges(tab) || (tab.input instanceof vscode.TabInputTextDiff && isBefore(tab.input.original));
}

// A review as the editor shows it: tints, lenses, hovers, badges, bars of cells, and the Source Control view.

export class ShownReview implements vscode.Disposable {
  readonly #own: vscode.Disposable;
  readonly #baselines: BaselineProvider;

  constructor(review: Review) {
    const lenses = new HunkLenses(review);
    this.#own = vscode.Disposable.from(
      new Decorations(review, lenses),
      lenses,
      hunkFeatures(review),
      new ReviewBadges(review),
      watchAllChanges(review),
      new CellActions(review),
    );
    this.#baselines = new BaselineProvider(review);
  }

  /** Returns the text of a document with one of the schemes of the review. */
  text(uri: vscode.Uri): string {
    return this.#baselines.text(uri);
  }

  dispose(): void {
    this.#own.dispose();
    this.#baselines.dispose();
  }
}

// Shows in the explorer and on tabs how many changes of a file wait for review.

export class ReviewBadges implements vscode.Disposable, vscode.FileDecorationProvider {
  readonly #review: Review;
  readonly #changed = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.#changed.event;
  /** Number of changes by URI, as VS Code has them. */
  #known = new Map<string, number>();
  readonly #own: vscode.Disposable[];

  constructor(review: Review) {
    this.#review = review;
    this.#own = [
      this.#changed,
      vscode.window.registerFileDecorationProvider(this),
      onceAFrame(review.onDidChange, () => this.#update()),
    ];
    this.#update();
  }

  dispose(): void {
    for (const one of this.#own) one.dispose();
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const hunks = this.#review.changes(uri)?.hunks.length;
    if (hunks === undefined) return undefined;
    const changes = Math.max(1, hunks);
    const words =
      changes === 1 ? t("1 change by Rondo waits for review") : t("{0} changes by Rondo wait for review", changes);
    // VS Code takes two characters.
    const badge = new vscode.FileDecoration(changes > 9 ? "9+" : `${changes}`, words);
    badge.propagate = true;
    return badge;
  }

  /** Announces the files whose number has changed, so that typing costs nothing. */
  #update(): void {
    const now = new Map(
      this.#review.uris().map((uri) => [uri.toString(), this.#review.changes(uri)?.hunks.length ?? 0]),
    );
    const keys = new Set([...this.#known.keys(), ...now.keys()]);
    const changed = [...keys].filter((key) => this.#known.get(key) !== now.get(key));
    this.#known = now;
    if (changed.length > 0) this.#changed.fire(changed.map((key) => vscode.Uri.parse(key)));
  }
}

// Shows the review of a notebook in the status bars of its cells: VS Code has no CodeLens and no decorations there.

export class CellActions implements vscode.Disposable, vscode.NotebookCellStatusBarItemProvider {
  readonly #review: Review;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCellStatusBarItems = this.#changed.event;
  readonly #own: vscode.Disposable[];

  constructor(review: Review) {
    this.#review = review;
    this.#own = [
      this.#changed,
      review.onDidChange(() => this.#changed.fire()),
      vscode.notebooks.registerNotebookCellStatusBarItemProvider("jupyter-notebook", this),
    ];
  }

  dispose(): void {
    for (const one of this.#own) one.dispose();
  }

  provideCellStatusBarItems({ notebook, index }: vscode.NotebookCell): vscode.NotebookCellStatusBarItem[] {
    const changes = this.#review.changes(notebook.uri);
    const at = changes && hunkOfCell(changes, index, notebook.cellCount);
    const hunk = at === undefined ? undefined : changes?.hunks[at];
    if (at === undefined || !hunk || !changes) return [];
    const item = (text: string, tooltip: string, command: string | undefined, priority: number) => {
      const made = new vscode.NotebookCellStatusBarItem(text, vscode.NotebookCellStatusBarAlignment.Left);
      made.tooltip = tooltip;
      made.priority = priority;
      made.accessibilityInformation = { label: tooltip, role: command === undefined ? "note" : "button" };
      // The last argument detects a late click: by then another hunk may have this index.
      if (command) made.command = { command, title: tooltip, arguments: [notebook.uri, at, hunk.start] };
      return made;
    };
    const which = changes.hunks.length > 1 ? ` ${t("({0} of {1})", at + 1, changes.hunks.length)}` : "";
    const isConflict = userLines(changes, hunk).mixed.length > 0;
    return [
      item(`$(sparkle) ${whatHappened(hunk)}${which}`, t("Rondo: {0}{1}", whatHappened(hunk), which), undefined, 30),
      item(`$(check) ${t("Accept")}`, t("Accept Rondo's change of these cells"), "rondo.acceptHunk", 20),
      ...(isConflict
        ? [
            item(
              `$(warning) ${t("Take Rondo's")}`,
              t("You changed cells of Rondo's: put Rondo's back"),
              "rondo.takeAgentLines",
              15,
            ),
          ]
        : []),
      item(`$(discard) ${t("Reject")}`, t("Reject Rondo's change of these cells"), "rondo.rejectHunk", 10),
    ];
  }
}

type Counts = Pick<Changes["hunks"][number], "count" | "baseCount">;

function whatHappened({ count, baseCount }: Counts): string {
  if (count === 0) return baseCount === 1 ? t("1 cell deleted here") : t("{0} cells deleted here", baseCount);
  if (baseCount === 0) return count === 1 ? t("New cell") : t("One of {0} new cells", count);
  return count === 1 && baseCount === 1 ? t("Changed cell") : t("{0} cells became {1}", baseCount, count);
}

/** Returns the index of the hunk that the status bar of a cell shows. Deleted cells show at the cell that follows. */
function hunkOfCell(changes: Changes, cell: number, cellCount: number): number | undefined {
  const at = hunkAt(changes.hunks, cell + 1);
  const hunk = at === undefined ? undefined : changes.hunks[at];
  if (!hunk || hunk.count > 0) return at;
  const follows = cellOfLine(Math.min(hunk.start, cellCount));
  return cell === follows ? at : undefined;
}

// What VS Code asks about a place in a file under review: the hover with the removed lines, and the lightbulb.

const maxHoverLines = 60;

/** Also in diff editors, where a CodeLens may be switched off. */
export function hunkFeatures(review: Review): vscode.Disposable {
  const selector = { scheme: "file" };
  return vscode.Disposable.from(
    vscode.languages.registerHoverProvider(selector, {
      provideHover(document, { line }) {
        const found = hunkOf(review, document, line);
        return found && new vscode.Hover(hoverOf(document, found));
      },
    }),
    vscode.languages.registerCodeActionsProvider(
      selector,
      {
        provideCodeActions(document, range) {
          const found = hunkOf(review, document, range.start.line);
          return found ? actionsOf(document.uri, found) : [];
        },
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
}

interface FoundHunk {
  changes: Changes;
  hunk: LineHunk;
  index: number;
}

function hunkOf(review: Review, { uri }: vscode.TextDocument, line: number): FoundHunk | undefined {
  const changes = isNotebook(uri) ? undefined : review.changes(uri);
  const index = changes && hunkAt(changes.hunks, line);
  const hunk = index === undefined ? undefined : changes?.hunks[index];
  return changes && hunk && index !== undefined ? { changes, hunk, index } : undefined;
}

const linkCommands = [
  ...["rondo.acceptHunk", "rondo.rejectHunk", "rondo.takeAgentLines", "rondo.keepBothLines"],
  ...["rondo.compareFile", "rondo.compareConflict"],
];

function hoverOf({ uri, languageId }: vscode.TextDocument, { changes, hunk, index }: FoundHunk): vscode.MarkdownString {
  const args = encodeURIComponent(JSON.stringify([uri.fsPath, index, hunk.start]));
  const link = (title: string, command: string) => `[${title}](command:${command}?${args})`;
  const isConflict = userLines(changes, hunk).mixed.length > 0;
  const links = [
    link(isConflict ? t("Keep mine") : t("Accept"), "rondo.acceptHunk"),
    ...(isConflict
      ? [link(t("Take Rondo's"), "rondo.takeAgentLines"), link(t("Keep both"), "rondo.keepBothLines")]
      : []),
    link(t("Reject"), "rondo.rejectHunk"),
    link(t("Compare"), isConflict ? "rondo.compareConflict" : "rondo.compareFile"),
  ];
  const lines = removedLines(changes, hunk).map(withoutEnd);
  const words =
    lines.length > 0 ? t("{0} removed", linesInWords(lines.length)) : t("{0} added", linesInWords(hunk.count));
  const text = new vscode.MarkdownString(t("Rondo: {0} · {1}", words, links.join(" · ")));
  // The old lines are hostile text: they stand in a code block, and no other command can be called.
  text.isTrusted = { enabledCommands: linkCommands };
  if (lines.length > 0) text.appendCodeblock(lines.slice(0, maxHoverLines).join("\n"), languageId);
  if (lines.length > maxHoverLines) text.appendMarkdown(t("… and {0} more", lines.length - maxHoverLines));
  return text;
}

function actionsOf(uri: vscode.Uri, { changes, hunk, index }: FoundHunk): vscode.CodeAction[] {
  const action = (title: string, command: string) => {
    const one = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    one.command = { title, command, arguments: [uri, index, hunk.start] };
    return one;
  };
  const isConflict = userLines(changes, hunk).mixed.length > 0;
  return [
    action(t("Accept Rondo's Change"), "rondo.acceptHunk"),
    action(t("Reject Rondo's Change"), "rondo.rejectHunk"),
    ...(isConflict
      ? [
          action(t("Take Rondo's Lines Instead of Mine"), "rondo.takeAgentLines"),
          action(t("Keep Both My Lines and Rondo's"), "rondo.keepBothLines"),
        ]
      : []),
  ];
}
