/** The page that lists the rules: shows them until it is closed, removes one, and explains a command. */
import type { StoredRules } from "../sessions/stored-rules.ts";
import type { Handlers, PanelContext } from "./handlers.ts";
import { judge } from "./questions.ts";

export class RulesPage {
  readonly #context: PanelContext;
  readonly #rules: StoredRules;
  #isShown = false;

  readonly handlers = {
    // The panel's page is loaded again, and shows the conversation.
    ready: () => this.#hide(),
    "show-rules": () => this.#show(),
    "hide-rules": () => this.#hide(),
    "remove-rule": async ({ rule, source }) => {
      await this.#rules.remove(rule, source);
      this.#context.conversations.current.requests.reconsider();
    },
    explain: async ({ command }) => {
      const judgement = await judge(this.#context.conversations.current, command);
      this.#context.send({ type: "explained", judgement });
    },
  } satisfies Partial<Handlers>;

  constructor(context: PanelContext, rules: StoredRules) {
    this.#context = context;
    this.#rules = rules;
    rules.onDidChange(() => this.#isShown && this.#show());
  }

  #show(): void {
    this.#isShown = true;
    const { conversations, send } = this.#context;
    send({ type: "rules", rules: this.#rules.rows(conversations.current.agent) });
  }

  #hide(): void {
    this.#isShown = false;
  }
}
