/** A chat is the fold of its events: only `apply` changes one, in the host, in the panel and on replay. */

import { never } from "../base/never.ts";
import type {
  BackgroundCommand,
  ChatEvent,
  PieceState,
  Prefix,
  Pruned,
  Queued,
  SessionInfo,
  Status,
  TurnEnded,
} from "./events.ts";
import type { Message, Part, ToolDefinition } from "./message.ts";
import type { UserRequest } from "./requests.ts";
import type { ReviewDecision } from "./review-decisions.ts";
import { addSpent, nothingSpent, type Spent, spentOn, spentOnEntries } from "./spent.ts";

export interface Entry {
  info: Message;
  parts: Part[];
}

export interface Chat {
  session: SessionInfo;
  messages: Entry[];
  status: Status;
  requests: UserRequest[];
  queue: Queued[];
  /** See the event `pruned` (C6). */
  pruned: Pruned | undefined;
  /** Parts that the user has pinned or dropped, by id (C8). */
  pieces: Readonly<Record<string, PieceState>>;
  prefix: Prefix | undefined;
  /** What the model knows by topic, and the tools that are defined for it: from the prefix and from later messages. */
  told: Readonly<Record<string, string>>;
  tools: readonly ToolDefinition[];
  /** Ids of the newest messages whose thoughts, or images, later requests leave out, with all before them. */
  unbound: string | undefined;
  imageless: string | undefined;
  /** Messages that a rewind removed, oldest first; dropped for good with the next message. */
  setAside: Entry[];
  /** The newest decisions of the user about changes, oldest first; those that were told are named by parts. */
  decisions: readonly ReviewDecision[];
  /** Spending on replies that are in no message: dropped, removed for good, or for the title. */
  charged: Spent;
  background: readonly BackgroundCommand[];
  /** Time of the last byte from the model when it is silent, in ms since 1970 (H6). */
  silentSince: number | undefined;
  /** Chats of subagents by session id, as far as they were followed live or loaded. */
  children: Record<string, Chat>;
  /** The end of the last turn in this window. */
  ended: TurnEnded | undefined;
}

export function newChat(session: SessionInfo): Chat {
  return {
    session,
    messages: [],
    status: { type: "idle" },
    requests: [],
    queue: [],
    pruned: undefined,
    pieces: {},
    prefix: undefined,
    told: {},
    tools: [],
    unbound: undefined,
    imageless: undefined,
    setAside: [],
    decisions: [],
    charged: nothingSpent,
    background: [],
    silentSince: undefined,
    children: {},
    ended: undefined,
  };
}

/** More at once are not told one by one anyway. */
const mostDecisions = 200;

/** Changes `chat` in place. Ignores events about missing messages or parts, as in a torn record. */
export function apply(chat: Chat, event: ChatEvent): void {
  switch (event.type) {
    case "session":
      chat.session = event.session;
      return;
    case "message":
      putMessage(chat, event.message);
      return;
    case "part":
      putPart(chat, event.part);
      learn(chat, event.part);
      return;
    case "delta":
      append(findPart(chat, event.messageID, event.partID), event.text);
      return;
    case "reset": {
      const entry = findEntry(chat, event.messageID);
      if (entry) entry.parts = entry.parts.filter((part) => part.type === "retry");
      return;
    }
    case "status":
      chat.silentSince = undefined;
      chat.status = event.status;
      if (event.status.type !== "idle") chat.ended = undefined;
      return;
    case "asked":
      askOrReplace(chat, event.request);
      return;
    case "answered":
      chat.requests = chat.requests.filter((request) => request.id !== event.requestID);
      return;
    case "output": {
      const part = findPart(chat, event.messageID, event.partID);
      if (part?.type !== "tool" || part.state.status !== "running") return;
      part.state.metadata = { ...part.state.metadata, live: event.text, liveLines: event.lines };
      return;
    }
    case "queued":
      chat.queue = event.queue;
      return;
    case "pruned":
      chat.pruned = { outputs: event.outputs, ...(event.kept && { kept: event.kept }) };
      if (event.reasoning !== undefined) chat.unbound = event.reasoning;
      return;
    case "piece":
      chat.pieces = withPiece(chat.pieces, event.partID, event.piece);
      return;
    case "prefix":
      chat.prefix = event.prefix;
      recall(chat);
      return;
    case "unbound":
      chat.unbound = event.messageID;
      return;
    case "imageless":
      chat.imageless = event.messageID;
      return;
    case "charged":
      chat.charged = addSpent(chat.charged, spentOn(event));
      return;
    case "decided":
      chat.decisions = [...chat.decisions, event.decision].slice(-mostDecisions);
      return;
    case "rewound":
      rewind(chat, event.messageID);
      return;
    case "background":
      chat.background = event.commands;
      return;
    case "silence":
      chat.silentSince = event.since ?? undefined;
      return;
    case "child": {
      const { sessionID, event: inner } = event;
      const session = { id: sessionID, createdAt: 0, title: "", cwd: "", parentID: chat.session.id };
      chat.children[sessionID] ??= newChat(session);
      apply(chat.children[sessionID], inner);
      return;
    }
    case "ended":
      chat.ended = event;
      return;
    default:
      never(event);
  }
}

