/** Asks whether to build the plan of a turn in Plan mode, or of a read-only agent. */
import type { Chat, Entry } from "../../chat/apply.ts";
import { newID } from "../../chat/ids.ts";
import type { BuildMode, PlanRequest } from "../../chat/requests.ts";
import type { AgentCatalog } from "../agents/agents.ts";
import { pendingPrompt } from "../context/context.ts";
import type { OpenRequests } from "../permissions/open-requests.ts";
import type { Choices } from "../setup/agent-config.ts";
import { wasPlanMode } from "./intake.ts";

export const buildPrompt = "Start building: carry out the plan.";

export class PlanOffer {
  readonly #chat: Chat;
  readonly #choices: Choices;
  readonly #requests: OpenRequests;
  readonly #agents: () => AgentCatalog;
  #open: AbortController | undefined;
  /** The user's current mode, or the one before Plan. */
  #buildMode: BuildMode = "default";

  constructor(chat: Chat, choices: Choices, requests: OpenRequests, agents: () => AgentCatalog) {
    this.#chat = chat;
    this.#choices = choices;
    this.#requests = requests;
    this.#agents = agents;
    this.#keepBuildMode();
  }

  /** The agent that builds a plan: the chosen one, else the last that may change files, else the first such one. */
  get buildAgent(): string {
    const asked = this.#chat.messages.flatMap(({ info }) => (info.role === "user" ? [info.agent] : [])).reverse();
    const primary = this.#agents()
      .all()
      .filter(({ mode, hidden }) => mode !== "subagent" && !hidden);
    const builders = new Set(primary.filter(({ readOnly }) => !readOnly).map(({ name }) => name));
    const { agent } = this.#choices;
    return [agent, ...asked, ...builders].find((name) => builders.has(name)) ?? agent;
  }

  /** Call it when a turn has ended normally. */
  offer(): void {
    const reply = this.#chat.messages.at(-1);
    if (!this.#isPlanning || !reply || !isAnswer(reply)) return;
    this.#open = new AbortController();
    const request = {
      kind: "plan",
      id: newID("per"),
      sessionID: this.#chat.session.id,
      messageID: reply.info.id,
      buildMode: this.#buildMode,
    } as const;
    // The host acts on the answer; a withdrawal needs no action.
    this.#requests.ask<PlanRequest>(request, { signal: this.#open.signal }).catch(() => {});
  }

  /** Call it when a session was opened from its record. */
  offerAgain(): void {
    if (!this.#open && (wasPlanMode(this.#chat) || this.#isReadOnly)) this.offer();
  }

  withdraw(): void {
    this.#open?.abort();
    this.#open = undefined;
  }

  modeChanged(): void {
    if (this.#open && !this.#isPlanning) this.withdraw();
    this.#keepBuildMode();
  }

  #keepBuildMode(): void {
    const { mode } = this.#choices;
    if (mode === "acceptEdits" || mode === "default") this.#buildMode = mode;
  }

  get #isPlanning(): boolean {
    return this.#choices.mode === "plan" || this.#isReadOnly;
  }

  /** Whether the last prompt went to a read-only agent. */
  get #isReadOnly(): boolean {
    const { user } = pendingPrompt(this.#chat);
    return this.#agents()
      .all()
      .some(({ name, readOnly }) => readOnly && name === user?.agent);
  }
}

function isAnswer({ info, parts }: Entry): boolean {
  if (info.role !== "assistant" || info.summary || info.silent || info.error || info.finish !== "stop") return false;
  return parts.some((part) => part.type === "text" && part.text.trim() !== "");
}
