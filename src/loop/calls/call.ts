/** A tool call: repair, parse, hook, plan, ask, run, finish (spec T4). Every call ends with exactly one result. */

import { sameJson } from "../../base/json.ts";
import { never } from "../../base/never.ts";
import { untrustedWords } from "../../chat/call-words.ts";
import type { CallMetadata, ReplyError } from "../../chat/message.ts";
import type { Spent } from "../../chat/spent.ts";
import { isClosing, stopWords } from "../../chat/stopped.ts";
import { english, msg } from "../../l10n/l10n.ts";
import { invalid } from "../../tools/invalid.ts";
import { shorten } from "../../tools/text/truncate.ts";
import {
  askUserName,
  type Delegate,
  isHarmless,
  type Tool,
  ToolError,
  type ToolPlan,
  type ToolResult,
} from "../../tools/tool.ts";
import { noOutcome } from "../hooks.ts";
import type { CallToJudge, Forbidden, Verdict } from "../permissions/permissions.ts";
import type { ToolCall } from "../reply/reply-sink.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import { RecordError } from "../storage.ts";
import type { Turn, TurnEnd } from "../turn.ts";
import { Blocked } from "./blocked.ts";
import { CallHooks, hookSays } from "./call-hooks.ts";
import type { CallEnd, CallInProgress } from "./call-in-progress.ts";
import { findTool, parseInput, replaceInput } from "./call-input.ts";
import { askPermission, askToRepeat, askUser } from "./call-questions.ts";
import { CallRecord } from "./call-record.ts";
import { abortedText } from "./close-calls.ts";
import { Deadline } from "./deadline.ts";
import { type DeniedCall, notAllowed, refusedByUser } from "./denied-call.ts";

/** The end of a reopened turn whose question would not come back: by now the rules allow or deny its call. */
export const unasked: TurnEnd = { reason: "interrupted", error: undefined };

/** The decision about a call before it runs. */
type Decided =
  | { type: "ready"; tool: Tool; plan: ToolPlan }
  | { type: "failed"; error: string; words: string }
  | DeniedCall;

/** Rejects only with a RecordError: all other failures become the call's result. `mustAsk`: it is `unasked` unless the user is asked. */
export async function runCall(turn: Turn, config: AgentConfig, call: ToolCall, mustAsk = false): Promise<CallEnd> {
  const started = Date.now();
  const { tool: toolName, callID: toolCallId } = call;
  const record = new CallRecord(turn, call, started);
  const deadline = new Deadline(turn.signal, turn.lineage.length - 1);
  turn.report({ type: "tool:start", toolName, toolCallId });
  try {
    record.running();
    return await attempt({ turn, config, call, record, hooks: new CallHooks(turn, call, record), deadline, mustAsk });
  } finally {
    deadline.close();
    const result = record.completed ? "completed" : "error";
    const { decision, output } = record;
    const duration = Date.now() - started;
    turn.report({ type: "tool:end", toolName, toolCallId, partId: call.partID, result, output, duration, decision });
  }
}

async function attempt(current: CallInProgress): Promise<CallEnd> {
  const { turn, call, record, deadline, hooks } = current;
  try {
    deadline.signal.throwIfAborted();
    const decided = await guardAgainstRepeats(current, await decide(current));
    if (current.mustAsk && !record.wasAsked && record.tool !== askUserName) {
      record.asks();
      return unasked;
    }
    hooks.tell(changeOf(record, decided));
    switch (decided.type) {
      case "denied":
        record.error(hooks.withWords(decided.error), {
          denied: true,
          fact: decided.by === "user" ? msg("denied by you") : msg("not allowed"),
          words: { at: 0, text: decided.words },
        });
        return decided.end;
      case "failed":
        return await finishCall(current, {
          output: decided.error,
          metadata: { words: { at: 0, text: decided.words } },
          failed: true,
        });
      case "ready":
        return await finishCall(current, await perform(current, decided));
      default:
        return never(decided);
    }
  } catch (error) {
    if (error instanceof RecordError) throw error;
    // The call stays open: the question comes back with the session.
    if (record.isAsking && isClosing(turn.signal)) return "continue";
    if (turn.signal.aborted) record.error(...abortedBy(turn.signal, record.partial()));
    else if (error instanceof Blocked) {
      record.error(error.message, {
        denied: true,
        fact: msg("denied by you"),
        words: { at: 0, text: msg("You stopped the turn here.") },
      });
      return error.end;
    } else {
      turn.log.bug(error);
      record.error(
        english(`${call.tool} failed inside Rondo: ${error instanceof Error ? error.message : String(error)}`),
      );
    }
    return "continue";
  }
}

