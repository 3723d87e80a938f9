/** Open questions, and the answers that settle them (spec T7). */
import type { Need } from "../tools/tool.ts";
import type { ChatEvent, PermissionRequest, Rule } from "./events.ts";
import { newID } from "./id.ts";
import { never } from "./never.ts";
import { alwaysRules, type Judgement, judge, type RuleBook, strictest } from "./rules.ts";

export type Answer =
  | { type: "once" }
  | { type: "always"; rules: Rule[] }
  /** With words the turn goes on and the model is told them; without, it stops. */
  | { type: "deny"; words: string };

export type Verdict =
  | { type: "allow" }
  /** A rule denies it, or nobody is there to ask. */
  | { type: "denied"; why: string }
  | { type: "refused"; words: string };

/** What asks, apart from its id and its reason. */
export type Question = Omit<PermissionRequest, "id" | "reason" | "permission" | "patterns" | "always"> & {
  needs: readonly Need[];
};

export interface PermissionsOptions {
  book(): RuleBook;
  /** Keeps rules given with "Always allow". */
  keep(rules: Rule[]): void;
  emit(event: ChatEvent): void;
  /** Whether somebody can answer. In a headless run nobody can, and what asks is denied. */
  attended: boolean;
}

interface Open {
  question: Question;
  /** What "Always allow" may add. */
  always: readonly Rule[];
  settle(verdict: Verdict): void;
}

export class Permissions {
  readonly #open = new Map<string, Open>();
  readonly #options: PermissionsOptions;

  constructor(options: PermissionsOptions) {
    this.#options = options;
  }

  judge(need: Need, tool: string): Judgement {
    return judge(need, tool, this.#options.book());
  }

  /** Judges all needs by the rules and asks the user when they say so. Rejects with the signal's reason on abort. */
  async allow(question: Question, signal: AbortSignal): Promise<Verdict> {
    const judged = question.needs.map((need) => ({ need, judgement: this.judge(need, question.tool) }));
    const decision = strictest(judged.map((one) => one.judgement));
    if (decision === "allow") return { type: "allow" };
    if (decision === "deny") {
      return { type: "denied", why: judged.find((one) => one.judgement.decision === "deny")?.judgement.why ?? "" };
    }
    const asking = judged.filter((one) => one.judgement.decision === "ask");
    const reason = asking[0]?.judgement.why ?? "";
    if (!this.#options.attended) return { type: "denied", why: `${reason} Nobody is there to ask.` };
    return await this.#ask(
      question,
      asking.map((one) => one.need),
      reason,
      signal,
    );
  }

  /** @returns whether the request was open */
  answer(requestID: string, answer: Answer): boolean {
    const open = this.#open.get(requestID);
    if (!open) return false;
    switch (answer.type) {
      case "once":
        open.settle({ type: "allow" });
        break;
      case "always":
        this.#options.keep(answer.rules.filter((rule) => isOffered(rule, open.always)));
        open.settle({ type: "allow" });
        this.changed();
        break;
      case "deny":
        this.#refuse(open, answer.words.trim());
        break;
      default:
        never(answer);
    }
    return true;
  }

  /** To be called when the mode or the rules change: settles the open questions that they now answer. */
  changed(): void {
    for (const { question, settle } of [...this.#open.values()]) {
      const judgements = question.needs.map((need) => this.judge(need, question.tool));
      if (strictest(judgements) === "allow") settle({ type: "allow" });
    }
  }

  /** Without words the turn stops, so nothing else of it can be asked any more. */
  #refuse(open: Open, words: string): void {
    const refused = words === "" ? [...this.#open.values()] : [open];
    for (const { settle } of refused) settle({ type: "refused", words });
  }

  #ask(question: Question, asking: readonly Need[], reason: string, signal: AbortSignal): Promise<Verdict> {
    const id = newID("per");
    const { needs: _, ...shown } = question;
    const request: PermissionRequest = {
      ...shown,
      id,
      reason,
      permission: asking[0]?.permission ?? question.tool,
      patterns: asking.map((need) => need.pattern),
      always: alwaysRules(asking),
    };
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
        question,
        always: request.always,
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

/** The user may edit the pattern that was offered, nothing else. */
function isOffered(rule: Rule, offered: readonly Rule[]): boolean {
  return rule.action === "allow" && offered.some(({ permission }) => permission === rule.permission);
}
