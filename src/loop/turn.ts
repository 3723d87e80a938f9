/** The dependencies of one turn, in groups: functions take only the group that they use. */
import type { Chat } from "../chat/apply.ts";
import type { ChatEvent, ExitReason } from "../chat/events.ts";
import type { ModelRef, ReplyError, UserMessage } from "../chat/message.ts";
import type { PermissionMode } from "../chat/permission-mode.ts";
import type { Spent } from "../chat/spent.ts";
import type { Host } from "../tools/host.ts";
import type { FilesSeen, SubagentTask } from "../tools/tool.ts";
import type { Agent } from "./agents/agents.ts";
import type { LoopDetection } from "./calls/loop-detection.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { PendingPrompt } from "./context/context.ts";
import type { Hooks } from "./hooks.ts";
import type { Limits } from "./limits.ts";
import type { Log } from "./log.ts";
import type { LoopEventBody } from "./loop-events.ts";
import type { Model } from "./model.ts";
import type { Permissions } from "./permissions/permissions.ts";
import type { Budget } from "./session/budget.ts";
import type { AgentConfig } from "./setup/agent-config.ts";
import type { FactSource } from "./setup/model-facts.ts";
import type { Project } from "./setup/project.ts";
import type { Recorder } from "./storage.ts";

export interface ChatAccess {
  readonly chat: Chat;
  /** Aborted by Stop, and when the session's lock is lost. */
  readonly signal: AbortSignal;
  emit(event: ChatEvent): void;
  /** When it returns, everything emitted is on disk (R2). @throws RecordError */
  flush(): void;
}

export interface Services {
  readonly host: Host;
  readonly hooks: Hooks;
  readonly checkpoints: Checkpoints;
  readonly log: Log;
  readonly facts: FactSource;
  /** Loads the provider's SDK when first called. Rejects with a ModelError when the provider has no key. */
  openModel(ref: ModelRef): Promise<Model>;
  openChild(sessionID: string): Recorder & { close(): void };
}

interface AgentAccess {
  /** From the session's agent down to the current one; more than one in a subagent's turn (S1). */
  readonly lineage: readonly Agent[];
  /** Replaces a model that stays overloaded (H5). */
  readonly fallbackModel: ModelRef | undefined;
  switchToFallback(): void;
  project(): Project;
  mode(): PermissionMode;
  /** Whether changing and running are disabled now: the mode or an agent is Plan. */
  readOnly(): boolean;
  /** Returns the model of `resolveConfig`. */
  modelFor(user: UserMessage): ModelRef;
  /** @throws IntakeError if the agent of `user` no longer exists */
  resolveConfig(user: UserMessage): AgentConfig;
  resolveConfigFor(agent: Agent, user: UserMessage, depth: number): AgentConfig;
  /** Reads the project again when it is next needed. */
  refresh(): void;
  /** Resolves when external tools are available or timed out. */
  connectExternalTools(): Promise<void>;
  /** Offers the external tools that are connected now: some connect late, or leave. */
  takeExternalTools(): void;
}

export interface Delegation {
  turn: Turn;
  config: AgentConfig;
  messageID: string;
  signal: AbortSignal;
  follow(childID: string): void;
  /** Called with what the child has spent, and the files that it has edited, when it ends. */
  ended(spent: Spent, edited: readonly string[]): void;
}

export interface Turn extends ChatAccess, Services, AgentAccess {
  readonly runID: string;
  readonly limits: Limits;
  readonly permissions: Permissions;
  readonly budget: Budget;
  readonly seen: FilesSeen;
  readonly loopDetection: LoopDetection;
  /** Number of messages of the chat when the turn began. */
  readonly firstReply: number;
  /** Publishes an event of this run. Never throws. */
  report(event: LoopEventBody): void;
  /** Shows the user a sentence at a message, without telling the model. */
  notifyUser(messageID: string, text: string): void;
  takeQueued(): void;
  /** Looks for the prompt that the next round is about: it decides which agent answers. */
  nextPrompt(): PendingPrompt;
  /** From now on prompts do not join this turn: they start a new one after it. */
  close(): void;
  /** Resolves after `ms`, or when the user presses "Try now". Rejects on abort. */
  pause(ms: number): Promise<void>;
  /** Calls `retry` when the user presses "Try again now" while the model is silent. Returns how to end that. */
  onRetryNow(retry: () => void): () => void;
  /** Runs `wait` without its time counting as working time. */
  untimed<T>(wait: () => Promise<T>): Promise<T>;
  /** Resolves with the final answer. @throws ToolError when it did not finish, Blocked, the signal's reason */
  runSubagent(delegation: Delegation, task: SubagentTask): Promise<string>;
}

export interface TurnEnd {
  reason: ExitReason;
  /** Set for the reasons `error` and `max_tokens`, and for `blocked` where a hook or repeated denials ended the turn. */
  error: ReplyError | undefined;
}
