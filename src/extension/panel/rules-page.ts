/** What the panel asks about rules: the page that lists them, and how a command or a rule that is being edited would count. */

import type { CommandJudgement } from "../../chat/protocol.ts";
import type { Rule } from "../../chat/requests.ts";
import { examplesFor } from "../../loop/permissions/examples.ts";
import type { Session } from "../../loop/session/session.ts";
import { ToolError } from "../../tools/tool.ts";
import type { Rules } from "../sessions/stored-rules.ts";
import type { PanelMessage } from "./panel.ts";

export class RulesPage {
  readonly #rules: Rules;
  readonly #session: () => Session;
  readonly #send: (message: PanelMessage) => void;
  #isShown = false;

  constructor(rules: Rules, session: () => Session, send: (message: PanelMessage) => void) {
    this.#rules = rules;
    this.#session = session;
    this.#send = send;
    rules.onDidChange(() => this.#isShown && this.show());
  }

  show(): void {
    this.#isShown = true;
    this.#send({ type: "rules", rules: this.#rules.rows(this.#session().agent) });
  }

  hide(): void {
    this.#isShown = false;
  }

  async remove(rule: Rule, source: "settings" | "workspace"): Promise<void> {
    await this.#rules.remove(rule, source);
    this.#session().permissions.changed();
  }

  /** Which rule decides about a command? */
  async explain(command: string): Promise<void> {
    this.#send({ type: "explained", judgement: await this.#judge(command) });
  }

  /** How would the command of an open question be judged if it read so? */
  async judge(requestID: string, command: string): Promise<void> {
    this.#send({ type: "judged", requestID, judgement: await this.#judge(command) });
  }

  /** What would these rules match of what an open question asks for, and of what is like it? */
  tryOut(requestID: string, rules: readonly Rule[]): void {
    const open = this.#session().permissions.find(requestID);
    if (!open) return;
    const { permission, patterns } = open.request;
    this.#send({ type: "tried", requestID, examples: examplesFor(rules, permission, patterns) });
  }

  /** A command that cannot even be looked at is one that is not run. */
  async #judge(command: string): Promise<CommandJudgement> {
    if (command.trim() === "") return { command, decision: "ask", parts: [], always: [] };
    try {
      return await this.#session().judge(command);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const part = { text: command, permission: "bash", effect: "", decision: "deny", why: error.message } as const;
      return { command, decision: "deny", parts: [part], always: [] };
    }
  }
}
