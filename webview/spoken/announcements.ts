/** Writes the announcements about a running turn for screen readers: sentences, not tokens. */
import { type Chat, findPart } from "../../src/chat/apply.ts";
import type { BackgroundCommand, ChatEvent } from "../../src/chat/events.ts";
import type { Message, Part, ToolPart } from "../../src/chat/message.ts";
import type { PanelState } from "../../src/chat/panel-state.ts";
import type { Attachment } from "../../src/chat/prompt-input.ts";
import { titleOf } from "../../src/chat/request-kinds.ts";
import type { UserRequest } from "../../src/chat/requests.ts";
import type { ReviewFile } from "../../src/chat/review-views.ts";
import { counted, localized, t } from "../../src/l10n/l10n.ts";
import { firstLine, resultOf, toolKindOf, toolLineOf } from "../calls/tool-line.ts";
import { modeName } from "../composer/permission-modes.ts";
import { messageGroupsOf } from "../conversation/message-groups.ts";
import { spokenWords } from "../conversation/part-rows.ts";
import type { FoundMaths } from "../drawings/maths-rules.ts";
import { openMaths, replaceMaths } from "../drawings/spoken-maths.ts";
import { changesInWords, decisionsInWords, isDecided } from "../review/review-rows.ts";
import { removeInvisible } from "../text/escape-invisible.ts";
import { clock, cutOffWords } from "../text/format.ts";

/** Collects sentences about events until `take` returns them; the panel calls it once a second. */
export class Announcements {
  #sentences: string[] = [];
  #reads = 0;
  #partID = "";
  /** Number of announced characters of the text part `#partID`. */
  #announced = 0;
  /** How many matches the conversation has: only the newest number counts. */
  #found = "";
  readonly #background = new Map<string, BackgroundCommand["state"]["type"]>();

  addEvent(event: ChatEvent, chat: Chat, review: readonly ReviewFile[]): void {
    if (event.type === "delta") this.#addText(chat, event.messageID, event.partID, false);
    else if (event.type === "part") this.#addPart(event.part, chat);
    else if (event.type === "asked") this.#addQuestion(event.request);
    else if (event.type === "rewound") {
      const messages = counted(messageGroupsOf(chat.setAside).length, "{0} message", "{0} messages");
      this.#add(event.messageID === null ? t("The messages are back.") : t("{0} set aside.", messages));
    } else if (event.type === "background") this.#addBackground(event.commands);
    else if (event.type === "message" && isSummary(event.message)) this.#add(t("Conversation compacted."));
    else if (event.type === "ended" && event.reason === "end_turn") {
      const { changes, files } = changesInWords(review);
      this.#add(review.every(isDecided) ? t("Done.") : t("Done, {0} in {1}.", changes, files));
    }
  }

