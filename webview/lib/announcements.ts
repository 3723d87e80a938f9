/** What is said aloud of a running turn: sentences, not tokens. */
import { type Chat, findPart } from "../../src/chat/apply.ts";
import type { BackgroundCommand, ChatEvent } from "../../src/chat/events.ts";
import type { Message, ToolPart } from "../../src/chat/message.ts";
import type { ReviewFile } from "../../src/chat/protocol.ts";
import { titleOf } from "../../src/chat/request-titles.ts";
import type { UserRequest } from "../../src/chat/requests.ts";
import { count } from "./format.ts";
import { messageGroupsOf } from "./message-groups.ts";
import { firstLine, kindOf, toolLineOf } from "./tool-line.ts";

/** Collects what happened since it was last asked; whoever speaks asks at most once a second. */
export class Announcements {
  #sentences: string[] = [];
  #reads = 0;
  #partID = "";
  /** How much of the text part `#partID` has been said. */
  #said = 0;
  /** The states of commands in the background, as they were told last. */
  readonly #background = new Map<string, BackgroundCommand["state"]["type"]>();

  /** `chat` is as it is after `event`. */
  hear(event: ChatEvent, chat: Chat, review: readonly ReviewFile[]): void {
    if (event.type === "delta") this.#hearText(chat, event.messageID, event.partID, false);
    else if (event.type === "part" && event.part.type === "text") {
      this.#hearText(chat, event.part.messageID, event.part.id, event.part.time?.end !== undefined);
    } else if (event.type === "part" && event.part.type === "tool") this.#hearTool(event.part, chat.session.cwd);
    else if (event.type === "asked") this.#say(question(event.request));
    else if (event.type === "rewound") this.#say(event.messageID === null ? "The messages are back." : aside(chat));
    else if (event.type === "background") this.#hearBackground(event.commands);
    else if (event.type === "message" && isSummary(event.message)) this.#say("Conversation compacted.");
    else if (event.type === "ended" && event.reason === "end_turn") {
      this.#say(review.length === 0 ? "Done." : `Done, ${changes(review)}.`);
    }
  }

  /** After a restore. */
  hearRestored(files: number): void {
    this.#say(`${count(files, "file")} restored.`);
  }

  /** All that is to be said now, in one go; undefined when there is nothing. */
  take(): string | undefined {
    this.#flushReads();
    const text = this.#sentences.join(" ");
    this.#sentences = [];
    return text || undefined;
  }

  #hearText(chat: Chat, messageID: string, partID: string, whole: boolean): void {
    const part = findPart(chat, messageID, partID);
    const entry = chat.messages.at(-1);
    if (part?.type !== "text" || entry?.info.role !== "assistant") return;
    // What is not shown, or only on demand.
    if (entry.info.silent || entry.info.summary || part.synthetic) return;
    if (partID !== this.#partID) {
      this.#partID = partID;
      this.#said = 0;
    }
    const rest = part.text.slice(this.#said);
    const end = whole ? rest.length : lastSentenceEnd(rest);
    if (end === 0) return;
    this.#said += end;
    this.#say(plain(rest.slice(0, end)));
  }

  #hearTool(part: ToolPart, cwd: string): void {
    const { state } = part;
    if (state.status === "completed" && kindOf(part.tool) === "read") {
      this.#reads++;
      return;
    }
    if (state.status !== "completed" && state.status !== "error") return;
    const line = toolLineOf(part, false, cwd);
    const result = state.status === "error" ? `failed: ${firstSentence(state.error)}` : line.fact;
    this.#say(`${line.verb} ${line.object}${result && `, ${result}`}.`);
  }

  /** Only what changes while it is watched: not what had ended before. */
  #hearBackground(commands: readonly BackgroundCommand[]): void {
    for (const { id, startedAt, command, state } of commands) {
      const key = `${id} ${startedAt}`;
      const before = this.#background.get(key);
      this.#background.set(key, state.type);
      if (before === undefined || before === state.type) continue;
      if (state.type === "ended") this.#say(`${firstLine(command)} ended in the background, ${state.words}.`);
      else if (state.type === "waiting") this.#say(`${firstLine(command)} waits for input: ${state.prompt}`);
    }
  }

  #say(sentence: string): void {
    this.#flushReads();
    if (sentence.trim()) this.#sentences.push(sentence.trim());
  }

  #flushReads(): void {
    if (this.#reads > 0) this.#sentences.push(`Read ${count(this.#reads, "file")}.`);
    this.#reads = 0;
  }
}

function aside(chat: Chat): string {
  return `${count(messageGroupsOf(chat.setAside).length, "message")} set aside.`;
}

/** Whether it is a compaction that has come to its end. */
function isSummary(message: Message): boolean {
  return (
    message.role === "assistant" && message.summary === true && message.completedAt !== undefined && !message.error
  );
}

function question(request: UserRequest): string {
  const preview = request.kind === "permission" ? request.preview : undefined;
  const parts = preview?.type === "command" ? preview.parts.filter((part) => part.decision !== "allow") : [];
  return [titleOf(request), ...parts.map((part) => part.text)].join(" ");
}

/** "5 changes in 3 files" */
function changes(review: readonly ReviewFile[]): string {
  const hunks = review.reduce((sum, file) => sum + file.hunks, 0);
  return `${count(hunks, "change")} in ${count(review.length, "file")}`;
}

function lastSentenceEnd(text: string): number {
  // Inside code there are no sentences: wait for its end.
  if ((text.match(/^```/gm)?.length ?? 0) % 2 === 1) return 0;
  const last = [...text.matchAll(/[.!?:]\s|\n\n/g)].at(-1);
  return last ? last.index + 1 : 0;
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.!?])\s|\n/, 1)[0]?.replace(/\.$/, "") ?? "";
}

/** Markdown as it would be read out. */
function plain(markdown: string): string {
  return markdown
    .replace(/^```[\s\S]*?^```/gm, "Code.")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`#>|]+/g, "")
    .replace(/\s+/g, " ");
}
