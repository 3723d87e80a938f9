/** Open questions, and the answers that settle them (spec T7). */

import type { ChatEvent } from "../../chat/events.ts";
import { newID } from "../../chat/ids.ts";
import { never } from "../../chat/never.ts";
import type { Question as Asked, PermissionRequest, Rule } from "../../chat/requests.ts";
import type { PermissionRequirement } from "../../tools/tool.ts";
import { sameJson } from "../calls/same-json.ts";
import { alwaysRules, type Judgement, judge, type Lineage, type RuleBook, strictest } from "./rules.ts";

export type Answer =
  /** `input` is what the call is to run with in place of its own. */
  | { type: "once"; input?: Record<string, unknown> }
  | { type: "always"; rules: Rule[] }
  /** With words the turn goes on and the model is told them; without, it stops. */
  | { type: "deny"; words: string }
  /** To questions of the model: what was chosen, or said instead, for each. */
  | { type: "choices"; choices: string[][] };

export type Verdict =
  /** `input`: what the user or a hook made of the call's own. */
  | { type: "allow"; input: Record<string, unknown> | undefined }
  | { type: "chosen"; choices: string[][] }
  /** A rule or a hook denies it, or nobody is there to ask. */
  | { type: "denied"; why: string }
  | { type: "refused"; words: string };

/** What asks, apart from its id and its reason. */
export type Question = Omit<PermissionRequest, "id" | "reason" | "permission" | "patterns" | "always"> & {
  input: Record<string, unknown>;
  needs: readonly PermissionRequirement[];
  lineage: Lineage;
  /** What a hook, or an answer before, has said: `ask` asks even if no rule does, `allow` spares all but protected files. */
  hook: { decision: "allow" | "ask"; reason: string } | undefined;
};

/** May answer a question before the user is shown it. */
export type BeforeAsking = (request: PermissionRequest) => Promise<Verdict | undefined>;

export interface PermissionsOptions {
  sessionID: string;
  book(): RuleBook;
  /** Keeps rules given with "Always allow". */
  keep(rules: Rule[]): void;
  /** A rule has decided about a call. */
  used(rule: Rule): void;
  emit(event: ChatEvent): void;
  /** Whether somebody can answer. In a headless run nobody can, and what asks is denied. */
  attended: boolean;
}

interface Open {
  request: PermissionRequest;
  question: Question;
  settle(verdict: Verdict): void;
}

const allowed: Verdict = { type: "allow", input: undefined };

export class Permissions {
  readonly #open = new Map<string, Open>();
  readonly #options: PermissionsOptions;

  constructor(options: PermissionsOptions) {
    this.#options = options;
  }

  get attended(): boolean {
    return this.#options.attended;
  }