  #addPart(part: Part, chat: Chat): void {
    if (part.type === "text") this.#addText(chat, part.messageID, part.id, part.time?.end !== undefined);
    else if (part.type === "tool") this.#addTool(part, chat.session.cwd);
    else {
      const words = spokenWords(part);
      if (words !== "") this.#add(words);
    }
  }

  /** One that is still looked at comes again when its reasons are known. */
  #addQuestion(request: UserRequest): void {
    if (request.kind !== "permission" || !request.looking) this.#add(questionWords(request));
  }

  /** Both ends of Bypass are announced: it may end by itself. */
  addMode(before: PanelState | undefined, { mode, modeEndsAt }: PanelState): void {
    if (!before || before.mode === mode) return;
    const until = modeEndsAt === undefined ? "" : ` ${t("until {0}", clock(modeEndsAt))}`;
    if (mode === "bypassPermissions") this.#add(t("Bypass{0}: nothing asks but protected files.", until));
    else if (before.mode === "bypassPermissions") this.#add(t("Bypass has ended. Mode: {0}.", modeName(mode)));
  }

  addReview(before: readonly ReviewFile[], after: readonly ReviewFile[]): void {
    for (const sentence of decisionsInWords(before, after)) this.#add(sentence);
  }

  addAttached(before: readonly Attachment[], after: readonly Attachment[]): void {
    // A removed one makes the list shorter, and another session's list is not compared.
    const added = after.slice(before.length);
    for (const { filename } of added) this.#add(t("{0} attached.", removeInvisible(filename)));
  }

  addRestored(restored: NonNullable<PanelState["restored"]>): void {
    if (restored.open > 0) this.#add(`${cutOffWords(restored)}.`);
    else if (restored.files > 0) this.#add(t("{0} restored.", counted(restored.files, "{0} file", "{0} files")));
  }

  setFound(words: string): void {
    this.#found = words;
  }

  take(): string | undefined {
    this.#add(this.#found);
    this.#found = "";
    this.#flushReads();
    const text = this.#sentences.join(" ");
    this.#sentences = [];
    return text || undefined;
  }

  #addText(chat: Chat, messageID: string, partID: string, whole: boolean): void {
    const part = findPart(chat, messageID, partID);
    const entry = chat.messages.at(-1);
    if (part?.type !== "text" || entry?.info.role !== "assistant") return;
    // Not shown, or only on demand.
    if (entry.info.silent || entry.info.summary || part.synthetic) return;
    if (partID !== this.#partID) {
      this.#partID = partID;
      this.#announced = 0;
    }
    const rest = part.text.slice(this.#announced);
    const end = whole ? rest.length : endOfSentences(rest);
    if (end === 0) return;
    this.#announced += end;
    this.#add(spokenText(rest.slice(0, end)));
  }

  #addTool(part: ToolPart, cwd: string): void {
    const { state } = part;
    if (state.status === "completed" && toolKindOf(part.tool) === "read") {
      this.#reads++;
      return;
    }
    if (state.status !== "completed" && state.status !== "error") return;
    const line = toolLineOf(part, false, cwd);
    const told = line.state === "denied" ? line.fact : t("failed: {0}", firstSentence(resultOf(part)));
    const result = state.status === "error" ? told : line.fact;
    this.#add(`${line.verb} ${line.object}${result && `, ${result}`}.`);
  }

  #addBackground(commands: readonly BackgroundCommand[]): void {
    for (const { id, startedAt, command, state } of commands) {
      const key = `${id} ${startedAt}`;
      const before = this.#background.get(key);
      this.#background.set(key, state.type);
      if (before === undefined || before === state.type) continue;
      if (state.type === "ended")
        this.#add(t("{0} ended in the background, {1}.", firstLine(command), localized(state.words)));
      else if (state.type === "waiting") this.#add(t("{0} waits for input: {1}", firstLine(command), state.prompt));
    }
  }

  #add(sentence: string): void {
    this.#flushReads();
    if (sentence.trim()) this.#sentences.push(sentence.trim());
  }

  #flushReads(): void {
    if (this.#reads > 0) this.#sentences.push(t("Read {0}.", counted(this.#reads, "{0} file", "{0} files")));
    this.#reads = 0;
  }
}

function isSummary(message: Message): boolean {
  return (
    message.role === "assistant" && message.summary === true && message.completedAt !== undefined && !message.error
  );
}

function questionWords(request: UserRequest): string {
  const preview = request.kind === "permission" ? request.preview : undefined;
  const parts = preview?.type === "command" ? preview.parts.filter((part) => part.decision !== "allow") : [];
  return [titleOf(request), ...parts.map((part) => part.text)].join(" ");
}

// Text of a model as a screen reader speaks it: whole sentences without the signs of Markdown.

/**
 * What may end a sentence: a mark before a space, with what closes a quotation or emphasis, an empty line, or a line
 * before the next item of a list. A colon does not.
 */
