/** Why calls are allowed, asked about and denied, and what a rule is about (spec T1, T7, T8, S1). */
import assert from "node:assert/strict";
import * as z from "zod/mini";
import type { PermissionMode } from "../../src/chat/permission-mode.ts";
import type { Rule } from "../../src/chat/requests.ts";
import { isWhollyDenied, judge, type Lineage } from "../../src/loop/permissions/rules.ts";
import { defineTool, type PermissionRequirement, type Restriction, type Tool } from "../../src/tools/tool.ts";

const rules = (...texts: string[]): Rule[] =>
  texts.map((text) => {
    const [, action = "", permission = "", pattern = ""] = /^(\S+) (\S+) (.*)$/s.exec(text) ?? [];
    return { action: action as Rule["action"], permission, pattern }; // the tests below use only these three
  });

function need(permission: string, pattern: string, more: Partial<PermissionRequirement> = {}): PermissionRequirement {
  return { permission, pattern, suggestedRule: undefined, match: "pattern", protection: "none", effect: "", ...more };
}

interface Given {
  user?: string[];
  workspace?: string[];
  mode?: PermissionMode;
  agents?: Lineage;
}

function judged(one: PermissionRequirement, given: Given = {}, tool = one.permission) {
  const { user = [], workspace = [], mode = "default", agents } = given;
  return judge(one, tool, { mode, user: rules(...user), workspace: rules(...workspace) }, agents);
}

/** "ask: Your rule …" */
function said(...of: Parameters<typeof judged>): string {
  const { decision, why } = judged(...of);
  return `${decision}: ${why}`;
}

const agent = (name: string, source: "user" | "workspace", ...permission: string[]) => ({
  name,
  source,
  permission: rules(...permission),
});

/** A part of a command for which some patterns apply for certain, or depending on what is known when it runs. */
const running = (text: string, readings: Record<string, Restriction>, whole = text) =>
  need("bash", text, { command: { whole, restrictedBy: (pattern) => readings[pattern] ?? "no" } });

describe("T7 the reason of a judgement", () => {
  const edit = need("edit", "a.ts");
  const bash = need("bash", "make");

  it("T7 names the user's rule, the agent's, or that of an agent in between", () => {
    assert.equal(said(bash, { user: ["ask bash *"] }), "ask: Your rule `*` asks it.");
    assert.equal(said(bash, { user: ["deny bash make"] }), "deny: Your rule `make` denies it.");
    assert.equal(said(bash, { workspace: ["allow bash make *"] }), "allow: Your rule `make *` allows it.");
    const open = agent("open", "user", "allow bash *", "deny edit *");
    assert.equal(said(bash, { agents: [open] }), "allow: The agent open's rule `*` allows it.");
    assert.equal(said(edit, { agents: [open] }), "deny: The agent open's rule `*` denies it.");
    assert.equal(said(bash, { agents: [open], user: ["deny bash make"] }), "deny: Your rule `make` denies it.");
    assert.equal(said(bash, { agents: [open], user: ["allow bash make"] }), "allow: Your rule `make` allows it.");
    const strict = agent("strict", "workspace", "deny edit *", "ask bash *");
    assert.equal(said(edit, { agents: [strict] }), "deny: The rule `*` of the agent strict denies it.");
    assert.equal(
      said(bash, { user: ["allow bash *"], agents: [strict] }),
      "ask: The rule `*` of the agent strict asks it.",
    );
    assert.equal(said(bash, { agents: [agent("r", "user"), strict] }), "ask: Asks because no rule allows it.");
  });

  it("T7 names the mode, the built-in rule, or what is missing", () => {
    assert.equal(said(need("read", "a.ts")), "allow: Reading in the workspace needs no permission.");
    assert.equal(said(need("task", "explore")), "allow: Each call of a subagent is checked separately.");
    assert.equal(said(edit), "ask: Asks because the mode is Ask first.");
    assert.equal(said(edit, { mode: "acceptEdits" }), "allow: The mode Accept edits allows it.");
    assert.equal(said(need("memory", "M.md"), { mode: "acceptEdits" }), "allow: The mode Accept edits allows it.");
    assert.equal(said(bash), "ask: Asks because no rule allows it.");
    assert.equal(said(bash, { mode: "acceptEdits" }), "ask: Accept edits only covers edits; everything else asks.");
    const bypassed = "allow: The mode Bypass allows everything that no rule denies.";
    for (const one of [bash, edit, need("external_directory", "/etc/passwd")])
      assert.equal(said(one, { mode: "bypassPermissions" }), bypassed);
    const unclear = need("bash", "eval x", { match: "exact" });
    assert.equal(
      said(unclear, { mode: "acceptEdits" }),
      "ask: Asks because the command cannot be parsed with certainty.",
    );
    assert.match(said(need("external_directory", "/etc/passwd")), /^ask: It is outside the workspace/);
    assert.match(said(need("memory", "M.md")), /^ask: The conversation is about to be compacted/);
    assert.match(said(need("doom_loop", "read")), /^ask: The model repeated the same call/);
    const outside = need("outside_sandbox", "make");
    for (const mode of ["default", "bypassPermissions"] as const)
      assert.match(said(outside, { mode }), /^ask: It would run outside the sandbox/);
  });

  it("T7 names what protects a file, in each mode, unless a rule denies it", () => {
    for (const [protection, reason] of [
      ["secret", /^ask: It may contain secrets/],
      ["ignored", /^ask: A \.rondoignore file names it/],
      ["settings", /^ask: It controls what an agent may do/],
    ] as const) {
      const one = need("edit", "a.ts", { protection });
      for (const mode of ["default", "acceptEdits", "plan", "bypassPermissions"] as const)
        assert.match(said(one, { mode, user: ["allow * *"] }), reason);
      assert.match(said(one, { user: ["deny edit a.*"] }), /^deny: Your rule/);
    }
  });
});

