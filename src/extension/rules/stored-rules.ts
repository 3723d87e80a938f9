/** The permission rules of the user, of this workspace and of its sessions, and how often each has decided. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import { never } from "../../base/never.ts";
import { Rule } from "../../chat/requests.ts";
import type { RuleScope } from "../../chat/rule-scopes.ts";
import type { RuleRow } from "../../chat/rule-views.ts";
import { builtInRules } from "../../loop/permissions/rules.ts";
import { readSettings } from "../settings.ts";

/** Keys of values that VS Code keeps for this workspace, where no agent can write. */
const keys = { rules: "rondo.rules", sessions: "rondo.sessionRules", use: "rondo.ruleUse" };

/** By session, the newest last. */
const SessionRules = z.array(z.object({ id: z.string(), rules: z.array(Rule) }));
/** Rules of older sessions are forgotten. */
const maxSessions = 50;

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
  /** Rules that are being written to the settings. */
  #pending: Rule[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
    this.#use = RuleUse.safeParse(memory.get(keys.use)).data ?? {};
  }

  /** `sessionID`: a session with rules of its own, which come last. */
  inForce(sessionID?: string): { user: readonly Rule[]; workspace: readonly Rule[] } {
    return { user: this.#userRules(), workspace: [...this.#workspaceRules(), ...this.#rulesOf(sessionID)] };
  }

  /** Adds rules. They are in force at once, also while the settings are being written. */
  async keep(rules: readonly Rule[], scope: RuleScope, sessionID: string): Promise<void> {
    if (rules.length === 0) return;
    switch (scope) {
      case "session":
        this.#storeOf(sessionID, [...this.#rulesOf(sessionID), ...rules]);
        return;
      case "workspace":
        this.#store([...this.#workspaceRules(), ...rules]);
        return;
      case "everywhere":
        return await this.#keepEverywhere(rules);
      default:
        never(scope);
    }
  }

  async #keepEverywhere(rules: readonly Rule[]): Promise<void> {
    this.#pending.push(...rules);
    this.#changed.fire();
    try {
      await writeUserRules(lastOfEach([...readSettings().rules, ...rules]));
    } catch (error) {
      // The settings cannot be written: the answer of the user holds at least here.
      this.#store([...this.#workspaceRules(), ...rules]);
      throw error;
    } finally {
      this.#pending = this.#pending.filter((rule) => !rules.includes(rule));
      this.#changed.fire();
    }
  }

  used(rule: Rule): void {
    const key = ruleKey(rule);
    this.#use[key] = { count: (this.#use[key]?.count ?? 0) + 1, lastAt: Date.now() };
    this.#timer ??= setTimeout(() => this.#storeUse(), storeDelayMs);
    this.#changed.fire();
  }

  async remove(rule: Rule, source: "settings" | "workspace" | "session", sessionID: string): Promise<void> {
    const others = (rules: readonly Rule[]) => rules.filter((other) => ruleKey(other) !== ruleKey(rule));
    if (source === "workspace") {
      this.#store(others(this.#workspaceRules()));
      return;
    }
    if (source === "session") {
      this.#storeOf(sessionID, others(this.#rulesOf(sessionID)));
      return;
    }
    await writeUserRules(others(readSettings().rules));
    this.#changed.fire();
  }

  /** Returns all rules in order of evaluation: the last match wins. `agent`: the current agent with its rules. */
  rows(agent: { name: string; permission: readonly Rule[] }, sessionID: string): RuleRow[] {
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
      ...this.#rulesOf(sessionID).map(row("session", "")),
    ];
  }

  dispose(): void {
    this.#storeUse();
    this.#changed.dispose();
  }

  /** In a folder that the user does not trust, their rules only narrow. */
  #userRules(): Rule[] {
    const rules = [...readSettings().rules, ...this.#pending];
    return vscode.workspace.isTrusted ? rules : rules.filter(({ action }) => action !== "allow");
  }

  #sessions(): z.infer<typeof SessionRules> {
    return SessionRules.safeParse(this.#memory.get(keys.sessions)).data ?? [];
  }

  #rulesOf(sessionID: string | undefined): Rule[] {
    return this.#sessions().find(({ id }) => id === sessionID)?.rules ?? [];
  }

  #storeOf(sessionID: string, rules: readonly Rule[]): void {
    const others = this.#sessions().filter(({ id }) => id !== sessionID);
    const own = rules.length > 0 ? [{ id: sessionID, rules: lastOfEach(rules) }] : [];
    void this.#memory.update(keys.sessions, [...others, ...own].slice(-maxSessions));
    this.#changed.fire();
  }

  #workspaceRules(): Rule[] {
    return z.array(Rule).safeParse(this.#memory.get(keys.rules)).data ?? [];
  }

  #store(rules: readonly Rule[]): void {
    void this.#memory.update(keys.rules, lastOfEach(rules));
    this.#changed.fire();
  }

  #storeUse(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#memory.update(keys.use, this.#use);
  }
}

async function writeUserRules(rules: readonly Rule[]): Promise<void> {
  const settings = vscode.workspace.getConfiguration("rondo");
  const target = vscode.ConfigurationTarget.Global;
  await settings.update("permission.rules", rules.length > 0 ? rules : undefined, target);
}

/** Of several equal rules the last one is kept, since the last match wins. */
function lastOfEach(rules: readonly Rule[]): Rule[] {
  return rules.filter((rule, at) => !rules.slice(at + 1).some((later) => ruleKey(later) === ruleKey(rule)));
}

function ruleKey({ permission, pattern, action }: Rule): string {
  return JSON.stringify([permission, pattern, action]);
}
