/** The models of the window: connecting one, choosing one, and what the panel shows of them. */

import { sameJson } from "../../base/json.ts";
import type { ModelRef } from "../../chat/message.ts";
import type { PickerList } from "../../chat/model-list.ts";
import type { ThinkingLevel } from "../../chat/thinking.ts";
import type { Feature } from "../feature.ts";
import type { Handlers, PanelContext } from "../panel/handlers.ts";
import { reportedIn } from "../panel/reported.ts";
import type { WindowServices } from "../services.ts";
import { modelFor, remembered, SessionChoices } from "../sessions/choices.ts";
import { watchSettings } from "../settings.ts";
import type { EditorWindow } from "../window.ts";
import { accountOf } from "./account.ts";
import { ConnectPage } from "./connect-page.ts";
import { pickModel } from "./model-picker.ts";
import type { Models } from "./models.ts";
import { pickerList } from "./picker-list.ts";
import { setKey } from "./set-key.ts";

/** `setModel` chooses the model of the session on screen. */
export function modelFeature(
  window: EditorWindow,
  { keys, models, page }: WindowServices,
  setModel: (ref: ModelRef) => void,
) {
  const { context, own, prepare, stateChanged } = window;
  const { conversations, memory } = page;
  const connect = own(new ConnectPage(page, { keys, models, globalState: context.globalState, setModel }));
  const picker = own(new ModelPage(page, models));
  own(window.onDidChangeState(() => picker.refresh()));
  for (const { onDidChange } of [keys, models]) own(onDidChange(stateChanged));
  own(
    watchSettings(() => {
      models.reset();
      stateChanged();
    }),
  );
  const reported = reportedIn(page);
  return {
    handlers: { ...connect.handlers, ...picker.handlers },
    commands: {
      "rondo.setKey": reported(async () => {
        await prepare();
        await setKey(keys, models);
      }),
      "rondo.selectModel": reported(async () => {
        await prepare();
        const ref = await pickModel(models);
        if (ref) setModel(ref);
      }),
    },
    state() {
      const { messages, session } = conversations.current.chat;
      const model = modelFor(session.id, models, memory);
      return {
        readiness: models.readiness,
        model: model && models.describe(model),
        models: models.choices,
        account: accountOf(messages.findLast(({ info }) => info.role === "assistant")?.info.model ?? model),
      };
    },
    pageGone: () => picker.hide(),
    async prepare() {
      await keys.load();
      await models.load();
      // Looked for only where there is no model: the start page offers what is found.
      if (models.readiness.type === "no-key") void connect.look();
    },
    close: () => models.dispose(),
  } satisfies Feature;
}

// The model picker of the panel: asks providers while it is open, and sets how much the model thinks.

class ModelPage {
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
