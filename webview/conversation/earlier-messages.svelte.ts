/** The messages of a long session that nothing changes any more: they come in slices, and are not reactive. */
import type { Chat, Entry } from "../../src/chat/apply.ts";
import { cutNear, tailStart } from "../../src/chat/chat-slices.ts";
import { send } from "../panel/vscode-api.ts";
import { joinGroups, type MessageGroup, messageGroupsOf } from "./message-groups.ts";

/** The next slice is requested at the latest after this time. */
const longestPauseMs = 500;
/** From so many messages in the chat on, all but the newest are put away. */
const mostNewest = 120;
const fewestNewest = 40;

export class EarlierMessages {
  /** Not reactive below: a signal for each property of 12,000 parts would take more memory than the parts. */
  groups = $state.raw<readonly MessageGroup[]>([]);
  /** Number of messages that are before these, and that only the host has. */
  missing = $state.raw(0);
  #entries: Entry[] = [];
  /** ID of the message before which a slice was requested. */
  #asked = "";
  #next = "";
  #timer = 0;
  /** Whether someone waits for all messages: there are no pauses. */
  #urgent = false;

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Takes the messages of a new chat over but for the newest. Returns the chat with those. */
  begin(chat: Chat, missing: number): Chat {
    const { messages } = chat;
    const start = tailStart(messages);
    const older = messages.slice(0, start);
    const first = messages[0]?.info.id ?? "";
    const known = this.#entries.findIndex(({ info }) => info.id === first);
    // After a gap in the host's messages, those that are here are still right: as many are before the others there.
    const isSame = missing > 0 && this.missing === 0 && known === missing;
    const entries = isSame ? [...this.#entries.slice(0, known), ...older] : older;
    this.#reset(entries, isSame ? 0 : missing, first);
    return { ...chat, messages: messages.slice(start) };
  }

  /** Puts messages of the chat away that are no longer among the newest. */
  putAway(chat: Chat): void {
    const { messages } = chat;
    if (messages.length <= mostNewest) return;
    const cut = cutNear(messages, messages.length - fewestNewest, messages.length);
    const entries: Entry[] = $state.snapshot(messages.slice(0, cut));
    const before = this.groups;
    this.groups = joinGroups(before, messageGroupsOf(entries), before.at(-1)?.id);
    this.#entries.push(...entries);
    chat.messages = messages.slice(cut);
  }

  /** Puts all messages into the chat again. Returns false if some are missing. */
  bringBack(chat: Chat): boolean {
    if (this.missing > 0) return false;
    chat.messages = [...this.#entries, ...chat.messages];
    this.#reset([], 0, "");
    return true;
  }

  #reset(entries: Entry[], missing: number, next: string): void {
    this.#entries = entries;
    this.groups = messageGroupsOf(entries);
    this.missing = missing;
    this.#asked = "";
    this.#urgent = false;
    this.#next = entries[0]?.info.id ?? next;
    this.#request();
  }

  /** Takes a slice, if it is the one that was requested. `replyID`: the group of replies on screen that follows it. */
  take(before: string, messages: Entry[], missing: number, replyID: string | undefined): void {
    if (this.#asked === "" || this.#asked !== before) return;
    const groups = messageGroupsOf(messages);
    const last = groups.at(-1);
    // Its element on screen stays.
    if (this.groups.length > 0) this.groups = joinGroups(groups, this.groups, this.groups[0]?.id);
    else this.groups = last?.type === "assistant" && replyID ? groups.with(-1, { ...last, id: replyID }) : groups;
    this.#entries = messages.concat(this.#entries);
    this.missing = missing;
    this.#asked = "";
    this.#next = messages[0]?.info.id ?? "";
    this.#request();
  }

  /** Requests all that is missing, without pauses. */
  hurry(): void {
    if (this.#urgent || this.missing === 0) return;
    this.#urgent = true;
    this.#request();
  }

  #request(): void {
    if (this.missing === 0 || this.#next === "" || this.#asked !== "") return;
    clearTimeout(this.#timer);
    const ask = () => this.#ask();
    if (this.#urgent) ask();
    // After the newest messages are painted; a busy page still gets all in the end.
    else this.#timer = window.setTimeout(() => requestIdleCallback(ask, { timeout: longestPauseMs }), 50);
  }

  #ask(): void {
    if (this.missing === 0 || this.#next === "" || this.#asked !== "") return;
    this.#asked = this.#next;
    send({ type: "earlier", before: this.#next });
  }
}
