/** The chats of subagents, a tree under the chat on screen. */
import type { Chat } from "../../src/chat/apply.ts";
import type { ChatEvent } from "../../src/chat/events.ts";
import type { ToolPart } from "../../src/chat/message.ts";
import type { LoopRequest, PermissionRequest, UserRequest } from "../../src/chat/requests.ts";
import { totalTokens } from "../conversation/message-groups.ts";
import { toolLineOf } from "./tool-line.ts";

/** Puts a subagent's chat below its parent, or below the root if the parent is unknown. */
export function placeChild(root: Chat, child: Chat): void {
  const parent = child.session.parentID === undefined ? undefined : findChat(root, child.session.parentID);
  (parent ?? root).children[child.session.id] = child;
}

function findChat(chat: Chat, sessionID: string): Chat | undefined {
  if (chat.session.id === sessionID) return chat;
  for (const child of Object.values(chat.children)) {
    const found = findChat(child, sessionID);
    if (found) return found;
  }
  return undefined;
}

/** Returns the open questions of a chat and of all its subagents, each once. */
export function requestsOf(chat: Chat): UserRequest[] {
  const all = [chat.requests, ...Object.values(chat.children).map(requestsOf)].flat();
  return [...new Map(all.map((request) => [request.id, request])).values()];
}

/** Returns how many other questions ask for the same: one answer is enough for all. */
export function equalTo(request: PermissionRequest, all: readonly UserRequest[]): number {
  const signature = ({ permission, patterns, tool, title, preview }: PermissionRequest) =>
    JSON.stringify([permission, patterns, tool, title, preview]);
  return all.filter(
    (other) => other.kind === "permission" && other.id !== request.id && signature(other) === signature(request),
  ).length;
}

export function isAbout(request: UserRequest, { id }: ToolPart): boolean {
  return "partID" in request && request.partID === id;
}

export function asksIn(chat: Chat, requests: readonly UserRequest[]): boolean {
  return requests.some((request) => findChat(chat, request.sessionID) !== undefined);
}

/** Returns the name of the subagent that asks; undefined if the chat itself asks. */
export function askerOf(root: Chat, { sessionID }: UserRequest): string | undefined {
  if (sessionID === root.session.id) return undefined;
  return findChat(root, sessionID)?.messages[0]?.info.agent ?? "unknown";
}

/** The work of a subagent so far, including its own subagents. */
export interface SubagentWork {
  steps: number;
  tokens: number;
  /** In USD. `partial`: some replies are not included because their price is unknown. */
  cost: number;
  partial: boolean;
}

export function workOf(chat: Chat): SubagentWork {
  const work: SubagentWork = { steps: 0, tokens: 0, cost: 0, partial: false };
  for (const { info } of chat.messages) {
    if (info.role !== "assistant") continue;
    work.steps++;
    work.tokens += totalTokens(info.tokens);
    work.cost += info.cost ?? 0;
    work.partial ||= info.cost === undefined && info.completedAt !== undefined;
  }
  for (const below of Object.values(chat.children).map(workOf)) {
    work.tokens += below.tokens;
    work.cost += below.cost;
    work.partial ||= below.partial;
  }
  return work;
}

/** Describes the repeated call that loop detection asks about, how often it was made in the turn, and when the last three of them began (undefined: waits). */
export function repeated(
  root: Chat,
  request: LoopRequest,
): { verb: string; object: string; times: number; starts: (number | undefined)[] } | undefined {
  const chat = findChat(root, request.sessionID);
  if (!chat) return undefined;
  const start = chat.messages.findLastIndex(({ info }) => info.role === "user");
  const calls = chat.messages.slice(start + 1).flatMap(({ parts }) => parts.filter((part) => part.type === "tool"));
  const call = calls.find(({ id }) => id === request.partID);
  if (!call) return undefined;
  const signature = (part: ToolPart) => `${part.tool} ${JSON.stringify(part.state.input)}`;
  const equal = calls.filter((other) => signature(other) === signature(call));
  const { verb, object } = toolLineOf(call, true, chat.session.cwd);
  const starts = equal.slice(-3).map(({ state }) => ("start" in state ? state.start : undefined));
  return { verb, object, times: equal.length, starts };
}

export function newestCalls(chat: Chat, most: number): ToolPart[] {
  const calls: ToolPart[] = [];
  for (let at = chat.messages.length - 1; at >= 0 && calls.length < most; at--) {
    const parts = chat.messages[at]?.parts.filter((part): part is ToolPart => part.type === "tool") ?? [];
    calls.unshift(...parts.slice(-(most - calls.length)));
  }
  return calls;
}

/**
 * Merges consecutive deltas of one part into one event, because each applied event has a cost. Events of different
 * sessions are independent, so deltas are merged although those of several subagents alternate.
 */
export function joinDeltas(events: readonly ChatEvent[]): ChatEvent[] {
  const all: ChatEvent[] = [];
  const newest = new Map<string, number>();
  for (const event of events) {
    const session = sessionOf(event);
    const at = newest.get(session);
    const before = at === undefined ? undefined : all[at];
    const both = before && mergeDeltas(before, event);
    if (at !== undefined && both) all[at] = both;
    else newest.set(session, all.push(event) - 1);
  }
  return all;
}

/** Returns the innermost session that an event is about; empty for the chat on screen. */
function sessionOf(event: ChatEvent): string {
  return event.type === "child" ? sessionOf(event.event) || event.sessionID : "";
}

function mergeDeltas(a: ChatEvent, b: ChatEvent): ChatEvent | undefined {
  if (a.type === "delta" && b.type === "delta") {
    return a.partID === b.partID ? { ...a, text: a.text + b.text } : undefined;
  }
  if (a.type !== "child" || b.type !== "child") return undefined;
  const event = mergeDeltas(a.event, b.event);
  return event && { ...a, event };
}
