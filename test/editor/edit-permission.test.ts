/** Edits that the user asks for at a place: rules, protected files and Plan mode hold. */
import assert from "node:assert/strict";
import type { Rule } from "../../src/chat/requests.ts";
import { editPermission } from "../../src/extension/editor/inline/edit-permission.ts";
import type { RuleBook } from "../../src/loop/permissions/rules.ts";
import { TestWorkspace } from "../tools/workspace.ts";

describe("permission for an inline prompt", () => {
  let work: TestWorkspace;
  beforeEach(() => {
    work = new TestWorkspace();
    for (const name of ["src/a.ts", "gen/b.ts", "AGENTS.md"]) work.put(name, "one\n");
  });
  afterEach(() => work.dispose());

  const rule = (pattern: string, action: Rule["action"], permission = "edit"): Rule => ({
    permission,
    pattern,
    action,
  });
  async function permits(file: string, book: Partial<RuleBook>) {
    const location = await work.host.workspace.locate(work.path(file));
    return editPermission(location, { mode: "default", user: [], workspace: [], ...book });
  }

  it("T6 takes the user's wish for the answer where only the mode would ask", async () => {
    assert.deepEqual(await permits("src/a.ts", {}), { type: "allowed" });
    assert.deepEqual(await permits("src/a.ts", { mode: "acceptEdits" }), { type: "allowed" });
  });

  it("T6 changes nothing in Plan mode, whatever the rules allow", async () => {
    const found = await permits("src/a.ts", { mode: "plan", user: [rule("*", "allow")] });
    assert.deepEqual(found, { type: "denied", why: "The mode is Plan: nothing is changed." });
  });

  it("T8 holds to rules that deny editing, in each list and also for reading", async () => {
    const denied = { type: "denied", why: "Your rule `gen/**` denies it." };
    assert.deepEqual(await permits("gen/b.ts", { user: [rule("gen/**", "deny")] }), denied);
    assert.deepEqual(await permits("gen/b.ts", { workspace: [rule("gen/**", "deny")] }), denied);
    assert.deepEqual(await permits("gen/b.ts", { mode: "bypassPermissions", user: [rule("gen/**", "deny")] }), denied);
    assert.deepEqual(await permits("gen/b.ts", { user: [rule("gen/**", "deny", "read")] }), denied);
    assert.deepEqual(await permits("src/a.ts", { user: [rule("gen/**", "deny")] }), { type: "allowed" });
  });

  it("T8 asks where a rule asks, and for files that control what runs", async () => {
    assert.equal((await permits("gen/b.ts", { user: [rule("gen/**", "ask")] })).type, "ask");
    for (const mode of ["default", "acceptEdits", "bypassPermissions"] as const) {
      const found = await permits("AGENTS.md", { mode, user: [rule("*", "allow")] });
      assert.equal(found.type, "ask");
      assert.match(found.type === "ask" ? found.why : "", /controls what an agent may do/);
    }
  });
});
