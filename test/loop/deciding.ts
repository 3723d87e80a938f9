/** Rules, a mode and questions as a session has them, for tests of what they decide about a call. */
import type { ChatEvent } from "../../src/chat/events.ts";
import type { PermissionMode } from "../../src/chat/permission-mode.ts";
import type { Rule } from "../../src/chat/requests.ts";
import { OpenRequests } from "../../src/loop/permissions/open-requests.ts";
import { type BeforeAsking, type CallToJudge, Permissions } from "../../src/loop/permissions/permissions.ts";
import type { PermissionRequirement } from "../../src/tools/tool.ts";

export const rule = (permission: string, pattern: string, action: Rule["action"]): Rule => ({
  permission,
  pattern,
  action,
});
export const once = { kind: "permission", type: "once" } as const;

export function need(
  permission: string,
  pattern: string,
  more: Partial<PermissionRequirement> = {},
): PermissionRequirement {
  return {
    permission,
    pattern,
    suggestedRule: `${pattern} *`,
    match: "pattern",
    protection: "none",
    effect: "",
    ...more,
  };
}

export const about = { sessionID: "s", messageID: "m", partID: "p", callID: "c", tool: "bash", lineage: [] };

/** Decides with the given rules and mode, which a test may change. */
export function deciding({
  attended = true,
  mode = "default" as PermissionMode,
  user = [] as Rule[],
  lookPatienceMs = undefined as number | undefined,
} = {}) {
  const events: ChatEvent[] = [];
  const kept: Rule[] = [];
  const used: Rule[] = [];
  const requests = new OpenRequests(
    (event) => void events.push(event),
    (rules) => void kept.push(...rules),
  );
  const book = { mode, user, workspace: kept };
  const note = (one: Rule) => void used.push(one);
  const permissions = new Permissions({ requests, book: () => book, used: note, attended, lookPatienceMs });
  const asked = () => events.flatMap((event) => (event.type === "asked" ? [event.request] : []));
  return { permissions, requests, events, kept, used, book, asked };
}

export const call = (requires: PermissionRequirement[], more: Partial<CallToJudge> = {}): CallToJudge => ({
  ...about,
  title: "Run it?",
  preview: { type: "text", text: "" },
  input: { command: "x" },
  requires,
  hook: undefined,
  ...more,
});
export const silent: BeforeAsking = async () => undefined;
export const { signal } = new AbortController();
