/** Tells the review when commands of a session run, so that it knows whose changes on disk are. */
import * as vscode from "vscode";
import type { SessionCheckpoints } from "../../checkpoints/session-checkpoints.ts";
import type { StepChanges } from "../review/step-changes.ts";

/** Minimum time between two scans while a command runs in the background. */
const backgroundScanMs = 1000;

interface BackgroundWatch {
  watcher: vscode.Disposable;
  timer: NodeJS.Timeout | undefined;
  end(): void;
}

export class ReviewedCheckpoints implements SessionCheckpoints {
  readonly #checkpoints: SessionCheckpoints;
  readonly #changes: StepChanges;
  /** Ends the command of the current step for the review. */
  #endCommand: (() => void) | undefined;
  #background: BackgroundWatch | undefined;

  constructor(checkpoints: SessionCheckpoints, changes: StepChanges) {
    this.#checkpoints = checkpoints;
    this.#changes = changes;
  }

  begin(): string {
    // The previous step was not ended.
    this.#endCommand?.();
    this.#endCommand = undefined;
    return this.#checkpoints.begin();
  }

  expect(): void {
    this.#checkpoints.expect();
  }

  async ready(writes: readonly string[] | "unknown", signal: AbortSignal): Promise<void> {
    if (writes === "unknown") this.#endCommand ??= this.#changes.commandBegins();
    await this.#checkpoints.ready(writes, signal);
  }

  async end(): ReturnType<SessionCheckpoints["end"]> {
    const endCommand = this.#endCommand;
    this.#endCommand = undefined;
    try {
      return await this.#checkpoints.end();
    } finally {
      endCommand?.();
    }
  }

  preview(...about: Parameters<SessionCheckpoints["preview"]>): ReturnType<SessionCheckpoints["preview"]> {
    return this.#checkpoints.preview(...about);
  }

  restore(...about: Parameters<SessionCheckpoints["restore"]>): ReturnType<SessionCheckpoints["restore"]> {
    return this.#checkpoints.restore(...about);
  }

  undo(signal: AbortSignal): ReturnType<SessionCheckpoints["undo"]> {
    return this.#checkpoints.undo(signal);
  }

  finish(signal: AbortSignal): ReturnType<SessionCheckpoints["finish"]> {
    return this.#checkpoints.finish(signal);
  }

  restored(): ReturnType<SessionCheckpoints["restored"]> {
    return this.#checkpoints.restored();
  }

  content(...about: Parameters<SessionCheckpoints["content"]>): ReturnType<SessionCheckpoints["content"]> {
    return this.#checkpoints.content(...about);
  }

  /** While a command runs in the background, files are scanned when VS Code sees that some have changed. */
  async background(isRunning: boolean): Promise<void> {
    if (isRunning) this.#background ??= this.#watch();
    const watch = this.#background;
    if (!watch) return;
    await this.#checkpoints.background(isRunning);
    if (!isRunning && this.#background === watch) this.#endBackground();
  }

  async close(): Promise<void> {
    this.#endCommand?.();
    this.#endBackground();
    await this.#checkpoints.close();
  }

  #watch(): BackgroundWatch {
    const watcher = vscode.workspace.createFileSystemWatcher("**/*");
    const watch: BackgroundWatch = { watcher, timer: undefined, end: this.#changes.backgroundBegins() };
    const scan = () => {
      watch.timer ??= setTimeout(() => {
        watch.timer = undefined;
        if (this.#background === watch) void this.#checkpoints.background(true);
      }, backgroundScanMs);
    };
    watcher.onDidChange(scan);
    watcher.onDidCreate(scan);
    watcher.onDidDelete(scan);
    return watch;
  }

  #endBackground(): void {
    const watch = this.#background;
    this.#background = undefined;
    if (!watch) return;
    clearTimeout(watch.timer);
    watch.watcher.dispose();
    watch.end();
  }
}