describe("T7 a command of which it is not certain what it runs", () => {
  const maybe = running("$TOOL x", { "rm *": "maybe", "git push *": "maybe" });
  const reason = (rule: string, does: string) => `ask: Asks because it may run what your rule \`${rule}\` ${does}.`;

  it("T7 asks if a rule might deny it, in Bypass as well, and whatever allows it", () => {
    const user = ["allow bash *", "deny bash rm *"];
    for (const mode of ["default", "acceptEdits", "bypassPermissions"] as const)
      assert.equal(said(maybe, { user, mode }), reason("rm *", "denies"));
    assert.equal(judged(running("ls", {}), { user }).decision, "allow");
  });

  it("T7 asks if a rule might ask, but not in Bypass", () => {
    const user = ["allow bash *", "ask bash rm *"];
    assert.equal(said(maybe, { user }), reason("rm *", "asks"));
    assert.equal(judged(maybe, { user, mode: "bypassPermissions" }).decision, "allow");
  });

  it("T7 of several rules that might apply a denying one counts", () => {
    for (const user of [
      ["allow bash *", "ask bash rm *", "deny bash git push *"],
      ["allow bash *", "deny bash git push *", "ask bash rm *"],
    ])
      assert.equal(said(maybe, { user, mode: "bypassPermissions" }), reason("git push *", "denies"));
  });

  it("T7 a later rule that surely applies decides instead; one that allows never applies by chance", () => {
    assert.equal(judged(maybe, { user: ["deny bash rm *", "allow bash *"] }).decision, "allow");
    assert.equal(judged(running("x", { "ls *": "maybe" }), { user: ["allow bash ls *"] }).rule?.pattern, "*");
    const both = running("x", { "rm *": "yes", "ls *": "maybe" });
    assert.equal(said(both, { user: ["ask bash ls *", "deny bash rm *"] }), "deny: Your rule `rm *` denies it.");
    assert.equal(said(both, { user: ["allow bash *", "ask bash rm *"] }), "ask: Your rule `rm *` asks it.");
    assert.equal(judged(both, { user: ["allow bash rm *"] }).decision, "ask", "a reading never allows");
  });

  it("T7 rules of the settings and of the workspace are both considered", () => {
    const asked = (user: string[], workspace: string[]) => said(maybe, { user, workspace, mode: "bypassPermissions" });
    const denied = reason("rm *", "denies");
    assert.equal(asked(["deny bash rm *"], []), denied);
    assert.equal(asked([], ["deny bash rm *"]), denied);
    assert.equal(asked(["allow bash *"], ["deny bash rm *"]), denied);
    assert.equal(asked(["deny bash rm *"], ["ask bash git push *"]), denied);
    assert.equal(asked(["deny bash rm *"], ["allow bash *"]), denied, "a denial is stronger than a later permission");
    assert.equal(asked(["allow bash *"], ["allow bash *", "deny bash rm *"]), denied);
    const usual = { user: ["allow bash *", "ask bash rm *"], workspace: ["allow bash *"] };
    assert.equal(judged(maybe, usual).decision, "allow");
    assert.equal(said(maybe, { user: [], workspace: ["ask bash rm *"] }), reason("rm *", "asks"));
  });

  it("T1 S1 rules of agents count, too: the first one's below the user's, the others' always", () => {
    const root = agent("root", "user", "allow bash *", "deny bash rm *");
    const why = "ask: Asks because it may run what the agent root's rule `rm *` denies.";
    assert.equal(said(maybe, { agents: [root] }), why);
    assert.equal(judged(maybe, { agents: [root], user: ["allow bash *"] }).decision, "allow");
    assert.equal(said(maybe, { agents: [root], user: ["deny bash git push *"] }), reason("git push *", "denies"));
    for (const action of ["deny", "ask"]) {
      const narrow = agent("narrow", "workspace", `${action} bash rm *`);
      const told = `ask: The rule \`rm *\` of the agent narrow ${action === "deny" ? "denies" : "asks"} what it may run.`;
      assert.equal(said(maybe, { user: ["allow bash *"], agents: [narrow] }), told);
      const { decision } = judged(maybe, { user: ["allow bash *"], agents: [narrow], mode: "bypassPermissions" });
      assert.equal(decision, action === "deny" ? "ask" : "allow");
    }
  });

  it("T7 a path that a command may change asks where a rule denies or asks for one of its names, and only there", () => {
    const may = (names: readonly string[] | undefined, given: Given = {}) =>
      said(need("edit", "out/…", { match: "possible", ...(names && { names }) }), given, "bash");
    const none = "allow: No rule is about it.";
    const changes = (pattern: string) => `ask: Asks because it may change what your rule \`${pattern}\` denies.`;
    assert.deepEqual(
      [may([]), may([], { user: ["allow edit *"] }), may([], { mode: "bypassPermissions" })],
      [none, none, none],
    );
    for (const names of [undefined, [], ["kept/a.ts"]]) {
      assert.equal(may(names, { user: ["deny edit other/**"] }), none);
      for (const pattern of ["out/a.ts", "*"])
        assert.equal(may(names, { user: [`deny edit ${pattern}`] }), changes(pattern));
      const isNamed = names?.includes("kept/a.ts");
      assert.equal(may(names, { user: ["deny edit kept/**"] }), isNamed ? changes("kept/**") : none);
    }
    const kept = (action: string) =>
      may(["b.ts", "kept/a.ts"], { user: [`${action} edit kept/**`], mode: "bypassPermissions" });
    assert.deepEqual([kept("deny"), kept("ask"), kept("allow")], [changes("kept/**"), none, none]);
  });
});