async function decide(current: CallInProgress): Promise<Decided> {
  const { turn, config, call, record, hooks } = current;
  try {
    const { tool, args } = findTool(turn, config, call);
    if (tool !== invalid) record.tool = tool.name;
    let input = parseInput(tool, args, call.raw);
    checkMayRun(turn, tool);
    const said = tool === invalid ? noOutcome : await hooks.before();
    if (hooks.end) {
      const error = hooks.end.error?.message ?? "";
      return { type: "denied", error, words: error, by: "others", end: hooks.end };
    }
    if (said.decision === "deny") return notAllowed(hookSays(said.reason));
    if (said.updatedInput) input = replaceInput(record, tool, said.updatedInput);
    let hook: CallToJudge["hook"] = said.decision && { decision: said.decision, reason: said.reason };
    for (;;) {
      const plan = await prepare(current, tool, input);
      const verdict = await askPermission(current, tool, plan, hook);
      if (verdict.type === "forbidden") return notAllowed(verdict.why);
      if (verdict.type === "deny") return refusedByUser(verdict.words);
      const changed = changedInput(verdict, record.input);
      if (!changed) return { type: "ready", tool, plan };
      // The change comes from whoever allowed the call, so it is allowed too, except for protected files.
      input = replaceInput(record, tool, changed);
      hook = { decision: "allow", reason: "" };
    }
  } catch (error) {
    if (error instanceof ToolError) return { type: "failed", error: error.message, words: error.words };
    throw error;
  }
}

function checkMayRun(turn: Turn, tool: Tool): void {
  if (isHarmless(tool)) return;
  if (!turn.host.workspace.trusted) {
    throw new ToolError(
      `This workspace is not trusted, so ${tool.name} is off: nothing may be written or run. Reading and searching work. The user can trust the workspace in the editor.`,
      untrustedWords,
    );
  }
  if (turn.readOnly()) {
    throw new ToolError(
      `The mode is Plan: nothing is changed or run, so ${tool.name} is off. Read, then answer with a plan.`,
      msg("The mode is Plan: nothing is changed or run."),
    );
  }
}

async function prepare(current: CallInProgress, tool: Tool, input: Record<string, unknown>): Promise<ToolPlan> {
  const { turn, config, call, record, deadline } = current;
  const { signal } = deadline;
  const host = turn.permissions.hostFor(turn.host, tool.name, turn.lineage);
  const { callID, messageID } = call;
  const follow = (childID: string) => record.follow(childID);
  const ended = (spent: Spent, edited: readonly string[]) => record.childEnded(spent, edited);
  const delegate: Delegate = (task) => turn.runSubagent({ turn, config, messageID, signal, follow, ended }, task);
  const context = { host, callID, seen: record.seen, signal, delegate, askUser: askUser(current) };
  const plan = await deadline.guard(tool.prepare(input, context));
  record.title = plan.title;
  return plan;
}

/** Tells the model how its call was changed: the conversation keeps it as it was made. */
function changeOf({ tool, input, asked }: CallRecord, { type }: Decided): string {
  if (sameJson(input, asked)) return "";
  const { command } = input;
  const isCommand = typeof command === "string" && command !== asked["command"];
  const what = isCommand ? command : `${tool} ${JSON.stringify(input)}`;
  return type === "ready"
    ? english(`The call was changed before it was allowed. It ran as: ${what}`)
    : english(`The call was changed before that, to: ${what}`);
}

/** Returns `input`, or its replacement if whoever allowed the call has changed it. */
function changedInput(
  allowed: Exclude<Verdict, { type: "deny" } | Forbidden>,
  input: Record<string, unknown>,
): Record<string, unknown> | undefined {
  switch (allowed.type) {
    case "allowed":
    case "once":
    case "always":
      return undefined;
    case "command":
      return { ...input, command: allowed.command };
    case "input":
      return allowed.input;
    default:
      return never(allowed);
  }
}

const maxRefusedRepeats = 3;

