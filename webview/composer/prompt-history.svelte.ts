/** Earlier messages of the session: Up in the empty field lists them, and writes the chosen one into the field. */
import type { Chat, Entry } from "../../src/chat/apply.ts";
import { ownWords } from "../../src/chat/words.ts";
import { panel } from "../panel/panel.svelte.ts";

/** More rows than anyone looks through; further ones come when Up reaches them. */
const mostRows = 100;
const maxLineLength = 300;

interface EarlierPrompt {
  id: string;
  /** Its beginning, in one line. */
  line: string;
  /** In ms since 1970. */
  at: number;
}

export class PromptHistory {
  /** The message that was shown last; the user may have changed the text since. */
  #shown = $state.raw<{ id: string; sessionID: string; text: string }>();
  #isOpen = $state(false);

  /** What the list shows, oldest first; empty while it is closed. */
  readonly rows: readonly EarlierPrompt[] = $derived.by(() => {
    const { chat } = panel;
    const shown = this.#shown;
    const isHere = chat && chat.session.id === shown?.sessionID && panel.draft === shown.text;
    if (!this.#isOpen || !isHere || panel.answerField) return [];
    const prompts = earlierPrompts(chat);
    const at = prompts.findIndex(({ info }) => info.id === shown.id);
    const first = Math.max(0, Math.min(prompts.length - mostRows, at - mostRows / 2));
    return prompts.slice(first, first + mostRows).map(({ info, parts }) => {
      const line = ownWords(parts).replace(/\s+/g, " ").trim().slice(0, maxLineLength);
      return { id: info.id, line, at: info.createdAt };
    });
  });
  readonly isOpen = $derived(this.rows.length > 0);
  readonly active = $derived(this.rows.findIndex(({ id }) => id === this.#shown?.id));

  /** Does what the key does in the history. @returns false for keys that are not meant for it */
  press(event: KeyboardEvent, chat: Chat): boolean {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
    if (altKey || ctrlKey || metaKey || shiftKey) return false;
    const prompts = earlierPrompts(chat);
    const newest = prompts.at(-1);
    if (key === "ArrowUp" && panel.draft === "" && newest) {
      this.#show(newest, chat);
      return true;
    }
    const at = prompts.findIndex(({ info }) => info.id === this.#shown?.id);
    if (at < 0 || panel.draft !== this.#shown?.text) return false;
    if (key === "Escape") this.#show(undefined, chat);
    else if (key === "Tab" && this.isOpen) this.#isOpen = false;
    else if (key === "ArrowDown" && isCaretAtEnd()) this.#show(prompts[at + 1], chat);
    else if (key === "ArrowUp" && isCaretAtEnd()) this.#showBefore(prompts, at, chat);
    else return false;
    return true;
  }

  /** Leaves the message of a row in the field, to be changed or sent. */
  pick(row: number): void {
    const { chat } = panel;
    const id = this.rows[row]?.id;
    const prompt = chat && earlierPrompts(chat).find(({ info }) => info.id === id);
    if (!prompt) return;
    this.#show(prompt, chat);
    this.#isOpen = false;
    panel.field?.focus();
  }

  /** To be called after each move of the caret: within the text, there is nothing to choose. */
  track(): void {
    if (this.isOpen && !isCaretAtEnd()) this.#isOpen = false;
  }

  #showBefore(prompts: readonly Entry[], at: number, chat: Chat): void {
    if (at > 0) this.#show(prompts[at - 1], chat);
    // Those before come from the host.
    else panel.earlier.hurry();
  }

  /** Shows a message, or the draft, which was empty. */
  #show(prompt: Entry | undefined, chat: Chat): void {
    const text = prompt ? ownWords(prompt.parts) : "";
    this.#shown = prompt && { id: prompt.info.id, sessionID: chat.session.id, text };
    this.#isOpen = prompt !== undefined;
    panel.rewrite(text);
  }
}

/** Returns the user's messages, oldest first. */
function earlierPrompts({ messages }: Chat): Entry[] {
  const isPrompt = ({ info, parts }: Entry) => info.role === "user" && !info.silent && ownWords(parts) !== "";
  // The entries are not reactive, but their groups come with them.
  void panel.earlier.groups;
  return [...panel.earlier.entries, ...messages].filter(isPrompt);
}

/** In a longer text, the arrow keys move the caret first. */
function isCaretAtEnd(): boolean {
  const { selectionStart, selectionEnd, value } = panel.field ?? { selectionStart: 0, selectionEnd: 0, value: "" };
  return selectionStart === selectionEnd && (selectionStart === 0 || selectionStart === value.length);
}
