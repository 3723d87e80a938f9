/** Asks the user's model one question outside of any session. */

import { newID } from "../../base/ids.ts";
import type { Entry } from "../../chat/apply.ts";
import type { ModelRef } from "../../chat/message.ts";
import { t } from "../../l10n/l10n.ts";
import type { Agent, AgentCatalog } from "../../loop/agents/agents.ts";
import { ModelError } from "../../loop/model.ts";
import { askBriefly } from "../../loop/session/brief-reply.ts";
import { modelOf } from "../../loop/setup/agent-config.ts";
import type { Ledger } from "../../loop/storage.ts";
import type { Models } from "../models/models.ts";
import { NoticeError } from "../notice-error.ts";

interface BriefModelOptions {
  models: Pick<Models, "current" | "facts" | "limits" | "open">;
  agents(): AgentCatalog;
  ledger: Ledger;
}

export interface BriefRequest {
  agent: Agent;
  /** Whose model answers, if it names one; else the user's does. */
  modelOf: Agent;
  asked: string;
  maxTokens: number;
  signal: AbortSignal;
  /** Called with the whole text so far. */
  onText?(text: string): void;
}

export class BriefModel {
  readonly #options: BriefModelOptions;

  constructor(options: BriefModelOptions) {
    this.#options = options;
  }

  agent(name: string): Agent {
    return this.#options.agents().find(name);
  }

  /** @throws ModelError or NoticeError */
  async ask({ modelOf: named, ...request }: BriefRequest): Promise<string> {
    const { models, ledger } = this.#options;
    const { current, facts } = models;
    if (!current)
      throw new ModelError("no-key", t("No model is connected."), t('Connect one with "Rondo: Set API Key…".'));
    this.#assertWithinBudget();
    const ref = modelOf(named, current, facts);
    const model = await models.open(ref);
    const reply = await askBriefly({ ...request, model, ref, facts, entry: entryOf(request, ref) });
    ledger.add(reply.cost ?? 0);
    if (reply.failure) throw reply.failure;
    return reply.text;
  }

  #assertWithinBudget(): void {
    const { maxDailyBudgetUsd } = this.#options.models.limits();
    if (maxDailyBudgetUsd === undefined || this.#options.ledger.today() < maxDailyBudgetUsd) return;
    throw new NoticeError(t("Today's budget of {0} is spent.", `$${maxDailyBudgetUsd}`), "", "raise-budget");
  }
}

/** The question as a message of a conversation of its own, which is not kept. */
function entryOf({ agent, asked }: Pick<BriefRequest, "agent" | "asked">, model: ModelRef): Entry {
  const id = newID("msg");
  const sessionID = newID("ses");
  return {
    info: { id, sessionID, role: "user", createdAt: Date.now(), agent: agent.name, model },
    parts: [{ type: "text", id: newID("prt"), sessionID, messageID: id, text: asked }],
  };
}