describe("T8 rules for reading", () => {
  const told = "deny: Your rule `private/**` denies it.";

  it("T8 hold for changes and notes, and for each tool that reads, also where a rule for the tool allows it", () => {
    const user = ["deny read private/**", "allow edit *", "allow memory *", "allow grep *"];
    for (const [permission, tool] of [
      ["read", "grep"],
      ["edit", "write"],
      ["memory", "write"],
    ] as const) {
      const decide = (path: string) => judged(need(permission, path), { user }, tool).decision;
      assert.deepEqual([decide("private/x"), decide("open/x")], ["deny", "allow"], permission);
    }
    assert.equal(said(need("edit", "private/x"), { user }), told);
    assert.equal(judged(need("bash", "private/x"), { user: [...user, "allow bash *"] }).decision, "allow");
  });

  it("T8 that ask make changes ask, unless those are denied anyway", () => {
    const asks = ["ask read private/**"];
    assert.equal(
      said(need("edit", "private/x"), { user: [...asks, "allow edit *"] }),
      "ask: Your rule `private/**` asks it.",
    );
    assert.equal(said(need("edit", "private/x"), { user: [...asks, "deny edit *"] }), "deny: Your rule `*` denies it.");
    const both = ["deny read private/**", "deny edit *.ts"];
    assert.equal(said(need("edit", "private/x.ts"), { user: both }), "deny: Your rule `*.ts` denies it.");
  });

  it("T8 a denial to read says more than the protection of the file", () => {
    const secret = need("edit", "private/.env", { protection: "secret" });
    assert.equal(said(secret, { user: ["deny read private/**"] }), told);
    assert.match(said(secret, { user: ["ask read private/**"] }), /^ask: It may contain secrets/);
  });

  it("T8 without a path are about tools that read: a rule for everything restricts no change", () => {
    assert.equal(judged(need("edit", "a"), { user: ["ask * *", "allow edit *"] }).decision, "allow");
    assert.equal(judged(need("edit", "a"), { user: ["deny read *", "allow edit *"] }).decision, "deny");
    assert.equal(judged(need("edit", "a"), { user: ["deny * a", "allow edit *"] }).decision, "deny");
  });

  it("T8 hold under each name of a path; one that allows needs the name itself", () => {
    const linked = (permission: string) => need(permission, "link/x", { names: ["other/x", "private/x"] });
    for (const permission of ["read", "edit", "memory"])
      assert.equal(judged(linked(permission), { user: ["allow edit *", "deny read private"] }).decision, "deny");
    const outside = need("external_directory", "/link", { names: ["/secret"] });
    assert.equal(
      judged(outside, { user: ["allow external_directory *", "deny external_directory /secret"] }).decision,
      "deny",
    );
    assert.equal(judged(outside, { user: ["allow external_directory /secret"] }).decision, "ask");
    assert.equal(judged(need("edit", "a"), { user: ["allow edit *", "ask edit b"] }).decision, "allow");
    const command = need("bash", "x", { names: ["private"] });
    assert.equal(judged(command, { user: ["allow bash *", "deny bash private"] }).decision, "allow", "is no path");
  });
});

