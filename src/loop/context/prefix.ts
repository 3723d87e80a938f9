/** Keeps the beginning of requests unchanged, and appends changes at the end (C7). */

import { newID } from "../../base/ids.ts";
import { sameJson } from "../../base/json.ts";
import type { Prefix } from "../../chat/events.ts";
import type { UserMessage } from "../../chat/message.ts";
import type { PermissionMode } from "../../chat/permission-mode.ts";
import { english } from "../../l10n/l10n.ts";
import { isHarmless } from "../../tools/tool.ts";
import type { ModelRequest } from "../model.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import { effortTopic, goneText, modeTopic, newsAmong, refusedTopic, type Topic, valuesOf } from "../setup/topics.ts";
import type { ChatAccess, Turn } from "../turn.ts";
import { newSyntheticMessage } from "./synthetic-message.ts";

/** Creates the prefix if there is none, and again until the model has answered. */
export function ensurePrefix(turn: Turn, config: AgentConfig): void {
  const { prefix, messages } = turn.chat;
  const isAnswered = messages.some(({ info }) => info.role === "assistant");
  if (prefix && (isAnswered || sameJson(prefix, prefixOf(config)))) return;
  // A record of version 0.4.0, or an imported one: the prefix of its thoughts is unknown.
  renewPrefix(turn, config);
}

/** Replaces the prefix; earlier thoughts are bound to the old one. */
export function renewPrefix(turn: ChatAccess, config: AgentConfig): void {
  turn.emit({ type: "prefix", prefix: prefixOf(config) });
  unbind(turn);
}

function prefixOf({ system, definitions, topics }: AgentConfig): Prefix {
  return { system, tools: [...definitions], told: valuesOf(topics) };
}

/** Leaves thoughts up to now out of later requests. Returns whether that makes a difference. */
export function unbind(turn: ChatAccess): boolean {
  const { messages, unbound } = turn.chat;
  const newest = messages.findLast(({ info }) => info.role === "assistant" && info.completedAt !== undefined)?.info.id;
  if (newest === undefined || newest === unbound) return false;
  turn.emit({ type: "unbound", messageID: newest });
  return true;
}

/** State of the last comparison, so that a step in which nothing can have changed costs nothing. */
export interface LastLook {
  config: AgentConfig | undefined;
  mode: PermissionMode | undefined;
}

/**
 * Tells the model what has changed since it was told last. `all`: a prompt was taken, or the prefix was made, so that
 * files are compared, too; else only the mode and what comes with another config: tools, and the effort.
 */
export async function tellChanges(
  turn: Turn,
  config: AgentConfig,
  user: UserMessage,
  last: LastLook,
  all: boolean,
): Promise<void> {
  const mode = turn.mode();
  if (!all && config === last.config && mode === last.mode) return;
  last.config = config;
  last.mode = mode;
  const { told, tools } = turn.chat;
  const { added, removed } = changedTools(tools, config);
  const gone = new Set(removed);
  const refused = tools.map(({ name }) => name).filter((name) => config.refusals.has(name) && !gone.has(name));
  const always = [modeTopic(mode), refusedTopic(refused), effortTopic(config.thinking)];
  const news = newsAmong(all ? [...always, ...config.topics] : always, told);
  const now = valuesOf(news);
  const texts: string[] = [];
  for (const topic of news) if (topic.change !== "" && !(await hasSeen(turn, topic))) texts.push(topic.change);
  const known = new Set(config.topics.map(({ name }) => name));
  for (const [name, value] of all ? Object.entries(told) : []) {
    const text = goneText(name);
    if (text === undefined || value === "" || known.has(name)) continue;
    now[name] = "";
    texts.push(text);
  }
  if (removed.length > 0) texts.push(english(`These of your tools are gone: ${removed.join(", ")}.`));
  const isMore = added.length + removed.length > 0;
  if (Object.keys(now).length === 0 && !isMore) return;
  const newest = turn.chat.messages.at(-1)?.info;
  const message = newest?.role === "user" ? newest : newSyntheticMessage(turn, user);
  const base = () => ({ id: newID("prt"), sessionID: message.sessionID, messageID: message.id });
  const text = texts.join("\n\n");
  turn.emit({ type: "part", part: { type: "text", text, synthetic: true, told: now, ...base() } });
  if (isMore) turn.emit({ type: "part", part: { type: "tools", added, removed, ...base() } });
}

/** Whether the model has read or written the present version of the topic's file. */
async function hasSeen({ host, seen, signal }: Turn, { path }: Topic): Promise<boolean> {
  if (path === undefined) return false;
  try {
    const location = await host.workspace.locate(path);
    if (!seen.has(location.path)) return false;
    const kind = await host.workspace.open(location, signal);
    return kind.type === "text" && kind.file.version === seen.get(location.path);
  } catch {
    return false;
  }
}

function changedTools(defined: ModelRequest["tools"], { definitions, tools, refusals }: AgentConfig) {
  const byName = new Map(defined.map((one) => [one.name, one]));
  return {
    added: definitions.filter((one) => !sameJson(byName.get(one.name), one)),
    removed: [...byName.keys()].filter((name) => !tools.has(name) && !refusals.has(name)),
  };
}

const uses = new WeakMap<AgentConfig, { tools: unknown; isReadOnly: boolean; use: ModelRequest["toolUse"] }>();

/** Returns which of the defined tools may be called now: others stay defined, so that the prefix holds (T1). */
export function toolUseOf(turn: Turn, config: AgentConfig): ModelRequest["toolUse"] {
  const { tools } = turn.chat;
  const isReadOnly = turn.readOnly() || !turn.host.workspace.trusted;
  const known = uses.get(config);
  if (known?.tools === tools && known.isReadOnly === isReadOnly) return known.use;
  const isUsable = (name: string) => config.tools.has(name) && (!isReadOnly || isHarmless(config.tools.get(name)));
  const defined = new Set([...(turn.chat.prefix?.tools ?? []), ...tools].map(({ name }) => name));
  const only = [...defined].filter(isUsable);
  const use = only.length === defined.size ? "auto" : only.length === 0 ? "none" : { only };
  uses.set(config, { tools, isReadOnly, use });
  return use;
}
