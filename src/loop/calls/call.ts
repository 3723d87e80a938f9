/** A tool call: repair, parse, hook, plan, ask, run, finish (spec T4). Every call ends with exactly one result. */
import { findEntry } from "../../chat/apply.ts";
import { denialWords, untrustedWords } from "../../chat/call-words.ts";
import { newID } from "../../chat/ids.ts";
import { sameJson } from "../../chat/json.ts";
import type { CallMetadata } from "../../chat/message.ts";
import { never } from "../../chat/never.ts";
import { loopTitle } from "../../chat/request-titles.ts";
import type { ChoicesRequest, PermissionRequest } from "../../chat/requests.ts";
import type { Spent } from "../../chat/spent.ts";
import { isClosing } from "../../chat/stopped.ts";
import { invalid } from "../../tools/invalid.ts";
import { shorten } from "../../tools/text/truncate.ts";
import {
  type AskUser,
  askUserName,
  type Delegate,
  isHarmless,
  nobodyToAsk,
  type PermissionRequirement,
  type Tool,
  ToolError,
  type ToolPlan,
  type ToolResult,
} from "../../tools/tool.ts";
import { noOutcome } from "../hooks.ts";
import { Withdrawn } from "../permissions/open-requests.ts";
import { partsOf } from "../permissions/parts.ts";
import type { CallToJudge, Forbidden, Verdict } from "../permissions/permissions.ts";
import { needsOwnRule } from "../permissions/rules.ts";
import type { ToolCall } from "../reply/reply-sink.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import { RecordError } from "../storage.ts";
import type { Turn, TurnEnd } from "../turn.ts";
import { Blocked } from "./blocked.ts";
import { CallHooks, hookSays } from "./call-hooks.ts";
import { findTool, parseInput, replaceInput } from "./call-input.ts";
import { CallRecord } from "./call-record.ts";
import { abortedText } from "./close-calls.ts";
import { Deadline } from "./deadline.ts";

/** Whether the turn continues: hooks and the user's denial without a reason end it (T7). */
export type CallEnd = "continue" | TurnEnd;

/** The end of a reopened turn whose question would not come back: by now the rules allow or deny its call. */
export const unasked: TurnEnd = { reason: "interrupted", error: undefined };

interface CallInProgress {
  turn: Turn;
  config: AgentConfig;
  call: ToolCall;
  record: CallRecord;
  hooks: CallHooks;
  deadline: Deadline;
  /** Whether only an answer of the user decides: opening a session runs nothing. */
  mustAsk: boolean;
}

/** The decision about a call before it runs. */
type Decided =
  | { type: "ready"; tool: Tool; plan: ToolPlan }
  | { type: "failed"; error: string; words: string }
  | Denied;

