/** The rules of "Always allow" while the user edits them. */
import type { PermissionRequest, Rule, RuleScope, RuleTrial } from "../../src/chat/requests.ts";
import { Debounce } from "../lib/debounce.ts";
import { panel } from "../lib/panel.svelte.ts";
import { send } from "../lib/vscode-api.ts";

export class AlwaysRules {
  readonly offered: readonly Rule[];
  readonly #requestID: string;
  readonly #debounce = new Debounce();
  patterns: string[] = $state([]);
  ticked: boolean[] = $state([]);
  scope = $state<RuleScope>("session");
  /** The host's results are for these patterns. */
  #tried = $state.raw<readonly string[]>([]);
  /** The results before the newest question to the host, which are for other patterns. */
  #before = $state.raw<unknown>();

  readonly #trials = $derived.by(() =>
    panel.tried?.requestID === this.#requestID && panel.tried !== this.#before ? panel.tried.trials : [],
  );
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
    return this.#tried[at] === this.patterns[at] ? this.#trials[at] : undefined;
  }

  /** Asks what the rules would allow. */
  try(): void {
    const rules = this.#all();
    this.#tried = [...this.patterns];
    this.#before = panel.tried;
    send({ type: "try-rules", requestID: this.#requestID, rules });
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
