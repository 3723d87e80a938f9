/** Asks whether to build the plan of a turn in Plan mode. */
import type { Chat, Entry } from "../../chat/apply.ts";
import type { PermissionMode } from "../../chat/events.ts";
import { newID } from "../../chat/ids.ts";
import type { BuildMode, PlanRequest } from "../../chat/requests.ts";
import type { OpenRequests } from "../permissions/open-requests.ts";
import type { Choices } from "../setup/agent-config.ts";
import { wasPlanMode } from "./intake.ts";

export const buildPrompt = "Start building: carry out the plan.";

export class PlanOffer {
  readonly #chat: Chat;
  readonly #choices: Choices;
  readonly #requests: OpenRequests;
  #open: AbortController | undefined;
  /** The mode that the user worked in before Plan. */
  #buildMode: BuildMode = "default";

  constructor(chat: Chat, choices: Choices, requests: OpenRequests) {
    this.#chat = chat;
    this.#choices = choices;
    this.#requests = requests;
  }

  /** To be called when a turn has ended on its own. */
  offer(): void {
    const reply = this.#chat.messages.at(-1);
    if (this.#choices.mode !== "plan" || !reply || !isAnswer(reply)) return;
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

  /** To be called when a session was opened from its record. */
  offerAgain(): void {
    if (!this.#open && wasPlanMode(this.#chat)) this.offer();
  }

  withdraw(): void {
    this.#open?.abort();
    this.#open = undefined;
  }

  /** To be called before the mode changes. */
  modeChanges(mode: PermissionMode): void {
    const before = this.#choices.mode;
    if (mode !== "plan") this.withdraw();
    else if (before === "acceptEdits" || before === "default") this.#buildMode = before;
  }
}

function isAnswer({ info, parts }: Entry): boolean {
  if (info.role !== "assistant" || info.summary || info.silent || info.error || info.finish !== "stop") return false;
  return parts.some((part) => part.type === "text" && part.text.trim() !== "");
}
