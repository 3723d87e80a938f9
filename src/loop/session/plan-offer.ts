/** Asks whether to build the plan of a turn in Plan mode, or of a read-only agent. */

import { newID } from "../../base/ids.ts";
import type { Chat, Entry } from "../../chat/apply.ts";
import type { BuildMode, PlanRequest } from "../../chat/requests.ts";
import { english } from "../../l10n/l10n.ts";
import type { AgentCatalog } from "../agents/agents.ts";
import { pendingPrompt } from "../context/context.ts";
import type { OpenRequests } from "../permissions/open-requests.ts";
import { type Choices, presentMode } from "../setup/agent-config.ts";
import { wasPlanMode } from "./intake.ts";

export const buildPrompt = english("Start building: carry out the plan.");

interface PlanDeps {
  chat: Chat;
  choices: Choices;
  requests: OpenRequests;
  agents: () => AgentCatalog;
}

export class PlanOffer {
  readonly #deps: PlanDeps;
  #open: AbortController | undefined;
  #buildMode: BuildMode;

  constructor(deps: PlanDeps) {
    this.#deps = deps;
    this.#buildMode = deps.choices.modeEnd?.next ?? "default";
    this.modeChanged();
  }

  /** The user's current mode, or the one before Plan or Bypass. */
  get buildMode(): BuildMode {
    return this.#buildMode;
  }

  /** The agent that builds a plan: the chosen one, else the last that may change files, else the first such one. */
  get buildAgent(): string {
    const { chat, choices, agents } = this.#deps;
    const asked = chat.messages.flatMap(({ info }) => (info.role === "user" ? [info.agent] : []));
    const builders = agents()
      .all()
      .filter(({ mode, hidden, readOnly }) => mode !== "subagent" && !hidden && !readOnly);
    const names = builders.map(({ name }) => name);
    return [choices.agent, ...asked.reverse(), ...names].find((name) => names.includes(name)) ?? choices.agent;
  }

  /** Call it when a turn has ended normally. */
  offer(): void {
    const { chat, requests } = this.#deps;
    const reply = chat.messages.at(-1);
    if (!this.#isPlanning || !reply || !isAnswer(reply)) return;
    this.#open = new AbortController();
    const request = {
      kind: "plan",
      id: newID("per"),
      sessionID: chat.session.id,
      messageID: reply.info.id,
      buildMode: this.#buildMode,
    } as const;
    // The host acts on the answer; a withdrawal needs no action.
    requests.ask<PlanRequest>(request, { signal: this.#open.signal }).catch(() => {});
  }

  /** Call it when a session was opened from its record. */
  offerAgain(): void {
    if (!this.#open && (wasPlanMode(this.#deps.chat) || this.#isReadOnly)) this.offer();
  }

  withdraw(): void {
    this.#open?.abort();
    this.#open = undefined;
  }

  modeChanged(): void {
    const mode = presentMode(this.#deps.choices);
    if (this.#open && !this.#isPlanning) this.withdraw();
    if (mode === "acceptEdits" || mode === "default") this.#buildMode = mode;
  }

  get #isPlanning(): boolean {
    return presentMode(this.#deps.choices) === "plan" || this.#isReadOnly;
  }

  /** Whether the last prompt went to a read-only agent. */
  get #isReadOnly(): boolean {
    const { user } = pendingPrompt(this.#deps.chat);
    const agents = this.#deps.agents().all();
    return agents.some(({ name, readOnly }) => readOnly && name === user?.agent);
  }
}

function isAnswer({ info, parts }: Entry): boolean {
  if (info.role !== "assistant" || info.summary || info.silent || info.error || info.finish !== "stop") return false;
  return parts.some((part) => part.type === "text" && part.text.trim() !== "");
}
