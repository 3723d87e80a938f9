/** Open questions of a run, answered by the caller's `canUseTool`. */
import type { Chat } from "../chat/apply.ts";
import type { PermissionRequest, Rule } from "../chat/requests.ts";
import type { Answer } from "../loop/permissions/permission.ts";
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

/** Follows the questions of a session: `asked` and `answered` are to be called with its events. */
export function askCaller({ chat, canUseTool, answer, setMode, stop, note }: Asker) {
  /** Questions that the caller thinks about. */
  const open = new Map<string, AbortController>();

  async function ask(request: PermissionRequest, signal: AbortSignal): Promise<void> {
    const { id, tool, callID, permission, patterns, reason, always } = request;
    const outside = permission === "external_directory" ? patterns[0] : undefined;
    const child = request.sessionID === chat.session.id ? undefined : request.sessionID;
    let result: PermissionResult;
    try {
      result = await canUseTool(tool, inputOf(chat, request), {
        signal,
        suggestions: always.length > 0 ? [toUpdate(always)] : [],
        ...(outside !== undefined && { blockedPath: outside }),
        decisionReason: reason,
        toolUseID: callID,
        ...(child !== undefined && { agentID: child }),
      });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      note(`canUseTool failed, so the call is denied: ${why}`);
      result = { behavior: "deny", message: `It could not be asked whether this is allowed: ${why}` };
    }
    if (signal.aborted) return;
    settle(id, result);
  }

  function settle(id: string, result: PermissionResult): void {
    if (result.behavior === "deny") {
      answer(id, { type: "deny", words: result.message.trim() || "Not allowed." });
      if (result.interrupt) stop();
      return;
    }
    const rules = (result.updatedPermissions ?? []).flatMap(toRules);
    const { updatedInput } = result;
    if (rules.length > 0 && updatedInput === undefined) answer(id, { type: "always", rules });
    else answer(id, { type: "once", ...(updatedInput && { input: updatedInput }) });
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
    note(`The update of permissions ${update.type} does not apply here and is passed over.`);
    return [];
  }

  return {
    asked(request: PermissionRequest): void {
      if (request.permission === "budget") {
        // Money is the caller's to give beforehand: as where nobody is there to ask.
        queueMicrotask(() => answer(request.id, { type: "deny", words: "" }));
        return;
      }
      const controller = new AbortController();
      open.set(request.id, controller);
      void ask(request, controller.signal);
    },
    answered(requestID: string): void {
      open.get(requestID)?.abort();
      open.delete(requestID);
    },
  };
}

function inputOf(chat: Chat, { sessionID, messageID, partID }: PermissionRequest): Record<string, unknown> {
  const from = sessionID === chat.session.id ? chat : findChild(chat, sessionID);
  const entry = from?.messages.findLast(({ info }) => info.id === messageID);
  const part = entry?.parts.find(({ id }) => id === partID);
  return part?.type === "tool" ? part.state.input : {};
}

/** Subagents have subagents. */
function findChild(chat: Chat, sessionID: string): Chat | undefined {
  const own = chat.children[sessionID];
  if (own) return own;
  for (const child of Object.values(chat.children)) {
    const found = findChild(child, sessionID);
    if (found) return found;
  }
  return undefined;
}

function toUpdate(rules: readonly Rule[]): PermissionUpdate {
  return {
    type: "addRules",
    rules: rules.map(({ permission, pattern }) => ({ toolName: permission, ruleContent: pattern })),
    behavior: "allow",
    destination: "session",
  };
}
