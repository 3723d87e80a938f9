/** Requests of a run, answered by the caller's `canUseTool`. */

import { never } from "../base/never.ts";
import { type Chat, findChild } from "../chat/apply.ts";
import { answerOfProgram, isAboutCall } from "../chat/request-kinds.ts";
import type { Answer, CallRequest, Rule, UserRequest } from "../chat/requests.ts";
import { english, msg } from "../l10n/l10n.ts";
import { toRule } from "./caller-rules.ts";
import type { CanUseTool, PermissionMode, PermissionResult, PermissionUpdate } from "./query-types.ts";

interface Asker {
  chat: Chat;
  canUseTool: CanUseTool;
  answer(requestID: string, answer: Answer): void;
  setMode(mode: PermissionMode): void;
  stop(): void;
  note(sentence: string): void;
}

/** Follows the requests of a session: call `asked` and `answered` with its events. */
export function askCaller({ chat, canUseTool, answer, setMode, stop, note }: Asker) {
  /** By the request's id: aborted when the caller need not answer any more. */
  const open = new Map<string, AbortController>();

  async function ask(request: CallRequest, signal: AbortSignal): Promise<void> {
    const { tool, callID } = request;
    const always = "always" in request ? request.always : [];
    const rules = always.map(({ permission, pattern }) => ({ toolName: permission, ruleContent: pattern }));
    const reason = "reason" in request ? request.reason : "";
    const isOutside = request.kind === "permission" && request.permission === "external_directory";
    const outside = isOutside ? request.patterns[0] : undefined;
    const child = request.sessionID === chat.session.id ? undefined : request.sessionID;
    let result: PermissionResult;
    try {
      result = await canUseTool(tool, inputOf(chat, request), {
        signal,
        suggestions: rules.length > 0 ? [{ type: "addRules", rules, behavior: "allow", destination: "session" }] : [],
        ...(outside !== undefined && { blockedPath: outside }),
        decisionReason: reason,
        toolUseID: callID,
        ...(child !== undefined && { agentID: child }),
      });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      note(msg("canUseTool failed, so the call is denied: {0}", why));
      result = { behavior: "deny", message: english(`It could not be asked whether this is allowed: ${why}`) };
    }
    if (signal.aborted) return;
    answer(request.id, answerTo(request, result));
    if (result.behavior === "deny" && result.interrupt) stop();
  }

  function answerTo({ kind }: CallRequest, result: PermissionResult): Answer {
    const isDenied = result.behavior === "deny";
    const words = isDenied ? result.message.trim() || english("Not allowed.") : "";
    const rules = isDenied ? [] : (result.updatedPermissions ?? []).flatMap(toRules);
    const input = isDenied ? undefined : result.updatedInput;
    const isAlways = rules.length > 0 && input === undefined;
    switch (kind) {
      case "permission":
        if (isDenied) return { kind, type: "deny", words };
        if (isAlways) return { kind, type: "always", rules };
        return input ? { kind, type: "input", input } : { kind, type: "once" };
      case "loop":
        if (isDenied) return { kind, type: "hint", words };
        return isAlways ? { kind, type: "always", rules } : { kind, type: "continue" };
      case "choices":
        // The questions of the model have no field of their own in `canUseTool`.
        return { kind, type: "skip", words: isDenied ? words : english("No answer.") };
      default:
        return never(kind);
    }
  }

  function toRules(update: PermissionUpdate): Rule[] {
    if (update.type === "setMode") {
      setMode(update.mode);
      return [];
    }
    if (update.type === "addRules" && update.behavior === "allow") {
      return update.rules.map(({ toolName, ruleContent }) => ({
        ...toRule(toolName, "allow"),
        ...(ruleContent !== undefined && { pattern: ruleContent }),
      }));
    }
    note(msg("The update of permissions {0} does not apply here and is ignored.", update.type));
    return [];
  }

  return {
    asked(request: UserRequest): void {
      if (isAboutCall(request)) {
        const controller = new AbortController();
        open.set(request.id, controller);
        void ask(request, controller.signal);
        return;
      }
      const own = answerOfProgram(request);
      if (own !== "stays") queueMicrotask(() => answer(request.id, own));
    },
    answered(requestID: string): void {
      open.get(requestID)?.abort();
      open.delete(requestID);
    },
  };
}

function inputOf(chat: Chat, { sessionID, messageID, partID }: CallRequest): Record<string, unknown> {
  const from = sessionID === chat.session.id ? chat : findChild(chat, sessionID);
  const entry = from?.messages.findLast(({ info }) => info.id === messageID);
  const part = entry?.parts.find(({ id }) => id === partID);
  return part?.type === "tool" ? part.state.input : {};
}
