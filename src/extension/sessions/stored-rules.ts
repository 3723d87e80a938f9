/** The rules of this workspace: those in force, how often each has decided, and the page that lists them. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import type { RuleRow } from "../../chat/protocol.ts";
import { Rule } from "../../chat/requests.ts";
import { builtInRules } from "../../loop/permissions/rules.ts";
import { readSettings } from "../settings.ts";

/** Where VS Code keeps them for the workspace: nothing that an agent can write to. */
const keys = { rules: "rondo.rules", use: "rondo.ruleUse" };

/** By rule, as JSON. */
const Use = z.record(z.string(), z.object({ count: z.number(), lastAt: z.number() }));
type Use = z.infer<typeof Use>;

/** Longest that a count waits to be kept, in ms. */
const keepAfter = 2_000;

export class StoredRules implements vscode.Disposable {
  readonly #memory: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  /** Rules, or how often one has decided, have changed. */
  readonly onDidChange = this.#changed.event;
  readonly #use: Use;
  #timer: NodeJS.Timeout | undefined;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
    this.#use = Use.safeParse(memory.get(keys.use)).data ?? {};
  }

  inForce(): { user: readonly Rule[]; workspace: readonly Rule[] } {
    return { user: readSettings().rules, workspace: this.#given() };
  }

  /** Keeps rules that were given with "Always allow". */
  keep(rules: readonly Rule[]): void {
    this.#store([...this.#given(), ...rules]);
  }

  used(rule: Rule): void {
    const key = nameOf(rule);
    this.#use[key] = { count: (this.#use[key]?.count ?? 0) + 1, lastAt: Date.now() };
    this.#timer ??= setTimeout(() => this.#keepUse(), keepAfter);
    this.#changed.fire();
  }

  async remove(rule: Rule, source: "settings" | "workspace"): Promise<void> {
    const others = (rules: readonly Rule[]) => rules.filter((other) => nameOf(other) !== nameOf(rule));
    if (source === "workspace") {
      this.#store(others(this.#given()));
      return;
    }
    const settings = vscode.workspace.getConfiguration("rondo");
    const left = others(readSettings().rules);
    await settings.update("permission.rules", left.length > 0 ? left : undefined, vscode.ConfigurationTarget.Global);
    this.#changed.fire();
  }

  /** The strongest come last, as they are judged. `agent`: who answers, with its own rules. */
  rows(agent: { name: string; permission: readonly Rule[] }): RuleRow[] {
    const row = (source: RuleRow["source"], name: string) => (rule: Rule) => {
      const { permission, pattern, action } = rule;
      const { count = 0, lastAt } = this.#use[nameOf(rule)] ?? {};
      return { rule: { permission, pattern, action }, source, agent: name, count, lastAt };
    };
    return [
      ...builtInRules.map(row("built-in", "")),
      ...agent.permission.map(row("agent", agent.name)),
      ...readSettings().rules.map(row("settings", "")),
      ...this.#given().map(row("workspace", "")),
    ];
  }

  dispose(): void {
    this.#keepUse();
    this.#changed.dispose();
  }

  #given(): Rule[] {
    return z.array(Rule).safeParse(this.#memory.get(keys.rules)).data ?? [];
  }

  /** Of equal rules the last counts, which is the stronger place. */
  #store(rules: readonly Rule[]): void {
    const unique = rules.filter((rule, at) => !rules.slice(at + 1).some((later) => nameOf(later) === nameOf(rule)));
    void this.#memory.update(keys.rules, unique);
    this.#changed.fire();
  }

  #keepUse(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#memory.update(keys.use, this.#use);
  }
}

function nameOf({ permission, pattern, action }: Rule): string {
  return JSON.stringify([permission, pattern, action]);
}