const possibleEnd = /[.!?…]["'”’»)*_`~]*(?=\s)|[。！？؟۔]|\n(?=\n|[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])/g;
/** Words whose full stop ends no sentence, as do single letters: "e.g. this", "J. Doe". */
const abbreviation =
  /(?:^|[\s("“*_])(?:e\.g|i\.e|a\.k\.a|cf|vs|approx|ca|incl|resp|fig|eq|dr|mr|mrs|ms|prof|jr|sr|[a-z])\.$/i;
/** The number of a list's item. */
const itemNumber = /(?:^|\n)[ \t]*\d{1,9}\.$/;
/** Longer words are no abbreviations. */
const longestAbbreviation = 12;

/** The mark before fenced code. Behind one of backticks there are no further ones: https://spec.commonmark.org/0.31.2/#fenced-code-blocks */
const fence = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/;

/** Replaces each block of fenced code. `isOpen`: the last one has no end, and is left out. */
function replaceCode(text: string, replace: (code: string) => string): { text: string; isOpen: boolean } {
  const lines: string[] = [];
  let code: string[] = [];
  let mark = "";
  for (const line of text.split("\n")) {
    if (mark === "") {
      mark = fence.exec(line)?.[1] ?? "";
      if (mark === "") lines.push(line);
      else code = [line];
      continue;
    }
    code.push(line);
    const end = line.trim();
    if (!end.startsWith(mark) || end !== mark.charAt(0).repeat(end.length)) continue;
    lines.push(replace(code.join("\n")));
    mark = "";
  }
  return { text: lines.join("\n"), isOpen: mark !== "" };
}

/** Returns the number of characters up to the end of the last whole sentence. */
export function endOfSentences(text: string): number {
  const { text: closed, isOpen } = replaceCode(text, (code) => "`".repeat(code.length));
  // Code has no sentences: wait for its end.
  if (isOpen) return 0;
  const masked = replaceMaths(closed, ({ raw }) => "+".repeat(raw.length));
  const open = openMaths(closed) ?? closed.length;
  const prose = masked.slice(0, open) + "+".repeat(closed.length - open);
  const last = [...prose.matchAll(possibleEnd)].findLast(({ index, 0: end }) =>
    isEnd(prose, index, index + end.length),
  );
  return last ? last.index + last[0].length : 0;
}

/** Returns the first sentence of the first line, without its full stop. */
export function firstSentence(text: string): string {
  const [line = ""] = text.split("\n", 1);
  const first = [...line.matchAll(possibleEnd)].find(({ index, 0: mark }) => isEnd(line, index, index + mark.length));
  return (first ? line.slice(0, first.index + 1) : line).replace(/\.$/, "");
}

/** `at`: of the mark; `end`: behind it and what closes around it. */
function isEnd(text: string, at: number, end: number): boolean {
  if (text[at] === "\n") return text[end] === "\n" || !text.slice(0, at).trimEnd().endsWith(":");
  if (text[at] !== ".") return true;
  // A sentence goes on in small letters: "etc. and", "3. of May". What follows may not be there yet.
  if (/^\s*(?:\p{Ll}|$)/u.test(text.slice(end, end + 4))) return false;
  const word = text.slice(Math.max(0, at - longestAbbreviation), at + 1);
  return !abbreviation.test(word) && !itemNumber.test(word);
}

/** Returns the words of Markdown. A heading, a paragraph and an item of a list each end with a mark. */
export function spokenText(markdown: string): string {
  const { text, isOpen } = replaceCode(markdown, () => "\nCode.\n");
  const lines = replaceMaths(isOpen ? `${text}\n\nCode.` : text, spokenFormula)
    .replace(/!?\[([^\][]*)\]\((?:[^()]|\([^()]*\))*\)/g, "$1")
    .split("\n");
  // Joined at the end: with each line, it would take the square of their number.
  const spoken: string[] = [];
  const endLast = () => {
    const last = spoken.pop();
    if (last !== undefined) spoken.push(withEnd(last));
  };
  let isNew = true;
  for (const line of lines) {
    const words = line
      .replace(/^[ \t]*[-*+][ \t]/, "")
      .replace(/^\[([ xX])\] /, (_, mark: string) => `${mark === " " ? t("To do:") : t("Done:")} `)
      .replace(/[*_`#>|]+|~~/g, "")
      .replace(/\s+/g, " ")
      .trim();
    if (isNew || beginsBlock.test(line)) endLast();
    isNew = words === "" || line.startsWith("#");
    // The line below the head of a table has no words.
    if (/[\p{L}\p{N}]/u.test(words)) spoken.push(words);
  }
  endLast();
  return spoken.join(" ");
}

/** Short ones in letters are said. The others are read where they are drawn. */
function spokenFormula({ tex, display }: FoundMaths): string {
  return !display && /^[\p{L}\p{N}\s.,=+<>()/-]+$/u.test(tex) ? tex : t("formula");
}

const beginsBlock = /^[ \t]*(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]/;

function withEnd(text: string): string {
  return text === "" || /[\p{P}\p{S}]$/u.test(text) ? text : `${text}.`;
}
