/** Earlier messages of the session, which Up and Down bring into the empty field. */
import type { Chat, Entry } from "../../src/chat/apply.ts";
import { ownWords } from "../../src/chat/words.ts";
import { panel } from "../lib/panel.svelte.ts";

export class PromptHistory {
  /** The message that was shown last; the user may have changed the text since. */
  #shown: { id: string; text: string } | undefined;

  /** Does what the key does in the history. @returns false for keys that are not meant for it */
  press(event: KeyboardEvent, chat: Chat): boolean {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
    if (altKey || ctrlKey || metaKey || shiftKey) return false;
    const prompts = earlierPrompts(chat);
    const newest = prompts.at(-1);
    if (key === "ArrowUp" && panel.draft === "" && newest) {
      this.#show(newest);
      return true;
    }
    const at = prompts.findIndex(({ info }) => info.id === this.#shown?.id);
    if (at < 0 || panel.draft !== this.#shown?.text) return false;
    if (key === "Escape") this.#show(undefined);
    else if (key === "ArrowDown" && isCaretAtEnd()) this.#show(prompts[at + 1]);
    else if (key === "ArrowUp" && isCaretAtEnd()) this.#showBefore(prompts, at);
    else return false;
    return true;
  }

  #showBefore(prompts: readonly Entry[], at: number): void {
    if (at > 0) this.#show(prompts[at - 1]);
    // Those before come from the host.
    else panel.earlier.hurry();
  }

  /** Shows a message, or the draft, which was empty. */
  #show(prompt: Entry | undefined): void {
    const text = prompt ? ownWords(prompt.parts) : "";
    this.#shown = prompt && { id: prompt.info.id, text };
    panel.rewrite(text);
  }
}

/** Returns the user's messages, oldest first. */
function earlierPrompts({ messages }: Chat): Entry[] {
  const isPrompt = ({ info, parts }: Entry) => info.role === "user" && !info.silent && ownWords(parts) !== "";
  return [...panel.earlier.entries, ...messages].filter(isPrompt);
}

/** In a longer text, the arrow keys move the caret first. */
function isCaretAtEnd(): boolean {
  const { selectionStart, selectionEnd, value } = panel.field ?? { selectionStart: 0, selectionEnd: 0, value: "" };
  return selectionStart === selectionEnd && (selectionStart === 0 || selectionStart === value.length);
}
