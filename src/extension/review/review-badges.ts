/** Shows in the explorer and on tabs how many changes of a file wait for review. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { onceAFrame } from "./once-a-frame.ts";
import type { Review } from "./review.ts";

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
