/** Provides the texts before the agent's changes, for diffs, the gutter and the list in the Source Control view. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { acceptAll, currentText } from "../../review/hunks.ts";
import { fileText } from "./notebook-text.ts";
import { onceAFrame } from "./once-a-frame.ts";
import type { Review } from "./review.ts";

const scheme = "rondo-before";
/** The text with the agent's lines where the user has changed them. */
const agentScheme = "rondo-lines";

/** Returns the URI of the file's text without the changes under review. */
export const beforeUri = (uri: vscode.Uri): vscode.Uri => uri.with({ scheme });

/** Returns the URI of an empty text, which a diff shows in place of a deleted file. */
export const nothingUri = (uri: vscode.Uri): vscode.Uri => uri.with({ scheme, query: "nothing" });

/** Returns the URI of the file's text with the agent's lines where the user has changed them. */
export const agentUri = (uri: vscode.Uri): vscode.Uri => uri.with({ scheme: agentScheme });

export const isBefore = (uri: vscode.Uri): boolean => uri.scheme === scheme;

/** Returns the file of either side of a diff. */
export const fileUri = (uri: vscode.Uri): vscode.Uri => (isBefore(uri) ? ofFile(uri) : uri);

const ofFile = (uri: vscode.Uri): vscode.Uri => uri.with({ scheme: "file", query: "" });

/** While the user types, texts are announced when they pause: VS Code reads each as a whole. */
const pauseMs = 500;

interface ProvidedText {
  text: string;
  /** Their number when it was last announced. Typing seldom changes it. */
  hunks: number;
}

export class BaselineProvider implements vscode.Disposable {
  readonly #review: Review;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  /** Texts that VS Code has, by URI. Only those that differ are announced. */
  readonly #provided = new Map<string, ProvidedText>();
  #pause: NodeJS.Timeout | undefined;
  /** The files of the list in the Source Control view. */
  #listed = "";
  readonly #own: vscode.Disposable[];
  #control: { source: vscode.SourceControl; group: vscode.SourceControlResourceGroup } | undefined;

  constructor(review: Review) {
    this.#review = review;
    this.#own = [
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: (uri) => this.text(uri),
      }),
      vscode.workspace.registerTextDocumentContentProvider(agentScheme, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: (uri) => this.text(uri),
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#provided.delete(uri.toString())),
      onceAFrame(review.onDidChange, () => this.#update()),
    ];
    this.#update();
  }

  dispose(): void {
    clearTimeout(this.#pause);
    for (const one of this.#own) one.dispose();
    this.#control?.source.dispose();
  }

  /** Returns the text of a document with one of the two schemes. */
  text(uri: vscode.Uri): string {
    if (uri.query !== "") return "";
    const text = this.#textOf(uri);
    this.#provided.set(uri.toString(), { text, hunks: this.#hunks(uri) });
    return text;
  }

  #textOf(uri: vscode.Uri): string {
    if (uri.scheme !== agentScheme) return this.#review.before(fileUri(uri)) ?? "";
    const file = ofFile(uri);
    const changes = this.#review.changes(file);
    return changes ? fileText(file, currentText(acceptAll(changes, "agent")), undefined) : "";
  }

  #hunks(uri: vscode.Uri): number {
    return this.#review.changes(ofFile(uri))?.hunks.length ?? 0;
  }

  #update(): void {
    clearTimeout(this.#pause);
    const provided = [...this.#provided].map(([key, known]) => ({ uri: vscode.Uri.parse(key), known }));
    const isTyping = provided.every(({ uri, known }) => known.hunks === this.#hunks(uri));
    if (isTyping) this.#pause = setTimeout(() => this.#announce(), pauseMs);
    else this.#announce();
    this.#list();
  }

  #announce(): void {
    for (const [key, known] of this.#provided) {
      const uri = vscode.Uri.parse(key);
      known.hunks = this.#hunks(uri);
      if (this.#textOf(uri) !== known.text) this.#changed.fire(uri);
    }
  }

  #list(): void {
    const uris = this.#review.uris();
    const listed = uris.join("\n");
    if (listed === this.#listed) return;
    this.#listed = listed;
    if (uris.length === 0) {
      this.#control?.source.dispose();
      this.#control = undefined;
      return;
    }
    this.#control ??= this.#create();
    const { source, group } = this.#control;
    source.count = uris.length;
    group.resourceStates = uris.map((uri) => ({
      resourceUri: uri,
      command: { command: "rondo.compareFile", title: t("Show Changes"), arguments: [uri] },
    }));
  }

  #create() {
    const source = vscode.scm.createSourceControl("rondo", "Rondo");
    source.inputBox.visible = false;
    source.quickDiffProvider = {
      provideOriginalResource: (uri) => (this.#review.changes(uri) ? beforeUri(uri) : undefined),
    };
    return { source, group: source.createResourceGroup("review", t("Changes to Review")) };
  }
}
