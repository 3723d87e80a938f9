/** Runs the user's hooks for one call (spec K4). */

import type { PermissionRequest } from "../../chat/requests.ts";
import { english, msg } from "../../l10n/l10n.ts";
import type { ToolResult } from "../../tools/tool.ts";
import { type HookEvent, type HookOutcome, noOutcome } from "../hooks.ts";
import type { Verdict } from "../permissions/permissions.ts";
import type { ToolCall } from "../reply/reply-sink.ts";
import type { Turn, TurnEnd } from "../turn.ts";

type HookingTurn = Pick<Turn, "hooks" | "signal" | "permissions" | "notifyUser">;

import type { CallRecord } from "./call-record.ts";

export class CallHooks {
  end: TurnEnd | undefined;
  readonly #turn: HookingTurn;
  readonly #call: ToolCall;
  readonly #record: CallRecord;
  #begun = false;
  readonly #words: string[] = [];

  constructor(turn: HookingTurn, call: ToolCall, record: CallRecord) {
    this.#turn = turn;
    this.#call = call;
    this.#record = record;
  }

  /** Rejects with the signal's reason on abort. */
  async before(): Promise<HookOutcome> {
    this.#begun = true;
    const outcome = await this.#fire("PreToolUse", {});
    this.#turn.signal.throwIfAborted();
    return outcome;
  }

  async beforeAsking(request: PermissionRequest): Promise<Verdict | undefined> {
    const outcome = await this.#fire("PermissionRequest", { permission_suggestions: request.always });
    const { decision, updatedInput: input } = outcome;
    if (decision === "deny") return { type: "forbidden", why: hookSays(outcome.reason) };
    if (decision !== "allow") return undefined;
    return { kind: "permission", ...(input ? { type: "input", input } : { type: "once" }) };
  }

  /** Call it when the user is asked; it is not awaited. */
  notify(message: string): void {
    const { hooks, signal, permissions } = this.#turn;
    if (!permissions.attended || !hooks.has("Notification")) return;
    const type = "permission_prompt";
    void hooks.fire("Notification", type, { message, title: "Rondo", notification_type: type }, signal);
  }

  /** Call it when the tool has run or failed; does nothing for calls that were never tried. */
  async after(result: ToolResult): Promise<void> {
    if (!this.#begun || this.#turn.signal.aborted) return;
    const outcome = result.failed
      ? await this.#fire("PostToolUseFailure", { error: result.output, is_interrupt: false })
      : await this.#fire("PostToolUse", { tool_response: { output: result.output } });
    if (outcome.decision === "deny") this.#words.push(hookSays(outcome.reason));
  }

  tell(text: string): void {
    this.#words.push(text);
  }

  withWords(text: string): string {
    return [text, ...this.#words].filter((one) => one !== "").join("\n\n");
  }

  async #fire(event: HookEvent, more: Record<string, unknown>): Promise<HookOutcome> {
    const { hooks, signal } = this.#turn;
    if (!hooks.has(event)) return noOutcome;
    const { tool, input } = this.#record;
    const about = { tool_name: tool, tool_input: input, tool_use_id: this.#call.callID };
    const outcome = await hooks.fire(event, tool, { ...about, ...more }, signal);
    this.#words.push(...outcome.additionalContext.map((text) => english(`From a ${event} hook: ${text}`)));
    for (const message of outcome.messages) this.#turn.notifyUser(this.#call.messageID, message);
    if (outcome.stop !== undefined) this.end ??= stoppedBy(outcome.stop);
    return outcome;
  }
}

export function hookSays(reason: string): string {
  return reason === ""
    ? english("A hook of the user does not allow it.")
    : english(`A hook of the user says: "${reason}"${/[.!?]$/.test(reason) ? "" : "."}`);
}

function stoppedBy(reason: string): TurnEnd {
  const message = reason === "" ? msg("A hook has ended the turn.") : msg("A hook has ended the turn: {0}", reason);
  return { reason: "blocked", error: { code: "hook", message, next: msg("Send a message to go on.") } };
}
