/** What a tool is: a name, an input, and a `prepare` that only reads and answers with a plan (T3). */
import * as z from "zod/mini";
import type { CallMetadata, FilePart } from "../chat/message.ts";
import type { Preview, Question } from "../chat/requests.ts";
import type { Host, Protection } from "./host.ts";

/** `none` and `read-only` calls may run side by side; in an untrusted workspace only these run. */
type SideEffect = "none" | "read-only" | "mutating" | "network" | "blocking";

/** Whether there is such a tool, and it changes nothing anywhere. */
export function isHarmless(tool: Pick<Tool, "sideEffect"> | undefined): boolean {
  return tool?.sideEffect === "none" || tool?.sideEffect === "read-only";
}

/** A tool as a model is told of it. */
export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of the arguments: always an object. */
  schema: Record<string, unknown>;
}

/** A failure that the model can act on. Its message becomes the result of the call. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** Versions of the files that the model has seen in this session, by absolute path (T12). */
export type FilesSeen = Map<string, string>;

/** Work for a subagent. */
export interface SubagentTask {
  /** Its name. */
  agent: string;
  /** 3 to 5 words. */
  description: string;
  prompt: string;
}

/**
 * Has a subagent do the task and answers with its last words.
 * @throws ToolError when it did not come to its end
 */
export type Delegate = (task: SubagentTask) => Promise<string>;

/** For where there are no subagents. */
export const noDelegate: Delegate = async () => {
  throw new ToolError("There are no subagents here.");
};

/**
 * Puts questions to the user. Returns what was chosen, or said instead, for each of them; undefined when the user leaves
 * the decision to the model.
 * @throws ToolError when nobody is there, or something else was said
 */
export type AskUser = (questions: readonly Question[]) => Promise<string[][] | undefined>;

/** For where nobody is there to answer. */
export const nobodyToAsk: AskUser = async () => {
  throw new ToolError("Nobody is there to answer. Decide yourself, and say what you decided and why.");
};

export interface ToolContext {
  host: Host;
  callID: string;
  seen: FilesSeen;
  signal: AbortSignal;
  delegate: Delegate;
  askUser: AskUser;
}

/** A permission that must be granted before the plan may run. All requirements of a plan are judged; the strictest wins. */
export interface PermissionRequirement {
  /** `read`, `edit`, `bash`, `external_directory`, `web_fetch` or the tool's name. */
  permission: string;
  /** The text that rules are matched against: a relative path, a simple command, an absolute path outside. */
  pattern: string;
  /** The pattern that "Always allow" would add; undefined if it can be allowed only once. */
  suggestedRule: string | undefined;
  /** `exact`: only a rule with this very pattern, or `*`, matches; for a command that could not be parsed with certainty. */
  match: "pattern" | "exact";
  /** Anything but `none` always prompts, whatever rules, hooks and modes allow. */
  protection: Protection;
  /** The effect, for the permission card: "writes out.txt", "sends data to the network"; empty if the pattern says it. */
  effect: string;
}

export interface ToolPlan {
  /** In the present: "Edit src/cart.ts", "Run npm test". */
  title: string;
  preview: Preview;
  requires: PermissionRequirement[];
  /** Absolute paths of the files that `run` will change; `unknown`: it may change any, as a command does. */
  writes: readonly string[] | "unknown";
  run(progress: ProgressReporter): Promise<ToolResult>;
}

/** The running command's last lines, and how many there are in all. */
export type ProgressReporter = (text: string, lines: number) => void;

export interface ToolResult {
  output: string;
  metadata: CallMetadata;
  attachments?: Omit<FilePart, "id" | "sessionID" | "messageID">[];
  /** The call did not do what it should: shown as failed, told to the model as an error. */
  failed?: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly sideEffect: SideEffect;
  readonly input: z.ZodMiniType<Record<string, unknown>>;
  /** JSON Schema of `input`, made when first asked for. */
  readonly schema: Record<string, unknown>;
  /** Longest time that `run` may take, in ms; undefined: what the settings say. `own`: it ends by itself. */
  readonly timeout: number | "own" | undefined;
  /**
   * Only reads. `input` has passed the schema.
   * @throws ToolError with words for the model
   */
  prepare(input: Record<string, unknown>, context: ToolContext): Promise<ToolPlan>;
}

interface ToolSpec<Shape extends z.core.$ZodShape> {
  name: string;
  description: string;
  sideEffect: SideEffect;
  input: z.ZodMiniObject<Shape>;
  timeout?: number | "own";
  prepare(input: z.infer<z.ZodMiniObject<Shape>>, context: ToolContext): Promise<ToolPlan>;
}

/** Ties a tool's input type to its schema, and forgets it again, so that tools of all inputs fit one list. */
export function defineTool<Shape extends z.core.$ZodShape>(spec: ToolSpec<Shape>): Tool {
  let schema: Record<string, unknown> | undefined;
  return {
    name: spec.name,
    description: spec.description,
    sideEffect: spec.sideEffect,
    timeout: spec.timeout,
    // A ZodMiniObject's output is a record; TypeScript cannot see that through the type parameter.
    input: spec.input as unknown as z.ZodMiniType<Record<string, unknown>>,
    get schema() {
      schema ??= toSchema(spec.input);
      return schema;
    },
    // `input` was parsed with `spec.input` by the one caller (call.ts).
    prepare: (input, context) => spec.prepare(input as z.infer<z.ZodMiniObject<Shape>>, context),
  };
}

function toSchema(input: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return schema;
}
