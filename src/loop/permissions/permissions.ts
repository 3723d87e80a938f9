/** Decides whether a call may run: by the rules, or by asking the user (spec T6, T7). */

import { newID } from "../../base/ids.ts";
import type { Answer, AnswerTo, AskReason, LoopRequest, PermissionRequest, Rule } from "../../chat/requests.ts";
import { msg } from "../../l10n/l10n.ts";
import type { Host } from "../../tools/host.ts";
import type { PermissionRequirement, ToolPlan } from "../../tools/tool.ts";
import type { OpenRequests } from "./open-requests.ts";
import { allowedParts, effectsOf, type Judged, noAlwaysFor, reasonsOf } from "./reasons.ts";
import { ruledHost } from "./ruled-host.ts";
import { alwaysRules, type Judgement, judge, type Lineage, needsOwnRule, type RuleBook, strictest } from "./rules.ts";

export type CallToJudge = Omit<
  PermissionRequest,
  "kind" | "id" | "reason" | "reasons" | "permission" | "patterns" | "always" | "noAlways"
> & {
  input: Record<string, unknown>;
  requires: readonly PermissionRequirement[];
  lineage: Lineage;
  effects?: ToolPlan["effects"];
  /** A hook's decision, or an earlier answer: `ask` always asks, `allow` allows all but protected files. */
  hook: { decision: "allow" | "ask"; reason: string } | undefined;
};

type RepeatedCall = Pick<CallToJudge, "sessionID" | "messageID" | "partID" | "callID" | "tool" | "input" | "lineage">;

export interface Forbidden {
  type: "forbidden";
  why: string;
}

/** The user's answer, or what decided before. */
export type Verdict = AnswerTo<PermissionRequest> | { type: "allowed"; why: string } | Forbidden;

export type BeforeAsking = (request: PermissionRequest) => Promise<Verdict | undefined>;

export interface PermissionsOptions {
  requests: OpenRequests;
  book(): RuleBook;
  used(rule: Rule): void;
  /** Whether someone can answer. If not, as in a headless run, calls that would ask are denied. */
  attended: boolean;
  /** The user sees a question that is still looked at after this time; undefined: never before the look ends. */
  lookPatienceMs?: number | undefined;
}

const allowed = { kind: "permission", type: "once" } as const satisfies Answer;
const repeatAllowed = { kind: "loop", type: "continue" } as const satisfies Answer;

export class Permissions {
  readonly requests: OpenRequests;
  readonly attended: boolean;
  readonly #options: PermissionsOptions;

  constructor(options: PermissionsOptions) {
    this.requests = options.requests;
    this.attended = options.attended;
    this.#options = options;
  }

