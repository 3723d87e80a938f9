/** The rules of "Always allow" while the user edits them. */
import type { PermissionRequest, Rule, RuleTrial } from "../../src/chat/requests.ts";
import type { RuleScope } from "../../src/chat/rule-scopes.ts";
import { Debounce } from "../panel/debounce.ts";
import { panel } from "../panel/panel.svelte.ts";
import { send } from "../panel/vscode-api.ts";

export class AlwaysRules {
  readonly offered: readonly Rule[];
  readonly #requestID: string;
  readonly #debounce = new Debounce();
  patterns: string[] = $state([]);
  ticked: boolean[] = $state([]);
  scope = $state<RuleScope>("session");
  readonly #results = $derived.by(() => (panel.tried?.requestID === this.#requestID ? panel.tried : undefined));
  /** The rules to keep. */
  readonly rules = $derived.by(() => this.#all().filter((_, at) => this.ticked[at]));
  readonly possible = $derived.by(
    () => this.rules.length > 0 && this.patterns.every((pattern, at) => !this.ticked[at] || this.#isGiven(pattern, at)),
  );

  constructor({ id, always }: PermissionRequest) {
    this.#requestID = id;
    this.offered = always;
    this.patterns = always.map(({ pattern }) => pattern);
    this.ticked = always.map(() => true);
  }

  /** Undefined until the host has tried the pattern as it is now. */
  trialOf(at: number): RuleTrial | undefined {
    const rule = this.#all()[at];
    return rule && this.#results?.rules[at]?.pattern === rule.pattern ? this.#results.trials[at] : undefined;
  }

  /** Asks what the rules would allow. */
  try(): void {
    send({ type: "try-rules", requestID: this.#requestID, rules: this.#all() });
  }

  write(at: number, pattern: string): void {
    this.patterns[at] = pattern;
    this.#debounce.run(() => this.try());
  }

  close(): void {
    this.#debounce.cancel();
  }

  #all(): Rule[] {
    return this.offered.map((rule, at) => ({ ...rule, pattern: this.patterns[at]?.trim() ?? rule.pattern }));
  }

  #isGiven(pattern: string, at: number): boolean {
    if (pattern.trim() === "") return false;
    return pattern === this.offered[at]?.pattern || this.trialOf(at)?.invalid === "";
  }
}