interface Denied {
  type: "denied";
  error: string;
  /** For people. */
  words: string;
  by: "user" | "others";
  end: CallEnd;
}

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
          fact: decided.by === "user" ? "denied by you" : "not allowed",
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
        fact: "denied by you",
        words: { at: 0, text: "You stopped the turn here." },
      });
      return error.end;
    } else {
      turn.log.bug(error);
      record.error(`${call.tool} failed inside Rondo: ${error instanceof Error ? error.message : String(error)}`);
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
    if (said.decision === "deny") return denied(hookSays(said.reason));
    if (said.updatedInput) input = replaceInput(record, tool, said.updatedInput);
    let hook: CallToJudge["hook"] = said.decision && { decision: said.decision, reason: said.reason };
    for (;;) {
      const plan = await prepare(current, tool, input);
      const verdict = await askPermission(current, callToJudge(current, tool, plan, hook));
      if (verdict.type === "forbidden") return denied(verdict.why);
      if (verdict.type === "deny") return refused(verdict.words);
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
      "The mode is Plan: nothing is changed or run.",
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

function askUser({ turn, call, record }: CallInProgress): AskUser {
  const { permissions } = turn;
  if (!permissions.attended) return nobodyToAsk;
  return async (questions) => {
    const request = { kind: "choices", id: newID("per"), ...idsOf(turn, call), tool: record.tool, questions } as const;
    try {
      const ask = () => permissions.requests.ask<ChoicesRequest>(request, { signal: turn.signal });
      keepQuestion(turn, record);
      const answer = await turn.untimed(ask);
      record.isAsking = false;
      if (answer.type === "chosen") return answer.choices;
      if (answer.words === "") return undefined;
      throw new ToolError(
        `The user did not choose, and says: ${answer.words}`,
        `You answered in your own words: “${answer.words}”`,
      );
    } catch (error) {
      throw error instanceof Withdrawn ? new Blocked(error.message) : error;
    }
  };
}

/** Records that the user is asked. Not for a subagent: its call has no meaning without the call that has started it. */
function keepQuestion(turn: Turn, record: CallRecord): void {
  if (!turn.permissions.attended || turn.lineage.length > 1) return;
  record.asks();
  turn.flush();
}

function idsOf(turn: Turn, { messageID, partID, callID }: ToolCall) {
  return { sessionID: turn.chat.session.id, messageID, partID, callID };
}

/** Tells the model how its call was changed: the conversation keeps it as it was made. */
function changeOf({ tool, input, asked }: CallRecord, { type }: Decided): string {
  if (sameJson(input, asked)) return "";
  const { command } = input;
  const isCommand = typeof command === "string" && command !== asked["command"];
  const what = isCommand ? command : `${tool} ${JSON.stringify(input)}`;
  return type === "ready"
    ? `The call was changed before it was allowed. It ran as: ${what}`
    : `The call was changed before that, to: ${what}`;
}

function callToJudge(current: CallInProgress, tool: Tool, plan: ToolPlan, hook: CallToJudge["hook"]): CallToJudge {
  const { turn, call, record } = current;
  const { lineage, permissions } = turn;
  const judged = (need: PermissionRequirement) => permissions.judge(need, tool.name, lineage);
  const preview =
    plan.preview.type === "command" ? { ...plan.preview, parts: partsOf(plan.requires, judged) } : plan.preview;
  return {
    ...idsOf(turn, call),
    tool: tool.name,
    title: plan.preview.type === "command" ? commandTitle(plan) : `${plan.title}?`,
    preview,
    input: record.input,
    requires: isSilent(turn, call) ? plan.requires.map((need) => notesNeed(turn, need)) : plan.requires,
    lineage,
    effects: plan.effects,
    hook,
  };
}

function commandTitle({ requires }: ToolPlan): string {
  return requires.some(needsOwnRule) ? "Run this command outside the sandbox?" : "Run this command?";
}

function isSilent(turn: Turn, { messageID }: ToolCall): boolean {
  return findEntry(turn.chat, messageID)?.info.silent === true;
}

/** Replaces the requirement for the memory file: in a silent turn it does not count as protected (C5). */
function notesNeed(turn: Turn, need: PermissionRequirement): PermissionRequirement {
  const path = turn.project().memory?.path;
  if (need.permission !== "edit" || need.pattern !== path) return need;
  return { ...need, permission: "memory", suggestedRule: need.pattern, protection: "none" };
}

async function askPermission({ turn, hooks, record }: CallInProgress, call: CallToJudge): Promise<Verdict> {
  const started = Date.now();
  let asked: PermissionRequest | undefined;
  const before = async (request: PermissionRequest) => {
    const verdict = await hooks.beforeAsking(request);
    if (verdict) return verdict;
    asked = request;
    hooks.notify(`Rondo asks: ${request.title}`);
    keepQuestion(turn, record);
    return undefined;
  };
  const verdict = await turn.untimed(() => turn.permissions.allow(call, before, turn.signal));
  record.isAsking = false;
  record.decision = {
    outcome: verdict.type === "forbidden" || verdict.type === "deny" ? "denied" : "allowed",
    why: "why" in verdict ? verdict.why : (asked?.reason ?? "Decided by a hook."),
    question: asked?.title,
    waitedMs: Date.now() - started,
  };
  return verdict;
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

function refused(words: string): Denied {
  const said = words.trim();
  const denial = { type: "denied", words: denialWords(said), by: "user" } as const;
  if (said !== "") return { ...denial, error: `The user refused this call and says: ${said}`, end: "continue" };
  const error = "The user refused this call and stopped the turn.";
  return { ...denial, error, end: { reason: "blocked", error: undefined } };
}

function denied(why: string): Denied {
  const error = `Not allowed: ${why} Choose another way, or tell the user what you would need.`;
  return { type: "denied", error, words: why.replace("A hook of the user", "A hook"), by: "others", end: "continue" };
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
  const message = `The model kept calling ${record.tool} although it was denied.`;
  const error = { code: "doom-loop", message, next: "Say what it should do instead." };
  return { ...refusal, end: { reason: "blocked", error } };
}

async function askToRepeat({ turn, call, record, hooks }: CallInProgress): Promise<Denied | undefined> {
  const { tool, input } = record;
  const repeated = { ...idsOf(turn, call), tool, input, lineage: turn.lineage };
  const notify = () => {
    hooks.notify(`Rondo asks: ${loopTitle}`);
    keepQuestion(turn, record);
  };
  const verdict = await turn.untimed(() => turn.permissions.allowRepeat(repeated, notify, turn.signal));
  record.isAsking = false;
  switch (verdict.type) {
    case "continue":
    case "always":
      return undefined;
    case "hint":
      return refused(verdict.words);
    case "stop":
      return refused("");
    case "forbidden":
      return denied(verdict.why);
    default:
      return never(verdict);
  }
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
        `It took longer than ${Math.round(timeoutMs / 1000)} s and was stopped.`,
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
function abortedBy({ reason }: AbortSignal, output: string): [error: string, metadata: CallMetadata] {
  const why = reason instanceof Error && reason.message !== "" ? reason.message : "Stopped";
  const sentence = output === "" ? abortedText : `${abortedText}: ${why}`;
  const error = joined(output, sentence);
  const words = { at: error.length - sentence.length, text: `${why.replace(/\.$/, "")}.` };
  return [error, { fact: why.toLowerCase(), words }];
}

function joined(output: string, sentence: string): string {
  return output === "" ? sentence : `${output}\n\n${sentence}`;
}