/** Makes a repeated call only if the rules or the user allow it, also one that fails before it runs (T6). */
async function guardAgainstRepeats(current: CallInProgress, decided: Decided): Promise<Decided> {
  const { turn, call, record } = current;
  const made = { tool: record.tool, input: record.input, output: undefined };
  if (decided.type === "denied" && decided.end !== "continue") return decided;
  if (!turn.loopDetection.notices(turn.chat, call, made, turn.limits.doomLoopThreshold)) return decided;
  // A call that is denied anyway needs no second question.
  const refusal = decided.type === "denied" ? decided : await askToRepeat(current);
  if (!refusal) {
    turn.loopDetection.pass(call.partID);
    return decided;
  }
  if (turn.loopDetection.refuse() < maxRefusedRepeats || refusal.end !== "continue") return refusal;
  const message = msg("The model kept calling {0} although it was denied.", record.tool);
  const error: ReplyError = { code: "doom-loop", message, next: msg("Say what it should do instead.") };
  return { ...refusal, end: { reason: "blocked", error } };
}

async function perform(current: CallInProgress, { tool, plan }: Decided & { type: "ready" }): Promise<ToolResult> {
  const { turn, call, record, deadline } = current;
  const { messageID, partID } = call;
  const { timeoutMs = turn.limits.toolTimeoutMs } = tool;
  if (plan.writes === "unknown" || plan.writes.length > 0) {
    await turn.checkpoints.ready(plan.writes, deadline.signal);
  }
  record.running(Date.now());
  turn.flush();
  if (timeoutMs !== "own") {
    deadline.limit(
      timeoutMs,
      new ToolError(
        `${tool.name} took longer than ${timeoutMs} ms and was aborted.`,
        msg("It took longer than {0} s and was stopped.", Math.round(timeoutMs / 1000)),
      ),
    );
  }
  const work = plan.run((text, lines) => {
    if (!deadline.signal.aborted) turn.emit({ type: "output", messageID, partID, text, lines });
  });
  try {
    return await cut(turn, call, await deadline.guard(work));
  } catch (error) {
    if (turn.signal.aborted) throw error;
    // The tool may report its own error when its time is over, but the timeout says more.
    const failure = deadline.signal.aborted ? deadline.signal.reason : error;
    if (!(failure instanceof ToolError)) throw error;
    const output = joined(record.partial(), failure.message);
    const words = { at: output.length - failure.message.length, text: failure.words };
    return { output, metadata: { words }, failed: true };
  }
}

/** Most tools shorten long output themselves, because they know what matters; others are cut here (T9). */
async function cut(turn: Turn, { callID }: ToolCall, result: ToolResult): Promise<ToolResult> {
  if (result.metadata.outputFile !== undefined) return result;
  const { output, outputFile } = await shorten(result.output, turn.host.overflow, callID);
  return outputFile === undefined ? result : { ...result, output, metadata: { ...result.metadata, outputFile } };
}

/** Runs the hooks of a call that has run or failed, and stores the result. */
async function finishCall({ record, hooks }: CallInProgress, result: ToolResult): Promise<CallEnd> {
  await hooks.after(result);
  record.done({ ...result, output: hooks.withWords(result.output), metadata: wordsBefore(result, hooks) });
  return hooks.end ?? "continue";
}

/** Keeps what hooks add for the model from people. */
function wordsBefore({ output, metadata }: ToolResult, hooks: CallHooks): CallMetadata {
  if (metadata.words || hooks.withWords("") === "") return metadata;
  return { ...metadata, words: { at: output.length, text: "" } };
}

/** Returns the output of a stopped call and the sentence that it was stopped; the record says why. */
function abortedBy(signal: AbortSignal, output: string): [error: string, metadata: CallMetadata] {
  const { reason } = signal;
  const why = reason instanceof Error && reason.message !== "" ? reason.message : english("Stopped");
  const sentence = output === "" ? abortedText : `${abortedText}: ${why}`;
  const error = joined(output, sentence);
  const people = stopWords(signal) ?? { sentence: `${why.replace(/\.$/, "")}.`, fact: why.toLowerCase() };
  return [error, { fact: people.fact, words: { at: error.length - sentence.length, text: people.sentence } }];
}

function joined(output: string, sentence: string): string {
  return output === "" ? sentence : `${output}\n\n${sentence}`;
}
