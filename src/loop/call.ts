/** One tool call: repair, parse, plan, ask, run, settle (spec T4). Every call ends with exactly one result. */
import type { core } from "zod/mini";
import { type Plan, type Tool, ToolError, type ToolResult } from "../tools/tool.ts";
import { Deadline } from "./deadline.ts";
import { newID } from "./id.ts";
import type { CallMetadata, ToolState } from "./message.ts";
import type { Verdict } from "./permission.ts";
import type { ToolCall } from "./reply.ts";
import { abortedText } from "./settle.ts";
import { RecordError } from "./store.ts";
import type { Turn } from "./turn.ts";

/** What the loop does next: go on, or stop because the user refused without words (T7). */
export type CallEnd = "continue" | "blocked";

/** Never rejects but with a RecordError: failures of every kind become the call's result. */
export async function runCall(turn: Turn, call: ToolCall): Promise<CallEnd> {
  const started = Date.now();
  const input = call.arguments.ok ? call.arguments.input : {};
  const { tool: toolName, callID: toolCallId } = call;
  const settled = new CallRecord(turn, call, input, started);
  const deadline = new Deadline(turn.signal);
  turn.report({ type: "tool:start", toolName, toolCallId });
  settled.running(undefined);
  try {
    return await attempt(turn, call, settled, deadline);
  } finally {
    deadline.close();
    const result = settled.completed ? "completed" : "error";
    turn.report({ type: "tool:end", toolName, toolCallId, result, duration: Date.now() - started });
  }
}

const denied: CallMetadata = { denied: true };