describe("T7 the pattern of a rule", () => {
  it("T7 matches the whole text; a restriction also the whole command", () => {
    const part = running("rm a", {}, "cd x && rm a");
    assert.equal(judged(part, { user: ["allow bash *", "deny bash cd x && rm a"] }).decision, "deny");
    assert.equal(judged(part, { user: ["allow bash cd x && rm a"] }).decision, "ask", "which does not allow each part");
    const literal = "echo [a?]*";
    assert.equal(judged(need("bash", literal), { user: ["allow bash *", `deny bash ${literal}`] }).decision, "deny");
  });

  it("T7 of a command that is not certain allows it only as the text of the whole command", () => {
    const exact = (text: string, whole?: string) =>
      need("bash", text, {
        match: "exact",
        ...(whole && { command: { whole, restrictedBy: () => "no" as const } }),
      });
    const allows = (pattern: string, one: PermissionRequirement) =>
      judged(one, { user: [`allow bash ${pattern}`] }).decision === "allow";
    assert.equal(allows("$X a", exact("$X a")), true);
    assert.equal(allows("$X *", exact("$X a")), false);
    assert.equal(allows("$X a", exact("$X a", "cd y; $X a")), false);
    assert.equal(allows("cd y; $X a", exact("$X a", "cd y; $X a")), true);
    // Rules that read as patterns are meant as such.
    for (const pattern of ["sudo *", "ls ?", "* x", "a ** b", "x*", "?", "a * b"])
      assert.equal(allows(pattern, exact(pattern)), false, pattern);
    for (const pattern of ["ls *.ts x", "echo a?b", "rm a*b"])
      assert.equal(allows(pattern, exact(pattern)), true, pattern);
  });

  it("T7 that restricts matches such a command also after each character that separates commands", () => {
    const decide = (text: string, match: "exact" | "pattern") =>
      judged(need("bash", text, { match }), { user: ["allow bash *", "deny bash rm *"] }).decision;
    for (const before of [" ", "\n", ";", "&", "|", "(", ")", "`", "{", "}", '"', "'"])
      assert.equal(decide(`x${before}rm a`, "exact"), "deny", before);
    for (const before of ["-", "/", "a", "=", "$"]) assert.equal(decide(`x${before}rm a`, "exact"), "allow", before);
    assert.equal(decide("x;rm a", "pattern"), "allow");
  });

  it("T7 of one kind is never taken for one of another, however many there are", () => {
    assert.equal(judged(need("read", "open/a"), { user: ["deny read m*"] }).decision, "allow");
    assert.equal(judged(need("bash", "make"), { user: ["allow bash path m*"] }).decision, "ask");
    assert.equal(judged(need("bash", "path mx"), { user: ["allow bash path m*"] }).decision, "allow");
    assert.equal(judged(need("bash", "x;rm a", { match: "exact" }), { user: ["deny bash rm *"] }).decision, "deny");
    assert.equal(judged(need("bash", "x rm a"), { user: ["allow bash anywhere rm *"] }).decision, "ask");
    for (let n = 0; n < 3000; n++) {
      const user = [`allow bash run ${n} *`];
      assert.deepEqual(
        [`run ${n} x`, `run ${n + 1} x`].map((text) => judged(need("bash", text), { user }).decision),
        ["allow", "ask"],
      );
    }
    assert.equal(judged(need("bash", "run 0 x"), { user: ["allow bash run 0 *"] }).decision, "allow");
  });
});

