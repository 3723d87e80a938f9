/** Asks the user about a call: whether it may run, whether it may be repeated, and what the tool itself asks. */

import { newID } from "../../base/ids.ts";
import { never } from "../../base/never.ts";
import { findEntry } from "../../chat/apply.ts";
import { loopTitle } from "../../chat/request-kinds.ts";
import type { ChoicesRequest, PermissionRequest } from "../../chat/requests.ts";
import { english, msg } from "../../l10n/l10n.ts";
import {
  type AskUser,
  nobodyToAsk,
  type PermissionRequirement,
  type Tool,
  ToolError,
  type ToolPlan,
} from "../../tools/tool.ts";
import { Withdrawn } from "../permissions/open-requests.ts";
import { partsOf } from "../permissions/parts.ts";
import type { CallToJudge, Verdict } from "../permissions/permissions.ts";
import { needsOwnRule } from "../permissions/rules.ts";
import type { ToolCall } from "../reply/reply-sink.ts";
import type { Turn } from "../turn.ts";
import { Blocked } from "./blocked.ts";
import type { CallInProgress } from "./call-in-progress.ts";
import type { CallRecord } from "./call-record.ts";
import { type DeniedCall, notAllowed, refusedByUser } from "./denied-call.ts";

/** Decides by rules and hooks; asks the user where they do not. */
export async function askPermission(
  current: CallInProgress,
  tool: Tool,
  plan: ToolPlan,
  hook: CallToJudge["hook"],
): Promise<Verdict> {
  const { turn, hooks, record } = current;
  const started = Date.now();
  let asked: PermissionRequest | undefined;
  const before = async (request: PermissionRequest) => {
    const verdict = await hooks.beforeAsking(request);
    if (verdict) return verdict;
    asked = request;
    hooks.notify(english(`Rondo asks: ${request.title}`));
    keepQuestion(turn, record);
    return undefined;
  };
  const verdict = await turn.untimed(() =>
    turn.permissions.allow(callToJudge(current, tool, plan, hook), before, turn.signal),
  );
  record.isAsking = false;
  record.decision = {
    outcome: verdict.type === "forbidden" || verdict.type === "deny" ? "denied" : "allowed",
    why: "why" in verdict ? verdict.why : (asked?.reason ?? msg("Decided by a hook.")),
    question: asked?.title,
    waitedMs: Date.now() - started,
  };
  return verdict;
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
    title: plan.preview.type === "command" ? commandTitle(plan) : msg("{0}?", plan.title),
    preview,
    input: record.input,
    requires: isSilent(turn, call) ? plan.requires.map((need) => notesNeed(turn, need)) : plan.requires,
    lineage,
    effects: plan.effects,
    hook,
  };
}

function commandTitle({ requires }: ToolPlan): string {
  return requires.some(needsOwnRule) ? msg("Run this command outside the sandbox?") : msg("Run this command?");
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

/** Returns undefined if the rules or the user allow the repetition. */
export async function askToRepeat({ turn, call, record, hooks }: CallInProgress): Promise<DeniedCall | undefined> {
  const { tool, input } = record;
  const repeated = { ...idsOf(turn, call), tool, input, lineage: turn.lineage };
  const notify = () => {
    hooks.notify(english(`Rondo asks: ${loopTitle}`));
    keepQuestion(turn, record);
  };
  const verdict = await turn.untimed(() => turn.permissions.allowRepeat(repeated, notify, turn.signal));
  record.isAsking = false;
  switch (verdict.type) {
    case "continue":
    case "always":
      return undefined;
    case "hint":
      return refusedByUser(verdict.words);
    case "stop":
      return refusedByUser("");
    case "forbidden":
      return notAllowed(verdict.why);
    default:
      return never(verdict);
  }
}

/** Returns how the tool itself asks the user. */
export function askUser({ turn, call, record }: CallInProgress): AskUser {
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
        msg("You answered in your own words: “{0}”", answer.words),
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
