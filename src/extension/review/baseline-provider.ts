/** Provides the texts before the agent's changes, for diffs, the gutter and the list in the Source Control view. */
import * as vscode from "vscode";
import type { Review } from "./review.ts";

const scheme = "rondo-before";

/** Returns the URI of the file's text without the changes under review. */
export const beforeUri = (uri: vscode.Uri): vscode.Uri => uri.with({ scheme });

export class BaselineProvider implements vscode.Disposable {
  readonly #review: Review;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  /** Texts that VS Code has, by URI. Only those that differ are announced. */
  readonly #provided = new Map<string, string>();
  readonly #own: vscode.Disposable[];
  #control: { source: vscode.SourceControl; group: vscode.SourceControlResourceGroup } | undefined;

  constructor(review: Review) {
    this.#review = review;
    this.#own = [
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: (uri) => this.#text(uri),
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#provided.delete(uri.toString())),
      review.onDidChange(() => this.#update()),
    ];
    this.#update();
  }

  dispose(): void {
    for (const one of this.#own) one.dispose();
    this.#control?.source.dispose();
  }

  #text(uri: vscode.Uri): string {
    const text = this.#review.before(uri.with({ scheme: "file" })) ?? "";
    this.#provided.set(uri.toString(), text);
    return text;
  }

  #update(): void {
    for (const [key, text] of this.#provided) {
      const uri = vscode.Uri.parse(key);
      if (this.#review.before(uri.with({ scheme: "file" })) !== text) this.#changed.fire(uri);
    }
    const uris = this.#review.uris();
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
      command: { command: "vscode.diff", title: "Show Changes", arguments: [beforeUri(uri), uri, titleOf(uri)] },
    }));
  }

  #create() {
    const source = vscode.scm.createSourceControl("rondo", "Rondo");
    source.inputBox.visible = false;
    source.quickDiffProvider = {
      provideOriginalResource: (uri) => (this.#review.changes(uri) ? beforeUri(uri) : undefined),
    };
    return { source, group: source.createResourceGroup("review", "Changes to Review") };
  }
}

const titleOf = (uri: vscode.Uri): string => `${vscode.workspace.asRelativePath(uri)} (Rondo's changes)`;
