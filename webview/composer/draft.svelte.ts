/** The text that the user has not sent yet. Each session has its own; the host keeps them, too. */
import { savedState, saveState, send } from "../panel/vscode-api.ts";

/** The host gets the draft after the user has not typed for this time. */
const pauseMs = 400;

export class Draft {
  text = $state(savedState().draft);
  readonly #sessionID: () => string;
  #timer = 0;
  /** Sends the draft, which belongs to the session in which it was written. */
  #unsent: (() => void) | undefined;
  #typedBefore = false;
  #enteredBefore = false;

  constructor(sessionID: () => string) {
    this.#sessionID = sessionID;
  }

  write(text: string): void {
    this.text = text;
    saveState({ draft: text });
    clearTimeout(this.#timer);
    const sessionID = this.#sessionID();
    this.#unsent = () => send({ type: "draft", sessionID, text });
    // The host learns at once that the draft was sent, so that a reload does not bring it back.
    this.#timer = window.setTimeout(() => this.sendNow(), text === "" ? 0 : pauseMs);
  }

  /** Sends to the host what it does not have yet. */
  sendNow(): void {
    clearTimeout(this.#timer);
    this.#unsent?.();
    this.#unsent = undefined;
  }

  /** Goes to another session, whose draft is `text`. */
  switchTo(text: string): void {
    this.sendNow();
    this.text = text;
    saveState({ draft: text });
  }

  /**
   * Takes over what the user has typed before the panel was there, and whether Enter was pressed then.
   * @returns whether something was typed
   */
  begin(typed: string, entered: boolean): boolean {
    this.#typedBefore = typed !== this.text;
    this.#enteredBefore = entered;
    this.text = typed;
    return this.#typedBefore;
  }

  /** Shows what the host has kept, where nothing is written here. */
  restore(kept: string): void {
    if (this.text === "") this.text = kept;
  }

  /**
   * Joins what was typed before the first snapshot to the draft that came with it.
   * @returns whether it is to be sent, because Enter was pressed
   */
  join(kept: string): boolean {
    this.restore(kept);
    const isAdded = this.#typedBefore && savedState().draft === "";
    if (this.#typedBefore) this.write(isAdded ? kept + this.text : this.text);
    saveState({ typed: undefined });
    return this.#enteredBefore;
  }
}
