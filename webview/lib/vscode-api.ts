/** The one door to the host. */
import type { ToHost } from "../../src/chat/protocol.ts";

/** What outlives the panel's script: VS Code keeps it while the view is hidden or the window reloads. */
export interface Kept {
  draft: string;
  /** The log's scroll position in px; undefined: at the end. */
  scroll: number | undefined;
}

interface VsCodeApi {
  postMessage(message: ToHost): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const api = acquireVsCodeApi();

/** Messages hold plain data only: a reactive proxy cannot be cloned on the way. */
export function send(message: ToHost): void {
  api.postMessage(message);
}

let kept: Kept = api.getState() ?? { draft: "", scroll: undefined };

export function recall(): Kept {
  return kept;
}

export function keep(change: Partial<Kept>): void {
  kept = { ...kept, ...change };
  api.setState(kept);
}
