/** How far a rule of "Always allow" holds: a session, the workspace, everywhere (T7). */
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Rule } from "../../src/chat/requests.ts";
import { StoredRules } from "../../src/extension/rules/stored-rules.ts";
import { watchSettings } from "../../src/extension/settings.ts";

const allow = (pattern: string): Rule => ({ permission: "bash", pattern, action: "allow" });

/** What VS Code keeps of a workspace, through JSON as there. */
function memento(): vscode.Memento {
  const values = new Map<string, string>();
  return {
    keys: () => [...values.keys()],
    get: (key: string, missing?: unknown) => (values.has(key) ? JSON.parse(values.get(key) ?? "") : missing),
    update: async (key: string, value: unknown) => void values.set(key, JSON.stringify(value)),
  };
}

describe("T7 the scope of a rule", () => {
  let watch: vscode.Disposable;
  let memory: vscode.Memento;
  let rules: StoredRules;
  const agent = { name: "build", permission: [] };
  const setting = () => vscode.workspace.getConfiguration("rondo").inspect("permission.rules");
  const clear = () =>
    vscode.workspace.getConfiguration("rondo").update("permission.rules", undefined, vscode.ConfigurationTarget.Global);
  const patterns = (list: readonly Rule[]) => list.map(({ pattern }) => pattern);
  const rowsOf = (session: string) =>
    rules
      .rows(agent, session)
      .filter(({ source }) => source !== "built-in")
      .map(({ source, rule }) => `${source} ${rule.pattern}`);

  before(() => {
    watch = watchSettings(() => {});
  });
  beforeEach(() => {
    memory = memento();
    rules = new StoredRules(memory);
  });
  afterEach(async () => {
    rules.dispose();
    await clear();
  });
  after(() => watch.dispose());

  it("T7 of a session: in force there alone, last, and still there after a reload", async () => {
    await rules.keep([allow("a")], "workspace", "one");
    await rules.keep([allow("b")], "session", "one");
    assert.deepEqual(patterns(rules.inForce("one").workspace), ["a", "b"]);
    assert.deepEqual(patterns(rules.inForce("two").workspace), ["a"]);
    assert.deepEqual(patterns(rules.inForce().workspace), ["a"]);
    rules.dispose();
    rules = new StoredRules(memory);
    assert.deepEqual(patterns(rules.inForce("one").workspace), ["a", "b"]);
    assert.deepEqual(rowsOf("one"), ["workspace a", "session b"]);
    await rules.remove(allow("b"), "session", "one");
    assert.deepEqual(rowsOf("one"), ["workspace a"]);
  });

  it("T7 everywhere: in force at once, then in the user's settings, and removed there", async () => {
    const written = rules.keep([allow("c")], "everywhere", "one");
    assert.deepEqual(patterns(rules.inForce("two").user), ["c"]);
    await written;
    assert.deepEqual(setting()?.globalValue, [allow("c")]);
    assert.deepEqual(patterns(rules.inForce().user), ["c"], "once");
    assert.deepEqual(memory.keys(), [], "nothing is kept for the workspace");
    assert.deepEqual(rowsOf("one"), ["settings c"]);
    await rules.remove(allow("c"), "settings", "one");
    assert.equal(setting()?.globalValue, undefined);
  });

  it("T7 no rules are kept where none was offered", async () => {
    for (const scope of ["session", "workspace", "everywhere"] as const) await rules.keep([], scope, "one");
    assert.deepEqual(memory.keys(), []);
    assert.equal(setting()?.globalValue, undefined);
  });

  it("T7 the rules of the newest 50 sessions are kept", async () => {
    for (let at = 0; at < 51; at++) await rules.keep([allow(`${at}`)], "session", `ses_${at}`);
    assert.deepEqual(patterns(rules.inForce("ses_0").workspace), []);
    assert.deepEqual(patterns(rules.inForce("ses_1").workspace), ["1"]);
  });
});
