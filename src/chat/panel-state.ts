/** The state that the panel shows beside the conversation. The host sends it whole, whenever it changes. */
import type { SelectionView } from "./attach.ts";
import type { Starter } from "./connect.ts";
import type { FollowState } from "./editor-views.ts";
import type { AccountView, ModelChoice, Readiness } from "./model-views.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { Attachment } from "./prompt-input.ts";
import type { BuildMode } from "./requests.ts";
import type { PendingComment, ReviewFile } from "./review-views.ts";
import type { ServerView } from "./server-views.ts";
import type { SessionSummary, SessionTab, WorktreeView } from "./session-views.ts";
import type { CommandChoice } from "./slash-command.ts";

export interface PanelState {
  readiness: Readiness;
  mode: PermissionMode;
  /** When the mode ends on its own, in ms since 1970; undefined: never. `buildMode` follows. */
  modeEndsAt: number | undefined;
  /** The mode before Plan or Bypass; in the others, the present one. */
  buildMode: BuildMode;
  /** How long Bypass would hold, in minutes. */
  bypassMinutes: number;
  /** Whether commands run in the sandbox, which they leave only when the user is asked. */
  sandboxed: boolean;
  model: ModelChoice | undefined;
  models: ModelChoice[];
  /** Of the provider that was asked last, else of the model that is chosen. */
  account: AccountView | undefined;
  trusted: boolean;
  /** Whether a folder on this machine's disk is open. */
  hasFolder: boolean;
  /** Names of open folders that are elsewhere, as those of `vscode-vfs`. */
  virtualFolders: string[];
  attachments: Attachment[];
  /** Names of what is being read to be attached. */
  attaching: string[];
  /** Undefined if nothing is selected in the active editor. */
  selection: SelectionView | undefined;
  review: ReviewFile[];
  /** Title of the session that has changed a file under review, by its path, where it is not the one on screen. */
  reviewBy: Record<string, string>;
  follow: FollowState;
  comments: PendingComment[];
  /** Share of the context window in use, 0–1, after the last reply; undefined before the first. */
  contextUsed: number | undefined;
  cost: Cost;
  agents: AgentChoice[];
  /** What "/" offers beside the panel's own commands. */
  commands: CommandChoice[];
  /** Name of the MCP server that is asked what a sent command says; empty: none. */
  asking: string;
  agent: string;
  recent: SessionSummary[];
  /** The worktree of the session on screen. */
  worktree: WorktreeView | undefined;
  /** What the next message of an empty session begins; `second`: name of the second model, empty for one session. */
  next: { worktree: boolean; second: string };
  /** At least the session on screen. */
  tabs: readonly SessionTab[];
  /** Tasks to begin with; none where the session has messages. */
  starters: Starter[];
  servers: ServerView[];
  /** The newest restore. `open`: number of files that are left, because it was cut off; of an undo, if `isUndo`. */
  restored: { files: number; at: number; open: number; isUndo: boolean } | undefined;
}

/** USD. `partial`: some replies are not included, because their price is unknown. `estimated`: some were not reported. */
interface Cost {
  session: number;
  today: number;
  partial: boolean;
  estimated: boolean;
}

export interface AgentChoice {
  name: string;
  description: string;
  mode: "primary" | "subagent" | "all";
}
