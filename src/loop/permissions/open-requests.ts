/** The requests of a session that wait for the user's answer (spec T7). */

import { sameJson } from "../../base/json.ts";
import type { ChatEvent } from "../../chat/events.ts";
import { subjectOf, whenStopped } from "../../chat/request-kinds.ts";
import type { Answer, AnswerTo, PermissionRequest, Rule, UserRequest } from "../../chat/requests.ts";
import type { RuleScope } from "../../chat/rule-scopes.ts";
import { msg } from "../../l10n/l10n.ts";
import { isAnything, problemOf } from "./examples.ts";

/** An answer that does not fit its request. The request stays open. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";

  constructor(asked: UserRequest["kind"], answered: Answer["kind"]) {
    super(
      msg(
        "The open question is about {0}, the answer about {1}. Answer it again.",
        subjectOf(asked),
        subjectOf(answered),
      ),
    );
  }
}

export class Withdrawn extends Error {
  override readonly name = "Withdrawn";
}

interface Asking<R extends UserRequest> {
  signal: AbortSignal;
  /** Requests of one kind with the same subject share an answer. */
  subject?: unknown;
  /** Returns the answer that the rules and the mode give now, if any. */
  reconsider?(): AnswerTo<R> | undefined;
}

interface Open {
  request: UserRequest;
  subject: unknown;
  reconsider(): Answer | undefined;
  resolve(answer: Answer): void;
  fail(error: unknown): void;
}

export class OpenRequests {
  readonly #open = new Map<string, Open>();
  readonly #emit: (event: ChatEvent) => void;
  readonly #keepRules: (rules: Rule[], scope: RuleScope) => void;

  constructor(emit: (event: ChatEvent) => void, keepRules: (rules: Rule[], scope: RuleScope) => void) {
    this.#emit = emit;
    this.#keepRules = keepRules;
  }

  /** Rejects with the signal's reason on abort, and with Withdrawn when a question can no longer be answered. */
  ask<R extends UserRequest>(request: R, asking: Asking<R>): Promise<AnswerTo<R>> {
    const { signal, subject, reconsider = () => undefined } = asking;
    return new Promise((answered, reject) => {
      const close = () => {
        this.#open.delete(request.id);
        signal.removeEventListener("abort", abort);
        this.#emit({ type: "answered", requestID: request.id });
      };
      const fail = (error: unknown) => {
        close();
        reject(error);
      };
      const abort = () => fail(signal.reason);
      const resolve = (answer: Answer) => {
        close();
        answered(answer as AnswerTo<R>); // `answer` has compared the kinds
      };
      this.#open.set(request.id, { request, subject, reconsider, resolve, fail });
      signal.addEventListener("abort", abort);
      this.#emit({ type: "asked", request });
      if (signal.aborted) abort();
    });
  }

  /** Replaces a request that is still looked at; does nothing if it is answered already, or was whole from the start. */
  revise(request: PermissionRequest): void {
    const open = this.#open.get(request.id);
    if (open?.request.kind !== "permission" || !open.request.looking) return;
    open.request = request;
    this.#emit({ type: "asked", request });
  }

  /**
   * Answers all requests with the same subject; returns false if it is not open, or if what it asks is still looked at
   * and the answer is no denial. @throws AnswerError
   */
  answer(requestID: string, answer: Answer): boolean {
    const open = this.#open.get(requestID);
    if (!open) return false;
    const { request, subject } = open;
    if (answer.kind !== request.kind) throw new AnswerError(request.kind, answer.kind);
    if (request.kind === "permission" && request.looking && answer.type !== "deny") return false;
    if (answer.type === "always") {
      const { rules, scope = "workspace" } = answer;
      this.#keepRules(
        rules.filter((rule) => isOffered(rule, request)),
        scope,
      );
    }
    const isEqual = (other: Open) =>
      other === open ||
      (subject !== undefined && other.request.kind === request.kind && sameJson(other.subject, subject));
    for (const { resolve } of this.#all().filter(isEqual)) resolve(answer);
    if (answer.type === "always") this.reconsider();
    if (stopsTurn(answer)) this.#stopAll();
    return true;
  }

  find(requestID: string): UserRequest | undefined {
    return this.#open.get(requestID)?.request;
  }

  /** Answers the requests that a changed mode or changed rules now decide. */
  reconsider(): void {
    for (const { reconsider, resolve } of this.#all()) {
      const answer = reconsider();
      if (answer) resolve(answer);
    }
  }

  #all(): Open[] {
    return [...this.#open.values()];
  }

  /** Withdraws the other requests of a turn that stops. */
  #stopAll(): void {
    for (const { request, resolve, fail } of this.#all()) {
      const answer = whenStopped(request);
      if (answer === "withdrawn") fail(new Withdrawn("The user stopped the turn before answering."));
      else if (answer !== "stays") resolve(answer);
    }
  }
}

function stopsTurn(answer: Answer): boolean {
  return answer.type === "stop" || (answer.type === "deny" && answer.words.trim() === "");
}

/** Whether the rule was offered. Its pattern may differ, but not so that it names nothing. */
function isOffered(rule: Rule, request: UserRequest): boolean {
  if (!("always" in request) || rule.action !== "allow") return false;
  if (request.always.some((offered) => sameJson(offered, rule))) return true;
  if (isAnything(rule.pattern) || problemOf(rule) !== "") return false;
  return request.always.some(({ permission }) => permission === rule.permission);
}
