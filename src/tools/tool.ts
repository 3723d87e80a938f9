/** A tool: its name, its input, and a `prepare` that only reads and returns a plan (T3). */

import { en } from "zod/locales";
import * as z from "zod/mini";
import type { CallMetadata, FilePart, ToolDefinition } from "../chat/message.ts";
import type { AskReason, Preview, Question, TextRange } from "../chat/requests.ts";
import { msg } from "../l10n/l10n.ts";
import type { Host, Protection } from "./host.ts";

// Sets English error messages; without it zod/mini only says that a value is invalid.
z.config(en());

/** `none` and `read-only` calls may run side by side; in an untrusted workspace only these run. */
type SideEffect = "none" | "read-only" | "mutating" | "network" | "blocking";

export function isHarmless(tool: Pick<Tool, "sideEffect"> | undefined): boolean {
  return tool?.sideEffect === "none" || tool?.sideEffect === "read-only";
}

/** The tool whose calls are questions to the user. */
export const askUserName = "ask_user";

/** A failure that the model can act on. Its message becomes the call's result; people read `words` in its place. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly words: string;

  /** `words` are needed wherever the message speaks to the model. */
  constructor(message: string, words = message) {
    super(message);
    this.words = words;
  }
}

/** Versions of the files that the model has seen in this conversation, by absolute path (T12). */
export interface FilesSeen {
  get(path: string): string | undefined;
  has(path: string): boolean;
  set(path: string, version: string): void;
  delete(path: string): void;
}

export interface SubagentTask {
  agent: string;
  /** 3 to 5 words. */
  description: string;
  prompt: string;
}

/** @throws ToolError if the subagent did not finish */
export type Delegate = (task: SubagentTask) => Promise<string>;

export const noDelegate: Delegate = async () => {
  throw new ToolError(msg("There are no subagents here."));
};

/** Returns the answers to each question; undefined lets the model decide. @throws ToolError if nobody can answer */
export type AskUser = (questions: readonly Question[]) => Promise<string[][] | undefined>;

export const nobodyToAsk: AskUser = async () => {
  throw new ToolError(
    "Nobody can answer. Decide yourself, and say what you decided and why.",
    msg("Nobody could answer; the model decides."),
  );
};

export interface ToolContext {
  host: Host;
  callID: string;
  seen: FilesSeen;
  signal: AbortSignal;
  delegate: Delegate;
  askUser: AskUser;
}

/** The permission to run a command outside of the sandbox. Only a rule that names it allows that without a question. */
export const outsidePermission = "outside_sandbox";

/** A permission that the plan needs. All requirements of a plan are judged; the strictest wins. */
export interface PermissionRequirement {
  /** One of `Permission`, or the name of a tool of a server or an extension. */
  permission: string;
  /** The text that rules are matched against: a relative path, a simple command, an absolute path outside. */
  pattern: string;
  /** Other names of the same path. Rules that deny or ask are matched against these, too. */
  names?: readonly string[];
  /** The pattern that "Always allow" would add; undefined if it can be allowed only once. */
  suggestedRule: string | undefined;
  /**
   * `exact`: only a rule with the text of the whole command, or `*`, allows it; for a part of a command that could not be
   * parsed, or that does more than a rule for it means. `possible`: a path that a command may change, with `…` for unknown
   * text, and `‥` for an unknown name; it asks where a rule denies or asks, and needs no permission otherwise.
   */
  match: "pattern" | "exact" | "possible";
  /** Anything but `none` always prompts, whatever rules, hooks and modes allow. */
  protection: Protection;
  /** The effect, for the permission card: "writes out.txt", "sends data to the network"; empty if it is obvious. */
  effect: string;
  /** Only for a part of a command. */
  command?: CommandReading;
  /** The places in the command that require it, if they are known. */
  ranges?: readonly TextRange[];
}

/** What a part of a command runs, as far as it is known before it runs. */
interface CommandReading {
  /** The text of the whole command, which fixes its folder, variables and functions. */
  whole: string;
  /** Whether a rule with this pattern that denies or asks applies, however the part is written. */
  restrictedBy(pattern: string): Restriction;
}

/** `maybe`: it depends on what is known only when the command runs. */
export type Restriction = "yes" | "maybe" | "no";