describe("T7 what a rule is about", () => {
  const decide = (user: string[], permission: string, tool = permission) =>
    judged(need(permission, "x"), { user }, tool).decision;

  it("T7 all tools of a server, by the whole of its name", () => {
    assert.equal(decide(["allow mcp__git__* *"], "mcp__git__log"), "allow");
    for (const permission of ["mcp__gitx__log", "xmcp__git__log", "mcp__git_log", "git"])
      assert.equal(decide(["allow mcp__git__* *"], permission), "ask", permission);
    assert.equal(decide(["allow mcp____* *"], "mcp____x"), "ask", "a server has a name");
    assert.equal(decide(["allow xmcp__git__* *"], "xmcp__git__log"), "ask");
    assert.equal(decide(["allow mcp__git__*x *"], "mcp__git__*"), "ask");
    assert.equal(decide(["allow mcp__a__*__b *"], "mcp__a__*__"), "ask");
    assert.equal(decide(["allow mcp__git__l* *"], "mcp__git__log"), "ask");
  });

  it("T7 a tool, but not what it does outside the workspace, in a loop, or outside the sandbox", () => {
    assert.equal(decide(["allow write *"], "edit", "write"), "allow");
    assert.equal(decide(["deny write *"], "external_directory", "write"), "ask");
    assert.equal(decide(["deny write *"], "doom_loop", "write"), "ask");
    assert.equal(decide(["deny * *"], "doom_loop", "write"), "ask");
    assert.equal(decide(["deny * *"], "external_directory", "write"), "deny");
    assert.equal(decide(["allow bash *"], "outside_sandbox", "bash"), "ask");
    assert.equal(decide(["allow * *"], "outside_sandbox", "bash"), "ask");
    assert.equal(decide(["deny bash *"], "outside_sandbox", "bash"), "deny");
    assert.equal(decide(["allow outside_sandbox *"], "outside_sandbox", "bash"), "allow");
  });

  it("T7 a tool that takes the place of others", () => {
    for (const replaced of ["edit", "multi_edit", "write"])
      assert.equal(decide([`deny ${replaced} *`], "edit", "apply_patch"), "deny");
    assert.equal(decide(["deny write *"], "edit", "edit"), "ask");
  });
});

describe("T1 a tool that is denied as a whole", () => {
  const tool = (name: string, sideEffect: Tool["sideEffect"]) =>
    defineTool({ name, sideEffect, description: "", input: z.object({}), prepare: () => assert.fail("never run") });
  const look = tool("look", "read-only");
  const change = tool("change", "mutating");
  const think = tool("think", "none");

  const isDenied = (one: Tool, user: string[], workspace: string[] = [], agents?: Lineage) =>
    isWhollyDenied(one, { mode: "default", user: rules(...user), workspace: rules(...workspace) }, agents);

  it("T1 by a rule for it, or for everything, that names no pattern", () => {
    for (const one of [look, change, think]) {
      assert.equal(isDenied(one, [`deny ${one.name} *`]), true);
      assert.equal(isDenied(one, ["deny * *"]), true);
      for (const other of [`deny ${one.name} a`, `ask ${one.name} *`, "deny other *"])
        assert.equal(isDenied(one, [other]), false, other);
      assert.equal(isDenied(one, []), false);
    }
    assert.equal(isDenied(tool("mcp__git__log", "none"), ["deny mcp__git__* *"]), true);
  });

  it("T1 not if a later rule allows it, or the permission that it shares with others", () => {
    for (const one of [look, change, think]) assert.equal(isDenied(one, ["deny * *", `allow ${one.name} a`]), false);
    assert.deepEqual(
      [look, change, think].map((one) => isDenied(one, ["deny * *", "allow read *"])),
      [false, true, true],
    );
    assert.deepEqual(
      [look, change, think].map((one) => isDenied(one, ["deny * *", "ask edit a"])),
      [true, false, true],
    );
    assert.equal(isDenied(look, ["deny * *", "deny read *"]), true);
    assert.equal(isDenied(look, ["allow read *", "deny look *"]), true, "an earlier one does not count");
    assert.equal(isDenied(look, ["deny look *"], ["allow look *"]), false, "the workspace's are later");
  });

  it("T1 S1 by any agent; the user's rules are later than those of the first alone", () => {
    const no = agent("no", "user", "deny look *");
    assert.equal(isDenied(look, [], [], [no]), true);
    assert.equal(isDenied(look, ["allow look *"], [], [no]), false);
    assert.equal(isDenied(look, ["allow look *"], [], [agent("root", "user"), no]), true);
    assert.equal(isDenied(look, ["allow look *"], [], [{ ...no, source: "workspace" }]), true);
    assert.equal(isDenied(look, ["deny look *"], [], [agent("root", "user"), agent("child", "user")]), true);
  });
});
