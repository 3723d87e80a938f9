/** Describes the state of the chat in one line. */

import { never } from "../../src/base/never.ts";
import type { Chat, Entry } from "../../src/chat/apply.ts";
import type { SessionInfo, TurnEnded } from "../../src/chat/events.ts";
import type { ToolPart } from "../../src/chat/message.ts";
import type { Readiness } from "../../src/chat/model-views.ts";
import { counted, t } from "../../src/l10n/l10n.ts";
import { toolKindOf, toolLineOf } from "../calls/tool-line.ts";
import type { IconName } from "../controls/icons.ts";
import { lastShown } from "../conversation/message-groups.ts";
import { elapsed } from "../text/format.ts";

interface StatusLine {
  kind: "idle" | "busy" | "asks" | "stalled" | "retry" | "stopped";
  glyph: IconName;
  /** Changes only with the state; screen readers read it. */
  words: string;
  /** A duration that counts up or down; empty if there is none. */
  time: string;
}

/** `questions`: number of open questions, including those of subagents; `now`: ms since 1970. */
export function statusOf(chat: Chat, readiness: Readiness, questions: number, now: number): StatusLine {
  const { status } = chat;
  if (questions > 0) {
    const words = questions > 1 ? t("Waiting for you · 1 of {0}", questions) : t("Waiting for you");
    return { kind: "asks", glyph: "question", words, time: "" };
  }
  switch (status.type) {
    case "retry":
      return {
        kind: "retry",
        glyph: "history",
        words: t("Retrying"),
        time: ` ${t("in {0}|time", elapsed(status.nextAt - now))}`,
      };
    case "busy":
      return busyLine(chat, status.since, now);
    case "idle":
      return idleLine(chat, readiness);
    default:
      return never(status);
  }
}

function busyLine(chat: Chat, since: number, now: number): StatusLine {
  const { silentSince } = chat;
  if (silentSince !== undefined) {
    return {
      kind: "stalled",
      glyph: "watch",
      words: t("Not responding"),
      time: ` ${t("for {0}|time", elapsed(now - silentSince))}`,
    };
  }
  const tool = openTool(chat);
  const start = tool?.state.status === "running" ? tool.state.start : since;
  return { kind: "busy", glyph: "loading", words: doing(chat, tool), time: ` · ${elapsed(now - start)}` };
}

/** Returns the newest running call, or else the newest one that is still being written. */
function openTool(chat: Chat): ToolPart | undefined {
  const parts = chat.messages.at(-1)?.parts ?? [];
  return (
    parts.findLast((part): part is ToolPart => part.type === "tool" && part.state.status === "running") ??
    parts.findLast((part): part is ToolPart => part.type === "tool" && part.state.status === "pending")
  );
}

function doing(chat: Chat, tool: ToolPart | undefined): string {
  if (tool?.state.status === "running") {
    const { verb, object } = toolLineOf(tool, false, chat.session.cwd);
    return `${verb} ${object}`.trim();
  }
  if (tool) return toolKindOf(tool.tool) === "edit" ? t("Writing an edit") : t("Preparing a call");
  const last = chat.messages.at(-1);
  if (last && isCompaction(last)) return t("Compacting");
  const answering = last?.info.role === "assistant" && last.parts.at(-1)?.type === "text";
  return answering ? t("Answering") : t("Thinking|now");
}

function isCompaction({ info, parts }: Entry): boolean {
  return info.role === "assistant" ? info.summary === true : parts.some((part) => part.type === "compaction");
}

function idleLine(chat: Chat, readiness: Readiness): StatusLine {
  const { ended } = chat;
  if (ended) {
    const done = ended.reason === "end_turn";
    const words = done
      ? t("Done in {0} · {1}", elapsed(ended.durationMs), counted(ended.steps, "{0} step", "{0} steps"))
      : endedWords(ended);
    if (done) return { kind: "idle", glyph: "check", words, time: "" };
    return { kind: "stopped", glyph: ended.reason === "error" ? "error" : "debug-stop", words, time: "" };
  }
  const last = lastShown(chat.messages)?.info;
  if (last?.role === "assistant" && last.error) {
    return { kind: "stopped", glyph: "error", words: t("Stopped by an error"), time: "" };
  }
  // The window was closed or reloaded during the turn, so there is no event of its end.
  if (last && (last.role === "user" || last.finish === "interrupted" || last.finish === "tool-calls")) {
    const by = chat.session.terminated?.by ?? "process";
    return { kind: "stopped", glyph: by === "error" ? "error" : "debug-stop", words: markWords[by], time: "" };
  }
  if (readiness.type === "no-key") {
    return { kind: "idle", glyph: "debug-disconnect", words: t("No model connected"), time: "" };
  }
  return { kind: "idle", glyph: "circle-small-filled", words: t("Ready"), time: "" };
}

/** Without an event of the end, the record tells how it was. */
const markWords: Record<NonNullable<SessionInfo["terminated"]>["by"], string> = {
  process: t("Interrupted"),
  memory: t("Ended"),
  stop: t("Stopped by you"),
  "time-limit": t("Stopped: reached the time limit"),
  "turn-limit": t("Stopped: reached the limit of replies"),
  budget: t("Stopped: the budget is used up"),
  error: t("Stopped by an error"),
};

function endedWords({ reason, steps, error }: TurnEnded): string {
  switch (reason) {
    case "end_turn":
      return t("Done");
    case "max_turns":
      return t("Stopped: reached the limit of {0}", counted(steps, "{0} step", "{0} steps"));
    case "error_max_budget_usd":
      return error?.code === "price-unknown" ? t("Stopped: the price is unknown") : markWords.budget;
    case "interrupted":
    case "aborted":
      return markWords.stop;
    case "max_tokens":
      return t("Stopped: the reply hit the token limit");
    case "blocked":
      if (error?.code === "hook") return t("Stopped by a hook");
      return error?.code === "doom-loop" ? t("Stopped: the model repeated itself") : t("Stopped: you denied a step");
    case "error":
      return error?.code === "execution-timeout" ? markWords["time-limit"] : markWords.error;
    default:
      return never(reason);
  }
}
