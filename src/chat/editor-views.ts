/** What the panel shows of the editor: what "@" offers to attach from it, and whether it follows the agent. */

/** What "@" offers to attach beside agents. `terminal`: the last command of the active terminal, with its output. */
export const editorContextKinds = [
  "problems",
  "file-problems",
  "changes",
  "terminal",
  "terminal-selection",
  "failed-tests",
  "debug-output",
  "open-editors",
] as const;
export type EditorContextKind = (typeof editorContextKinds)[number];

/** `words`: what it holds now ("3 errors in 2 files"), or why there is nothing to attach. */
export interface EditorContext {
  kind: EditorContextKind;
  words: string;
  isEmpty: boolean;
}

/** Whether an editor shows where the agent reads and writes. `paused`: until the next message, as the user has moved there. */
export type FollowState = "off" | "on" | "paused";