async function attempt(turn: Turn, call: ToolCall, settled: CallRecord, deadline: Deadline): Promise<CallEnd> {
  const { signal } = deadline;
  try {
    signal.throwIfAborted();
    const tool = findTool(turn, call.tool);
    const input = parseInput(tool, call);
    checkMayRun(turn, tool);
    const { host, seen } = turn;
    const plan = await deadline.guard(tool.prepare(input, { host, callID: call.callID, seen, signal }));
    settled.title = plan.title;
    const verdict = await askFor(turn, call, tool, plan);
    switch (verdict.type) {
      case "denied":
        settled.error(`Not allowed: ${verdict.why} Choose another way, or tell the user what you would need.`, denied);
        return "continue";
      case "refused":
        settled.error(
          verdict.words
            ? `The user refused this call and says: ${verdict.words}`
            : "The user refused this call and stopped the turn.",
          denied,
        );
        return verdict.words ? "continue" : "blocked";
      case "allow":
        break;
    }
    settled.running(Date.now());
    turn.flush();
    settled.done(await runPlan(turn, call, tool, plan, deadline));
  } catch (error) {
    if (turn.signal.aborted) settled.error(abortedText);
    else if (signal.reason instanceof ToolError) settled.error(signal.reason.message);
    else if (error instanceof ToolError) settled.error(error.message);
    else if (error instanceof RecordError) throw error;
    else {
      turn.bug(error);
      settled.error(`${call.tool} failed inside Rondo: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return "continue";
}

/** By its name, or by its name in lower case: models mix them up (T4). */
function findTool(turn: Turn, name: string): Tool {
  const tool = turn.tools.get(name) ?? turn.tools.get(name.toLowerCase());
  if (tool) return tool;
  throw new ToolError(`There is no tool named "${name}". The tools are: ${[...turn.tools.keys()].join(", ")}.`);
}

function parseInput(tool: Tool, call: ToolCall): Record<string, unknown> {
  if (!call.arguments.ok) {
    const sent = call.raw.length > 2000 ? `${call.raw.slice(0, 2000)}…` : call.raw;
    throw new ToolError(
      `The arguments of ${tool.name} could not be read: ${call.arguments.problem}. What was sent: ${sent}\nCall it again with one JSON object.`,
    );
  }
  const parsed = tool.input.safeParse(call.arguments.input);
  if (parsed.success) return parsed.data;
  throw new ToolError(
    `The arguments of ${tool.name} do not fit:\n${describeIssues(parsed.error, call.arguments.input)}`,
  );
}

/** A line a problem: which field, what was expected, what came. */
function describeIssues(error: core.$ZodError, input: Record<string, unknown>): string {
  return error.issues
    .map((issue) => {
      let came: unknown = input;
      for (const key of issue.path) came = (came as Record<PropertyKey, unknown> | undefined)?.[key]; // any JSON value
      const shown = came === undefined ? "nothing" : (JSON.stringify(came) ?? typeof came).slice(0, 200);
      return `- ${issue.path.join(".") || "(arguments)"}: ${issue.message}; came: ${shown}`;
    })
    .join("\n");
}

function checkMayRun(turn: Turn, tool: Tool): void {
  if (tool.sideEffect === "none" || tool.sideEffect === "read-only") return;
  if (!turn.host.workspace.trusted) {
    throw new ToolError(
      `This workspace is not trusted, so ${tool.name} is off: nothing may be written or run. Reading and searching work. The user can trust the workspace in the editor.`,
    );
  }
  if (turn.readOnly()) {
    throw new ToolError(
      `The mode is Plan: nothing is changed or run, so ${tool.name} is off. Read, then answer with a plan.`,
    );
  }
}

function askFor(turn: Turn, call: ToolCall, tool: Tool, plan: Plan): Promise<Verdict> {
  const preview =
    plan.preview.type === "command"
      ? {
          ...plan.preview,
          parts: plan.needs.map((need) => {
            const { decision, why } = turn.permissions.judge(need, tool.name);
            return { text: need.pattern, decision, why };
          }),
        }
      : plan.preview;
  const question = {
    sessionID: turn.chat.session.id,
    messageID: call.messageID,
    partID: call.partID,
    callID: call.callID,
    tool: tool.name,
    title: plan.preview.type === "command" ? "Run this command?" : `${plan.title}?`,
    preview,
    needs: plan.needs,
  };
  return turn.untimed(() => turn.permissions.allow(question, turn.signal));
}

async function runPlan(
  turn: Turn,
  { messageID, partID }: ToolCall,
  tool: Tool,
  plan: Plan,
  deadline: Deadline,
): Promise<ToolResult> {
  if (tool.timeout !== undefined) {
    deadline.limit(tool.timeout, new ToolError(`${tool.name} took longer than ${tool.timeout} ms and was given up.`));
  }
  const run = plan.run((text, lines) => {
    if (!deadline.signal.aborted) turn.emit({ type: "output", messageID, partID, text, lines });
  });
  return await deadline.guard(run);
}

/** Writes the states of one call, in their only order: running, then completed or error (D4). */
class CallRecord {
  readonly #turn: Turn;
  readonly #call: ToolCall;
  readonly #input: Record<string, unknown>;
  #start: number;
  title: string | undefined;
  completed = false;

  constructor(turn: Turn, call: ToolCall, input: Record<string, unknown>, start: number) {
    this.#turn = turn;
    this.#call = call;
    this.#input = input;
    this.#start = start;
  }

  /** First without a time, when the call is taken up; again with the time at which the tool really starts. */
  running(start: number | undefined): void {
    this.#start = start ?? this.#start;
    this.#put({
      status: "running",
      input: this.#input,
      start: this.#start,
      ...(this.title !== undefined && { title: this.title }),
      metadata: this.#metadata({}),
    });
  }

  done(result: ToolResult): void {
    const end = Date.now();
    if (result.failed) {
      this.error(result.output, result.metadata);
      return;
    }
    this.completed = true;
    const { sessionID, messageID } = this.#ids();
    this.#put({
      status: "completed",
      input: this.#input,
      output: result.output,
      title: this.title ?? this.#call.tool,
      metadata: this.#metadata(result.metadata),
      ...(result.attachments && {
        attachments: result.attachments.map((file) => ({ ...file, id: newID("prt"), sessionID, messageID })),
      }),
      start: this.#start,
      end,
    });
  }

  error(error: string, metadata: CallMetadata = {}): void {
    this.#put({
      status: "error",
      input: this.#input,
      error,
      ...(this.title !== undefined && { title: this.title }),
      metadata: this.#metadata(metadata),
      start: this.#start,
      end: Date.now(),
    });
  }

  #metadata(metadata: CallMetadata): CallMetadata {
    return this.#call.provider ? { ...metadata, provider: this.#call.provider } : metadata;
  }

  #ids(): { sessionID: string; messageID: string } {
    return { sessionID: this.#turn.chat.session.id, messageID: this.#call.messageID };
  }

  #put(state: ToolState): void {
    const { partID, callID, tool } = this.#call;
    this.#turn.emit({ type: "part", part: { type: "tool", id: partID, ...this.#ids(), callID, tool, state } });
  }
}
