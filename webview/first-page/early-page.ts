/** What the script of the first page and the panel share. */
import type { ToHost, ToPanel } from "../../src/chat/protocol.ts";
import type { StartAgain } from "../../src/chat/start-failure.ts";

/** How the frame looked last, so that nothing moves when the panel comes. */
interface SavedLook {
  title: string;
  placeholder: string;
  /** Whether a question is open. */
  asks: boolean;
  running: boolean;
}

/** State that VS Code keeps while the view is hidden or the window reloads. */
export interface SavedState {
  draft: string;
  /** What the text box of a first page holds, which the panel has not taken over yet. */
  typed?: string | undefined;
  /** The row of the log at the top of the view, and its distance from there in px; undefined at the end. */
  scroll: { session: string; row: string; offset: number } | undefined;
  look: SavedLook | undefined;
}

export interface VSCodeApi {
  postMessage(message: ToHost | StartAgain): void;
  getState(): SavedState | undefined;
  setState(state: SavedState): void;
}

interface EarlyPage {
  readonly api: VSCodeApi;
  /** Resolves when the styles are there. */
  readonly styled: Promise<void>;
  /** Resolves with the first snapshot of the host. */
  readonly told: Promise<void>;
  /** Resolves when what takes a moment delays no letter: when one is painted, or none has come for a while. */
  pause(): Promise<void>;
  /** Ends the script's part. Returns the messages so far, and whether Enter was the last key. */
  end(): { messages: ToPanel[]; entered: boolean };
}

declare global {
  interface Window {
    rondo: EarlyPage;
  }
}
