/** A review as the editor shows it: tints, lenses, hovers, badges, bars of cells, and the Source Control view. */
import * as vscode from "vscode";
import { watchAllChanges } from "./all-changes.ts";
import { BaselineProvider } from "./baseline-provider.ts";
import { CellActions } from "./cell-actions.ts";
import { Decorations } from "./decorations.ts";
import { hunkFeatures } from "./hunk-features.ts";
import { HunkLenses } from "./hunk-lenses.ts";
import type { Review } from "./review.ts";
import { ReviewBadges } from "./review-badges.ts";

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