/** What a call does, for the card of its question. */
export interface CallEffects {
  /** Sorted and joined with the reasons of the requirements. Those of places that do not ask are left out. */
  effects: AskReason[];
  /** See `CommandMarks`. */
  connectors: TextRange[];
}

export interface ToolPlan {
  /** In the imperative: "Edit src/cart.ts", "Run npm test". */
  title: string;
  preview: Preview;
  requires: PermissionRequirement[];
  /** Absolute paths of the files that `run` changes; `unknown` if it may change any file, as commands do. */
  writes: readonly string[] | "unknown";
  /** Looks at what the call would do. Called only when it asks, and bounded in time: the user waits. */
  effects?: ((signal: AbortSignal) => Promise<CallEffects>) | undefined;
  run(progress: ProgressReporter): Promise<ToolResult>;
}

/** Reports the last lines of a running command's output and the number of all its lines. */
export type ProgressReporter = (text: string, lines: number) => void;

export interface ToolResult {
  output: string;
  metadata: CallMetadata;
  attachments?: Omit<FilePart, "id" | "sessionID" | "messageID">[];
  /** Whether the call failed: it is shown as failed and reported to the model as an error. */
  failed?: boolean;
}

export interface Tool<Name extends string = string> {
  readonly name: Name;
  readonly description: string;
  readonly sideEffect: SideEffect;
  readonly input: z.ZodMiniType<Record<string, unknown>>;
  /** JSON Schema of `input`, created on first use. */
  readonly schema: Record<string, unknown>;
  readonly freeform: ToolDefinition["freeform"];
  /** Time limit of `run` in ms; undefined for the limit in the settings, `own` if the tool limits its time itself. */
  readonly timeoutMs: number | "own" | undefined;
  /** Offered in its place where commands run in a sandbox. */
  readonly inSandbox: Tool | undefined;
  /** Changes nothing. `input` has passed the schema. @throws ToolError */
  prepare(input: Record<string, unknown>, context: ToolContext): Promise<ToolPlan>;
}

interface ToolSpec<Name extends string, Shape extends z.core.$ZodShape> {
  name: Name;
  description: string;
  sideEffect: SideEffect;
  input: z.ZodMiniObject<Shape>;
  freeform?: ToolDefinition["freeform"];
  timeoutMs?: number | "own" | undefined;
  inSandbox?: Tool | undefined;
  prepare(input: z.infer<z.ZodMiniObject<Shape>>, context: ToolContext): Promise<ToolPlan>;
}

/** Returns what a model is told of a tool. */
export function definitionOf({ name, description, schema, freeform }: Tool): ToolDefinition {
  return { name, description, schema, ...(freeform && { freeform }) };
}

/** Types `prepare` by the input's schema, then erases the type so that all tools fit into one list. */
export function defineTool<const Name extends string, Shape extends z.core.$ZodShape>(
  spec: ToolSpec<Name, Shape>,
): Tool<Name> {
  let schema: Record<string, unknown> | undefined;
  return {
    name: spec.name,
    description: spec.description,
    sideEffect: spec.sideEffect,
    freeform: spec.freeform,
    timeoutMs: spec.timeoutMs,
    inSandbox: spec.inSandbox,
    // The output of a ZodMiniObject is a record, which TypeScript cannot infer from the type parameter.
    input: spec.input as unknown as z.ZodMiniType<Record<string, unknown>>,
    get schema() {
      schema ??= toSchema(spec.input);
      return schema;
    },
    // The only caller (call.ts) has parsed `input` with `spec.input`.
    prepare: (input, context) => spec.prepare(input as z.infer<z.ZodMiniObject<Shape>>, context),
  };
}

/**
 * Returns the schema for models. It names no bounds and no deprecated names: each would cost tokens in every request, and
 * calls are checked when they come.
 */
function toSchema(input: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: "input",
    override({ jsonSchema }) {
      for (const bound of ["minLength", "minimum", "maximum"] as const) delete jsonSchema[bound];
      const { properties = {} } = jsonSchema;
      for (const [name, value] of Object.entries(properties)) {
        if (typeof value === "object" && value.deprecated) delete properties[name];
      }
    },
  });
  return schema;
}
