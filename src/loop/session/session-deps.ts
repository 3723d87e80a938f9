/** What a session needs of the house around it. */

import type { ModelRef } from "../../chat/message.ts";
import type { Rule } from "../../chat/requests.ts";
import type { Host } from "../../tools/host.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Agent } from "../agents/agents.ts";
import type { Checkpoints } from "../checkpoints.ts";
import type { Hooks } from "../hooks.ts";
import type { LoopEvent } from "../loop-events.ts";
import type { Model } from "../model.ts";
import type { ExternalTools } from "../setup/external-tools.ts";
import type { Project } from "../setup/project.ts";
import type { Ledger, Recorder, SessionLock } from "../storage.ts";
import type { Limits } from "../turn.ts";

/** Functions are asked anew for each turn. */
export interface SessionDeps {
  host: Host;
  tools: ToolRegistry;
  externalTools: ExternalTools;
  /** What stands for outside tools, where those are too many to be told of one by one; else none. */
  toolSearchTools(tools: readonly Tool[]): Tool[];
  checkpoints: Checkpoints;
  taskTool(agents: readonly Agent[]): Tool;
  recorder: Recorder;
  lock: SessionLock;
  ledger: Ledger;
  limits(): Limits;
  /** For people: "darwin", "linux", "win32". */
  platform: string;
  openModel(ref: ModelRef): Promise<Model>;
  /** Who takes over when the model stays overloaded (H5). */
  fallbackModel(): ModelRef | undefined;
  rules(): { user: readonly Rule[]; workspace: readonly Rule[] };
  keepRules(rules: Rule[]): void;
  /** A rule has decided about a call. */
  ruleUsed(rule: Rule): void;
  /** Read when the first turn begins, and after each compaction (C7). */
  project(): Project;
  hooks: Hooks;
  /** Opens the record of a subagent's new session. */
  openChild(sessionID: string): Recorder & { close(): void };
  attended: boolean;
  /** Whether the model is asked for a title once it has answered (L5). */
  titles: boolean;
  onLoopEvent(event: LoopEvent): void;
  onNote(message: string): void;
  onBug(error: unknown): void;
}
