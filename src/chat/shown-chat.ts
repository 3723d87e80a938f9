/** What the panel gets of a chat: not the beginning of requests, which is long and only for models. */
import type { Chat } from "./apply.ts";
import type { ChatEvent } from "./events.ts";

export function shownChat(chat: Chat): Chat {
  const children = Object.entries(chat.children).map(([id, child]) => [id, shownChat(child)] as const);
  return { ...chat, prefix: undefined, told: {}, tools: [], decisions: [], children: Object.fromEntries(children) };
}

export function isShownEvent(event: ChatEvent): boolean {
  return event.type === "child" ? isShownEvent(event.event) : event.type !== "prefix" && event.type !== "decided";
}
