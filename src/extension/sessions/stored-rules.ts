/** The permission rules of this workspace, and how often each has decided. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import type { RuleRow } from "../../chat/protocol.ts";
import { Rule } from "../../chat/requests.ts";
import { builtInRules } from "../../loop/permissions/rules.ts";
import { readSettings } from "../settings.ts";

/** Keys of values that VS Code keeps for this workspace, where no agent can write. */
const keys = { rules: "rondo.rules", use: "rondo.ruleUse" };

/** By rule, as JSON. */
const RuleUse = z.record(z.string(), z.object({ count: z.number(), lastAt: z.number() }));
type RuleUse = z.infer<typeof RuleUse>;

/** Counts within this time are stored together. */
const storeDelayMs = 2_000;

export class StoredRules implements vscode.Disposable {
  readonly #memory: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #use: RuleUse;
  #timer: NodeJS.Timeout | undefined;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
    this.#use = RuleUse.safeParse(memory.get(keys.use)).data ?? {};
  }

  inForce(): { user: readonly Rule[]; workspace: readonly Rule[] } {
    return { user: readSettings().rules, workspace: this.#workspaceRules() };
  }

  keep(rules: readonly Rule[]): void {
    this.#store([...this.#workspaceRules(), ...rules]);
  }

  used(rule: Rule): void {
    const key = ruleKey(rule);
    this.#use[key] = { count: (this.#use[key]?.count ?? 0) + 1, lastAt: Date.now() };
    this.#timer ??= setTimeout(() => this.#storeUse(), storeDelayMs);
    this.#changed.fire();
  }

  async remove(rule: Rule, source: "settings" | "workspace"): Promise<void> {
    const others = (rules: readonly Rule[]) => rules.filter((other) => ruleKey(other) !== ruleKey(rule));
    if (source === "workspace") {
      this.#store(others(this.#workspaceRules()));
      return;
    }
    const settings = vscode.workspace.getConfiguration("rondo");
    const left = others(readSettings().rules);
    await settings.update("permission.rules", left.length > 0 ? left : undefined, vscode.ConfigurationTarget.Global);
    this.#changed.fire();
  }

  /** Returns all rules in order of evaluation: the last match wins. `agent`: the current agent with its rules. */
  rows(agent: { name: string; permission: readonly Rule[] }): RuleRow[] {
    const row = (source: RuleRow["source"], name: string) => (rule: Rule) => {
      const { permission, pattern, action } = rule;
      const { count = 0, lastAt } = this.#use[ruleKey(rule)] ?? {};
      return { rule: { permission, pattern, action }, source, agent: name, count, lastAt };
    };
    return [
      ...builtInRules.map(row("built-in", "")),
      ...agent.permission.map(row("agent", agent.name)),
      ...readSettings().rules.map(row("settings", "")),
      ...this.#workspaceRules().map(row("workspace", "")),
    ];
  }

  dispose(): void {
    this.#storeUse();
    this.#changed.dispose();
  }

  #workspaceRules(): Rule[] {
    return z.array(Rule).safeParse(this.#memory.get(keys.rules)).data ?? [];
  }

  /** Stores the rules. The last of several equal rules is kept, since the last match wins. */
  #store(rules: readonly Rule[]): void {
    const unique = rules.filter((rule, at) => !rules.slice(at + 1).some((later) => ruleKey(later) === ruleKey(rule)));
    void this.#memory.update(keys.rules, unique);
    this.#changed.fire();
  }

  #storeUse(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#memory.update(keys.use, this.#use);
  }
}

function ruleKey({ permission, pattern, action }: Rule): string {
  return JSON.stringify([permission, pattern, action]);
}
