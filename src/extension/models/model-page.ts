/** The model picker of the panel: asks providers while it is open, and sets how much the model thinks. */

import { sameJson } from "../../base/json.ts";
import type { PickerList } from "../../chat/model-list.ts";
import type { ThinkingLevel } from "../../chat/thinking.ts";
import type { Handlers, PanelContext } from "../panel/handlers.ts";
import { modelFor, remembered, SessionChoices } from "../sessions/choices.ts";
import type { Models } from "./models.ts";
import { pickerList } from "./picker-list.ts";

export class ModelPage {
  readonly #page: PanelContext;
  readonly #models: Models;
  readonly #choices: SessionChoices;
  /** Undefined while the picker is closed. */
  #open: AbortController | undefined;
  #shown: PickerList | undefined;

  readonly handlers = {
    "show-models": () => this.#show(),
    "hide-models": () => this.hide(),
    "ask-provider": ({ providerID }) => this.#askAgain(providerID),
    "set-thinking": ({ level }) => this.#setThinking(level),
  } satisfies Partial<Handlers>;

  constructor(page: PanelContext, models: Models) {
    this.#page = page;
    this.#models = models;
    this.#choices = new SessionChoices(page.memory);
  }

  hide(): void {
    this.#open?.abort();
    this.#open = undefined;
    this.#shown = undefined;
  }

  /** Sends the list again if it is shown and has changed. */
  refresh(): void {
    if (!this.#open) return;
    const { conversations, memory, send } = this.#page;
    const { id } = conversations.current.chat.session;
    const list = pickerList(this.#models, modelFor(id, this.#models, memory), this.#choices.thinkingIn(id));
    if (sameJson(list, this.#shown)) return;
    this.#shown = list;
    send({ type: "models", list });
  }

  dispose(): void {
    this.hide();
  }

  async #show(): Promise<void> {
    this.hide();
    this.#open = new AbortController();
    const { signal } = this.#open;
    await this.#page.prepare();
    if (signal.aborted) return;
    const asked = this.#models.ask(signal, () => !signal.aborted && this.refresh());
    this.refresh();
    await asked;
  }

  async #askAgain(providerID: string): Promise<void> {
    const signal = this.#open?.signal;
    if (!signal) return;
    const asked = this.#models.askAgain(providerID, signal);
    this.refresh();
    await asked;
    if (!signal.aborted) this.refresh();
  }

  /** Holds for this session and for new ones. The other sessions in tabs keep what they have. */
  #setThinking(level: ThinkingLevel): void {
    const { conversations, memory, stateChanged } = this.#page;
    const session = conversations.current;
    const { id } = session.chat.session;
    for (const tab of conversations.tabs) {
      if (tab.id !== id) this.#choices.keepThinking(tab.id, this.#choices.thinkingIn(tab.id));
    }
    this.#choices.keepThinking(id, level);
    void memory.update(remembered.thinking, level);
    session.choose({ thinking: level });
    stateChanged();
  }
}
