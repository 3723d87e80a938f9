/** Sends messages to the host, and saves what the panel needs after a reload. */
import type { ToHost } from "../../src/chat/protocol.ts";

/** State that VS Code keeps while the view is hidden or the window reloads. */
export interface SavedState {
  draft: string;
  /** The row of the log at the top of the view, and its distance from there in px; undefined at the end. */
  scroll: { session: string; row: string; offset: number } | undefined;
}

declare function acquireVsCodeApi(): {
  postMessage(message: ToHost): void;
  getState(): SavedState | undefined;
  setState(state: SavedState): void;
};

const api = acquireVsCodeApi();

/** The message must be plain data: a reactive proxy cannot be cloned. */
export function send(message: ToHost): void {
  api.postMessage(message);
}

let saved: SavedState = api.getState() ?? { draft: "", scroll: undefined };

export function savedState(): SavedState {
  return saved;
}

export function saveState(change: Partial<SavedState>): void {
  saved = { ...saved, ...change };
  api.setState(saved);
}