/** Nearly every event is about the newest message. */
export function findEntry({ messages }: Chat, messageID: string): Entry | undefined {
  const last = messages.at(-1);
  return last?.info.id === messageID ? last : messages[placesIn(messages).get(messageID) ?? -1];
}

/** Places of messages by id: whether one is new must not cost as much as there are messages. */
const places = new WeakMap<readonly Entry[], { byID: Map<string, number>; length: number }>();

function placesIn(messages: readonly Entry[]): ReadonlyMap<string, number> {
  const known = places.get(messages) ?? { byID: new Map<string, number>(), length: 0 };
  places.set(messages, known);
  for (; known.length < messages.length; known.length++) {
    const entry = messages[known.length];
    if (entry) known.byID.set(entry.info.id, known.length);
  }
  return known.byID;
}

/** Returns the chat of a subagent, also of one that another subagent has started. */
export function findChild(chat: Chat, sessionID: string): Chat | undefined {
  for (const [id, child] of Object.entries(chat.children)) {
    const found = id === sessionID ? child : findChild(child, sessionID);
    if (found) return found;
  }
  return undefined;
}

export function findPart(chat: Chat, messageID: string, partID: string): Part | undefined {
  return findEntry(chat, messageID)?.parts.findLast((part) => part.id === partID);
}

function putMessage(chat: Chat, message: Message): void {
  const entry = findEntry(chat, message.id);
  if (entry) {
    entry.info = message;
    return;
  }
  if (chat.setAside.length > 0) dropSetAside(chat);
  chat.messages.push({ info: message, parts: [] });
}

/** Marks at messages that go hold for all that are left. */
function dropSetAside(chat: Chat): void {
  const newest = chat.messages.at(-1)?.info.id;
  const isGone = (mark: string | undefined) => chat.setAside.some(({ info }) => info.id === mark);
  if (isGone(chat.unbound)) chat.unbound = newest;
  if (isGone(chat.imageless)) chat.imageless = newest;
  chat.pieces = Object.fromEntries(
    Object.entries(chat.pieces).flatMap(([id, piece]) => {
      if (isGone(piece.messageID)) return [];
      return [
        [id, isGone(piece.dropped?.after ?? undefined) ? { ...piece, dropped: { after: newest ?? null } } : piece],
      ];
    }),
  );
  chat.charged = addSpent(chat.charged, spentOnEntries(chat.setAside));
  chat.setAside = [];
}

function withPiece(pieces: Chat["pieces"], partID: string, piece: PieceState): Chat["pieces"] {
  const { [partID]: _, ...others } = pieces;
  return piece.pinned || piece.dropped ? { ...others, [partID]: piece } : others;
}

function rewind(chat: Chat, messageID: string | null): void {
  if (messageID === null) {
    chat.messages = chat.messages.concat(chat.setAside);
    chat.setAside = [];
  } else {
    const at = chat.messages.findIndex((entry) => entry.info.id === messageID);
    if (at < 0) return;
    chat.setAside = [...chat.messages.splice(at), ...chat.setAside];
    places.delete(chat.messages);
    chat.ended = undefined;
  }
  recall(chat);
}

/** Recomputes what the model knows, because the prefix is new, or messages were removed or copied. */
export function recall(chat: Chat): void {
  chat.told = chat.prefix?.told ?? {};
  chat.tools = chat.prefix?.tools ?? [];
  const from = chat.messages.findLastIndex(isFinishedSummary);
  for (const { parts } of chat.messages.slice(from + 1)) for (const part of parts) learn(chat, part);
}

/** Whether requests begin with this summary instead of all messages before it. */
export function isFinishedSummary({ info }: Entry): boolean {
  if (info.role !== "assistant" || !info.summary || info.error) return false;
  return info.finish === "stop" || info.finish === "unknown";
}

function learn(chat: Chat, part: Part): void {
  if (part.type === "text" && part.told) chat.told = { ...chat.told, ...part.told };
  if (part.type !== "tools") return;
  const changed = new Set([...part.removed, ...part.added.map(({ name }) => name)]);
  chat.tools = [...chat.tools.filter(({ name }) => !changed.has(name)), ...part.added];
}

function putPart(chat: Chat, part: Part): void {
  const entry = findEntry(chat, part.messageID);
  if (!entry) return;
  const at = entry.parts.findLastIndex((other) => other.id === part.id);
  if (at < 0) entry.parts.push(own(part));
  else entry.parts[at] = own(part);
}

/** Copies data that later events change in place, because others still hold the event. */
function own(part: Part): Part {
  return part.type === "tool" ? { ...part, state: { ...part.state } } : { ...part };
}

function append(part: Part | undefined, text: string): void {
  if (part?.type === "tool") {
    if (part.state.status === "pending") part.state.raw += text;
  } else if (part && "text" in part) part.text += text;
}

/** A question whose reasons were found replaces itself. */
function askOrReplace(chat: Chat, request: UserRequest): void {
  const at = chat.requests.findIndex(({ id }) => id === request.id);
  if (at < 0) chat.requests.push(request);
  else chat.requests[at] = request;
}