  judge(need: PermissionRequirement, tool: string, lineage: Lineage): Judgement {
    return judge(need, tool, this.#options.book(), lineage);
  }

  /** Returns the host as a tool may see it by the rules in force. */
  hostFor(host: Host, tool: string, lineage: Lineage): Host {
    return ruledHost(host, { tool, book: this.#options.book(), lineage });
  }

  /** Checks a call by the rules and asks the user if necessary. Rejects with the signal's reason on abort. */
  async allow(call: CallToJudge, before: BeforeAsking, signal: AbortSignal): Promise<Verdict> {
    const judged = this.#judged(call);
    for (const { judgement } of judged) if (judgement.rule) this.#options.used(judgement.rule);
    const denial = judged.find((one) => one.judgement.decision === "deny");
    if (denial) return forbidden(denial.judgement.why);
    const asking = judged.filter((one) => one.judgement.decision === "ask");
    const isProtected = asking.some(({ need }) => need.protection !== "none" || needsOwnRule(need));
    const { hook } = call;
    if (hook?.decision === "allow" && !isProtected) return { type: "allowed", why: msg("Allowed by a hook.") };
    const forced = hook?.decision === "ask";
    if (asking.length === 0 && !forced) {
      return { type: "allowed", why: judged[0]?.judgement.why ?? msg("Needs no permission.") };
    }
    const reason = asking[0]?.judgement.why ?? (hook?.reason || msg("A hook wants you to be asked."));
    const asked = asking.length > 0 ? asking : judged;
    // No rule can allow a call for which a hook always asks.
    const bare = requestOf(call, asked, reason, forced ? [] : alwaysRules(asked.map((one) => one.need)));
    const verdict = await before(bare);
    if (verdict && !(verdict.type !== "forbidden" && verdict.type !== "deny" && isProtected)) return verdict;
    if (!this.attended) return forbidden(`${reason} ${msg("Nobody can answer.")}`);
    const closed = new AbortController();
    const whole = explained(bare, call, judged, AbortSignal.any([signal, closed.signal]));
    const request = await inTime(whole, this.#options.lookPatienceMs, { ...bare, looking: true });
    whole
      .then((found) => this.requests.revise(found))
      .catch(() => {
        // It was cut off: its question is closed.
      });
    try {
      // The mode or the rules may have changed meanwhile.
      if (!forced && this.#isAllowed(call)) return allowed;
      const { permission, patterns, tool, title } = request;
      return await this.requests.ask(request, {
        signal,
        subject: { permission, patterns, tool, title, input: call.input },
        reconsider: () => (!forced && this.#isAllowed(call) ? allowed : undefined),
      });
    } finally {
      closed.abort();
    }
  }

  /** Decides about a repeated call by the rules for `doom_loop`, or by asking the user after `notify`. */
  async allowRepeat(
    call: RepeatedCall,
    notify: () => void,
    signal: AbortSignal,
  ): Promise<AnswerTo<LoopRequest> | Forbidden> {
    const { input, lineage, ...about } = call;
    const { tool } = about;
    const need: PermissionRequirement = {
      permission: "doom_loop",
      pattern: tool,
      suggestedRule: tool,
      match: "exact",
      protection: "none",
      effect: "",
    };
    // Bypass allows what a call does, not that it is repeated: only a rule for `doom_loop` does.
    const judgeRepeat = () => judge(need, tool, { ...this.#options.book(), mode: "default" }, lineage);
    const { decision, why, rule } = judgeRepeat();
    if (rule) this.#options.used(rule);
    if (decision === "deny") return forbidden(why);
    if (decision === "allow") return repeatAllowed;
    if (!this.attended) return forbidden(`${why} ${msg("Nobody can answer.")}`);
    if (this.#options.book().mode === "bypassPermissions")
      return forbidden(`${why} ${msg("In Bypass nobody is asked.")}`);
    notify();
    const text = JSON.stringify(input, undefined, 2).slice(0, 10_000);
    return await this.requests.ask(
      { kind: "loop", id: newID("per"), ...about, reason: why, input: text, always: alwaysRules([need]) },
      {
        signal,
        subject: { tool, input },
        reconsider: () => (judgeRepeat().decision === "allow" ? repeatAllowed : undefined),
      },
    );
  }

  #isAllowed(call: CallToJudge): boolean {
    return strictest(this.#judged(call).map((one) => one.judgement)) === "allow";
  }

  #judged({ requires, tool, lineage }: CallToJudge): Judged[] {
    return requires.map((need) => ({ need, judgement: this.judge(need, tool, lineage) }));
  }
}

function forbidden(why: string): Forbidden {
  return { type: "forbidden", why };
}

/** Returns the result if it is there within `ms`, else `meanwhile`. */
async function inTime<T>(result: Promise<T>, ms: number | undefined, meanwhile: T): Promise<T> {
  if (ms === undefined) return await result;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(meanwhile), ms);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Adds what the call would do, as far as that can be found out while the user waits. */
async function explained(
  request: PermissionRequest,
  call: CallToJudge,
  judged: readonly Judged[],
  signal: AbortSignal,
): Promise<PermissionRequest> {
  const asking = judged.filter(({ judgement }) => judgement.decision === "ask");
  const effects = await effectsOf(call, signal);
  const { preview, reason, always } = request;
  // A hook asks for what the rules allow.
  const byHook: AskReason[] = [{ risk: "no-rule", sentence: reason, detail: "", marks: [] }];
  const reasons = asking.length > 0 ? reasonsOf(asking, effects) : byHook;
  const needs = call.hook?.decision === "ask" ? [] : asking.map(({ need }) => need);
  const noAlways = always.length > 0 ? "" : noAlwaysFor(needs, reasons);
  if (preview.type !== "command") return { ...request, reasons, noAlways };
  const { connectors } = effects;
  const allowed = allowedParts(judged, preview.command);
  return { ...request, reasons, noAlways, preview: { ...preview, connectors, allowed } };
}

function requestOf(call: CallToJudge, asking: readonly Judged[], reason: string, always: Rule[]): PermissionRequest {
  const { requires: _, input: __, lineage: ___, hook: ____, effects: _____, ...shown } = call;
  return {
    kind: "permission",
    id: newID("per"),
    ...shown,
    reason,
    reasons: [],
    permission: asking[0]?.need.permission ?? call.tool,
    patterns: asking.map(({ need }) => need.pattern),
    always,
    noAlways: "",
  };
}
