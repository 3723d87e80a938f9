/** Sends messages to the host, and saves what the panel needs after a reload. */
import type { ToHost } from "../../src/chat/protocol.ts";
import type { SavedState } from "../first-page/early-page.ts";

const { api } = window.rondo;

/** The message must be plain data: a reactive proxy cannot be cloned. */
export function send(message: ToHost): void {
  api.postMessage(message);
}

let saved: SavedState = api.getState() ?? { draft: "", scroll: undefined, look: undefined };

export function savedState(): SavedState {
  return saved;
}

export function saveState(change: Partial<SavedState>): void {
  saved = { ...saved, ...change };
  api.setState(saved);
}