  judge(need: PermissionRequirement, tool: string, lineage: Lineage): Judgement {
    return judge(need, tool, this.#options.book(), lineage);
  }

  /** Judges all needs by the rules and asks the user when they say so. Rejects with the signal's reason on abort. */
  async allow(question: Question, before: BeforeAsking, signal: AbortSignal): Promise<Verdict> {
    const judged = this.#judged(question);
    for (const { judgement } of judged) if (judgement.rule) this.#options.used(judgement.rule);
    const denial = judged.find((one) => one.judgement.decision === "deny");
    if (denial) return { type: "denied", why: denial.judgement.why };
    const asking = judged.filter((one) => one.judgement.decision === "ask");
    const isGuarded = asking.some(({ need }) => need.protection !== "none");
    const { hook } = question;
    if (hook?.decision === "allow" && !isGuarded) return allowed;
    const forced = hook?.decision === "ask";
    if (asking.length === 0 && !forced) return allowed;
    const reason = asking[0]?.judgement.why ?? (hook?.reason || "A hook wants you to be asked.");
    const needs = asking.length > 0 ? asking.map((one) => one.need) : question.needs;
    // A hook that asks each time is not to be told "always".
    const request = requestOf(question, needs, reason, forced ? [] : alwaysRules(needs));
    const verdict = await before(request);
    if (verdict && !(verdict.type === "allow" && isGuarded)) return verdict;
    if (!this.attended) return { type: "denied", why: `${reason} Nobody is there to ask.` };
    return await this.#ask(request, question, signal);
  }

  /**
   * Puts questions of the model to the user. `about`: the call that asks.
   * @returns undefined where nobody is there to answer. Rejects with the signal's reason on abort
   */
  async askQuestions(
    about: Pick<Question, "sessionID" | "messageID" | "partID" | "callID" | "tool" | "input">,
    questions: readonly Asked[],
    signal: AbortSignal,
  ): Promise<Exclude<Verdict, { type: "allow" }> | undefined> {
    if (!this.attended) return undefined;
    const { input, ...call } = about;
    const title = questions.length === 1 ? "Rondo asks you" : `Rondo asks you ${questions.length} things`;
    const preview: PermissionRequest["preview"] = { type: "questions", questions: [...questions] };
    const shown = { ...call, title, preview };
    const request = { ...shown, id: newID("per"), reason: "", permission: about.tool, patterns: [], always: [] };
    const hook = { decision: "ask", reason: "" } as const;
    const verdict = await this.#ask(request, { ...shown, input, needs: [], lineage: [], hook }, signal);
    return verdict.type === "allow" ? { type: "refused", words: "No answer." } : verdict;
  }

  /** A yes or no about the session as a whole; no where nobody can answer. Rejects with the signal's reason on abort. */
  async askUser(title: string, text: string, signal: AbortSignal): Promise<boolean> {
    if (!this.attended) return false;
    const call = { messageID: "", partID: "", callID: "", tool: "budget" };
    const { sessionID } = this.#options;
    const shown = { sessionID, title, preview: { type: "text", text } as const, ...call };
    const request = { ...shown, id: newID("per"), reason: text, permission: "budget", patterns: [], always: [] };
    const question = { ...shown, input: {}, needs: [], lineage: [], hook: { decision: "ask", reason: text } as const };
    const verdict = await this.#ask(request, question, signal);
    return verdict.type === "allow";
  }

  /** Settles the request and all that ask the very same. @returns whether it was open */
  answer(requestID: string, answer: Answer): boolean {
    const open = this.#open.get(requestID);
    if (!open) return false;
    const equal = [...this.#open.values()].filter((other) => isSame(open, other));
    switch (answer.type) {
      case "once":
        for (const { settle } of equal) settle({ type: "allow", input: answer.input });
        break;
      case "always":
        this.#options.keep(answer.rules.filter((rule) => isOffered(rule, open.request.always)));
        for (const { settle } of equal) settle(allowed);
        this.changed();
        break;
      case "deny":
        this.#refuse(equal, answer.words.trim());
        break;
      case "choices":
        open.settle({ type: "chosen", choices: answer.choices });
        break;
      default:
        never(answer);
    }
    return true;
  }

  /** An open question, with what it is about. */
  find(requestID: string): { request: PermissionRequest; question: Question } | undefined {
    return this.#open.get(requestID);
  }

  /** To be called when the mode or the rules change: settles the open questions that they now answer. */
  changed(): void {
    for (const { question, settle } of [...this.#open.values()]) {
      if (question.hook?.decision === "ask") continue;
      const judged = this.#judged(question);
      if (strictest(judged.map((one) => one.judgement)) === "allow") settle(allowed);
    }
  }

  #judged({ needs, tool, lineage }: Question): { need: PermissionRequirement; judgement: Judgement }[] {
    return needs.map((need) => ({ need, judgement: this.judge(need, tool, lineage) }));
  }

  /** Without words the turn stops, so nothing else of it can be asked any more. */
  #refuse(equal: readonly Open[], words: string): void {
    for (const { settle } of words === "" ? [...this.#open.values()] : equal) settle({ type: "refused", words });
  }

  #ask(request: PermissionRequest, question: Question, signal: AbortSignal): Promise<Verdict> {
    const { id } = request;
    return new Promise((resolve, reject) => {
      const close = () => {
        this.#open.delete(id);
        signal.removeEventListener("abort", abort);
        this.#options.emit({ type: "answered", requestID: id });
      };
      const abort = () => {
        close();
        reject(signal.reason);
      };
      this.#open.set(id, {
        request,
        question,
        settle(verdict) {
          close();
          resolve(verdict);
        },
      });
      signal.addEventListener("abort", abort, { once: true });
      this.#options.emit({ type: "asked", request });
      if (signal.aborted) abort();
    });
  }
}

function requestOf(
  question: Question,
  asking: readonly PermissionRequirement[],
  reason: string,
  always: Rule[],
): PermissionRequest {
  const { needs: _, input: __, lineage: ___, hook: ____, ...shown } = question;
  return {
    ...shown,
    id: newID("per"),
    reason,
    permission: asking[0]?.permission ?? question.tool,
    patterns: asking.map((need) => need.pattern),
    always,
  };
}

function isSame(a: Open, b: Open): boolean {
  if (a === b) return true;
  const about = ({ request: { permission, patterns, tool, title }, question: { input } }: Open) => {
    return { permission, patterns, tool, title, input };
  };
  return sameJson(about(a), about(b));
}

/** The user may edit the pattern that was offered, nothing else. */
function isOffered(rule: Rule, offered: readonly Rule[]): boolean {
  return rule.action === "allow" && offered.some(({ permission }) => permission === rule.permission);
}
