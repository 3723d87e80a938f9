import assert from "node:assert/strict";
import type { PermissionMode } from "../../src/chat/permission-mode.ts";
import type { Rule } from "../../src/chat/requests.ts";
import { alwaysRules, isWhollyDenied, judge, strictest } from "../../src/loop/permissions/rules.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import type { Protection } from "../../src/tools/host.ts";
import type { PermissionRequirement } from "../../src/tools/tool.ts";

type Row = [rules: string[], need: string, decision: Rule["action"], mode?: PermissionMode];

/** "allow bash npm test *" */
function rule(text: string): Rule {
  const [, action = "", permission = "", pattern = ""] = /^(\S+) (\S+) (.*)$/s.exec(text) ?? [];
  // The rows below use only these three actions.
  return { action: action as Rule["action"], permission, pattern };
}

/**
 * Parses "read src/a.ts", "read[secret] .env", "bash: rm x" (not parsed as shell), "write>edit a.txt" (the tool, then
 * its permission).
 */
function need(text: string): { tool: string; need: PermissionRequirement } {
  const form = /^(?:(\w+)>)?(\w+)(?:\[(\w+)\])?(:?) (.*)$/s;
  const [, tool, permission = "", guard = "none", colon, pattern = ""] = form.exec(text) ?? [];
  const match = colon ? "exact" : "pattern";
  // The rows below use only existing guards.
  return {
    tool: tool ?? permission,
    need: { permission, pattern, suggestedRule: undefined, match, protection: guard as Protection, effect: "" },
  };
}

const rows: Row[] = [
  // Without rules.
  [[], "read src/a.ts", "allow"],
  [[], "grep>read src/", "allow"],
  [[], "edit src/a.ts", "ask"],
  [[], "write>edit new.txt", "ask"],
  [[], "bash npm test", "ask"],
  [[], "bash: echo $(date)", "ask"],
  [[], "read>external_directory /etc/passwd", "ask"],
  [[], "edit>external_directory /etc/passwd", "ask"],
  [[], "bash>external_directory /etc/passwd", "ask"],
  [[], "web_fetch https://example.org", "ask"],
  [[], "task explore", "allow"],
  [["deny task explore"], "task explore", "deny"],
  // Loop detection: rules for everything do not apply.
  [[], "read>doom_loop read", "ask"],
  [[], "read>doom_loop read", "allow", "bypassPermissions"],
  [["deny doom_loop *"], "read>doom_loop read", "deny", "bypassPermissions"],
  [["allow * *"], "read>doom_loop read", "ask"],
  [["allow read *"], "read>doom_loop read", "ask"],
  [["allow doom_loop read"], "read>doom_loop read", "allow"],
  [["allow doom_loop *", "deny doom_loop bash"], "bash>doom_loop bash", "deny"],
  // All tools of a server, and no others.
  [["allow mcp__git__* *"], "mcp__git__log {}", "allow"],
  [["allow mcp__git__* *", "deny mcp__git__push *"], "mcp__git__push {}", "deny"],
  [["allow mcp__git__* *"], "mcp__gitlab__log {}", "ask"],
  [["allow mcp__* *"], "mcp__git__log {}", "ask"],
  [["allow mcp__git__* *"], "mcp__git__log>external_directory /etc/passwd", "ask"],
  [["allow b* *"], "bash npm test", "ask"],
  // Modes.
  [[], "edit src/a.ts", "allow", "acceptEdits"],
  [[], "bash npm test", "ask", "acceptEdits"],
  [[], "edit>external_directory /etc/passwd", "ask", "acceptEdits"],
  [[], "bash rm -rf /", "allow", "bypassPermissions"],
  [[], "edit>external_directory /etc/passwd", "allow", "bypassPermissions"],
  // Protected files ask whatever allows them; a rule may still deny them.
  [[], "read[secret] .env", "ask"],
  [[], "read[secret] .env", "ask", "plan"],
  [[], "read[secret] .env", "ask", "bypassPermissions"],
  [[], "read[ignored] data/people.csv", "ask", "bypassPermissions"],
  [[], "edit[settings] .rondo/rules/a.md", "ask", "acceptEdits"],
  [[], "edit[settings] .vscode/settings.json", "ask", "bypassPermissions"],
  [[], "edit[ignored] data/people.csv", "ask", "acceptEdits"],
  [[], "bash>external_directory[secret] /home/me/.ssh/id_rsa", "ask", "bypassPermissions"],
  [["allow read *"], "read[secret] .env", "ask"],
  [["allow read .env"], "read[secret] .env", "ask"],
  [["allow * *"], "read[secret] .env", "ask"],
  [["allow read[secret] .env"], "read[secret] .env", "ask"],
  [["deny read *.env"], "read[secret] .env", "deny"],
  [["deny read *.env"], "read[secret] .env", "deny", "bypassPermissions"],
  [[], "edit src/.vscode.md", "allow", "acceptEdits"],
  [["ask edit *"], "edit src/a.ts", "ask", "acceptEdits"],
  [["deny bash *"], "bash npm test", "deny", "bypassPermissions"],
  [["ask bash *"], "bash npm test", "allow", "bypassPermissions"],
  [["allow edit *"], "edit[settings] .vscode/settings.json", "ask"],
  [["deny edit .vscode/**"], "edit[settings] .vscode/settings.json", "deny"],
  // The last match wins.
  [["allow bash *", "deny bash rm *"], "bash rm x", "deny"],
  [["deny bash rm *", "allow bash *"], "bash rm x", "allow"],
  [["allow bash *", "ask bash git push *"], "bash git push", "ask"],
  [["allow bash *", "ask bash git push *"], "bash git pull", "allow"],
  [["deny * *", "allow read *"], "read a.txt", "allow"],
  [["deny * *", "allow read *"], "edit a.txt", "deny"],
  [["allow * *"], "bash anything", "allow"],
  [["allow * *"], "read>external_directory /etc/passwd", "allow"],
  [["deny read secrets/**"], "read secrets/key.pem", "deny"],
  [["deny read secrets/**"], "read src/secrets.ts", "allow"],
  // A rule is for a permission or for a tool.
  [["allow write *"], "write>edit a.txt", "allow"],
  [["allow write *"], "edit a.txt", "ask"],
  [["allow edit *"], "write>edit a.txt", "allow"],
  [["deny grep *"], "grep>read src/", "deny"],
  [["deny grep *"], "read src/a.ts", "allow"],
  // A tool's rule does not apply outside the workspace.
  [["allow read *"], "read>external_directory /etc/passwd", "ask"],
  [["allow bash *"], "bash>external_directory /etc/passwd", "ask"],
  [["allow external_directory /tmp/**"], "read>external_directory /tmp/a/b", "allow"],
  [["allow external_directory /tmp/**"], "read>external_directory /tmpfs/a", "ask"],
  [["allow external_directory /tmp/**"], "read>external_directory /etc/passwd", "ask"],
  [["deny external_directory *"], "bash>external_directory /etc/passwd", "deny"],
  // Patterns.
  [["allow bash npm test *"], "bash npm test", "allow"],
  [["allow bash npm test *"], "bash npm test -- cart", "allow"],
  [["allow bash npm test *"], "bash npm tests", "ask"],
  [["allow bash npm test *"], "bash npm testing x", "ask"],
  [["allow bash npm test*"], "bash npm tests", "allow"],
  [["allow bash npm"], "bash npm test", "ask"],
  [["allow bash *"], "bash ls", "allow"],
  [["allow bash ls ?"], "bash ls a", "allow"],
  [["allow bash ls ?"], "bash ls ab", "ask"],
  [["allow edit src/*.ts"], "edit src/a.ts", "allow"],
  [["allow edit src/*.ts"], "edit src/a/b.ts", "allow"],
  [["allow edit src/*.ts"], "edit src/a.tsx", "ask"],
  [["allow edit src/**"], "edit src", "ask"],
  [["allow edit a.b"], "edit axb", "ask"],
  [["allow edit a+(b)[c]{d}|e^$"], "edit a+(b)[c]{d}|e^$", "allow"],
  [["allow bash echo *"], "bash echo a\nrm b", "allow"],
  [["allow bash git log"], "bash git log", "allow"],
  [["allow bash GIT log"], "bash git log", "ask"],
  // Commands that could not be parsed: only the exact text or `*` allows them, but matching a part denies them.
  [["allow bash echo *"], "bash: echo $(rm x)", "ask"],
  [["allow bash echo $(date)"], "bash: echo $(date)", "allow"],
  [["allow bash *"], "bash: echo $(rm x)", "allow"],
  [["allow bash *", "deny bash rm *"], "bash: echo $(rm x)", "deny"],
  [["allow bash *", "deny bash rm *"], "bash: (cd a; rm x)", "deny"],
  [["allow bash *", "deny bash rm *"], "bash: FOO=1 rm x", "deny"],
  [["allow bash *", "deny bash rm *"], "bash: cat <<E\nrm x\nE", "deny"],
  [["allow bash *", "deny bash git push *"], "bash: sudo git push -f", "deny"],
  [["allow bash *", "deny bash rm *"], "bash: echo $(alarm x)", "allow"],
  [["allow bash *", "ask bash rm *"], "bash: echo $(rm x)", "ask"],
];

describe("rules", () => {
  for (const [rules, asked, decision, mode = "default"] of rows) {
    it(`T7 ${mode}, ${rules.join("; ") || "no rules"}: ${JSON.stringify(asked)} → ${decision}`, () => {
      const { tool, need: one } = need(asked);
      const judged = judge(one, tool, { mode, user: rules.map(rule), workspace: [] });
      assert.equal(judged.decision, decision);
      assert.ok(judged.why.endsWith("."), "a sentence");
    });
  }

  const book = (user: string[], workspace: string[]) => ({
    mode: "default" as const,
    user: user.map(rule),
    workspace: workspace.map(rule),
  });
  const decide = (asked: string, user: string[], workspace: string[]) =>
    judge(need(asked).need, need(asked).tool, book(user, workspace)).decision;

  it("a rule allowed for the workspace overrides an asking rule of the settings", () => {
    assert.equal(decide("bash git push", ["ask bash git *"], ["allow bash git push *"]), "allow");
  });

  it("a rule of the workspace cannot override a deny in the settings", () => {
    assert.equal(decide("bash npm publish", ["deny bash npm publish *"], ["allow bash npm *"]), "deny");
    assert.equal(decide("bash npm publish", ["deny bash npm *", "allow bash npm publish *"], []), "allow");
  });

  it("the strictest of several requirements wins; none allows", () => {
    const of = (...decisions: Rule["action"][]) =>
      strictest(decisions.map((decision) => ({ decision, rule: undefined, why: "" })));
    assert.equal(of(), "allow");
    assert.equal(of("allow", "ask"), "ask");
    assert.equal(of("ask", "deny", "allow"), "deny");
  });

  it("Always allow adds each rule once, and none for a call that can only be allowed once", () => {
    const can = (pattern: string, suggestedRule: string): PermissionRequirement => ({
      ...need(`bash ${pattern}`).need,
      suggestedRule,
    });
    assert.deepEqual(alwaysRules([can("npm test", "npm test *"), can("npm test x", "npm test *"), can("ls", "ls *")]), [
      rule("allow bash npm test *"),
      rule("allow bash ls *"),
    ]);
    assert.deepEqual(alwaysRules([can("ls", "ls *"), need("bash: $(x)").need]), []);
    assert.deepEqual(alwaysRules([can("ls", "ls *"), { ...can("cat .env", "cat *"), protection: "secret" }]), []);
  });

  const agent = (name: string, source: "user" | "workspace", ...rules: string[]) => ({
    name,
    source,
    permission: rules.map(rule),
  });
  const by = (
    asked: string,
    agents: ReturnType<typeof agent>[],
    user: string[] = [],
    mode: PermissionMode = "default",
  ) => judge(need(asked).need, need(asked).tool, { ...book(user, []), mode }, agents);

  it("T1 the agent's rules rank above the built-in ones and below the user's", () => {
    const open = agent("open", "user", "allow bash *", "deny bash rm *");
    assert.equal(by("bash ls", [open]).decision, "allow");
    assert.equal(by("bash ls", [open]).why, "The agent open's rule `*` allows it.");
    assert.equal(by("bash rm x", [open]).decision, "deny");
    assert.equal(by("bash rm x", [open], [], "bypassPermissions").decision, "deny");
    assert.equal(by("bash ls", [open], ["ask bash *"]).decision, "ask");
    assert.equal(by("bash rm x", [open], ["allow bash rm *"]).decision, "allow");
    assert.equal(by("edit[settings] .claude/settings.json", [agent("open", "user", "allow * *")]).decision, "ask");
  });

  it("T1 an agent of the workspace can only make permissions stricter", () => {
    const wide = agent("wide", "workspace", "allow * *");
    assert.equal(by("bash ls", [wide]).decision, "ask");
    assert.equal(by("read>external_directory /etc/passwd", [wide]).decision, "ask");
    const strict = agent("strict", "workspace", "deny read secrets/*", "ask read *.env");
    assert.equal(by("read secrets/a", [strict]).decision, "deny");
    assert.equal(by("read a.env", [strict]).decision, "ask");
    assert.equal(by("read a.env", [strict], [], "bypassPermissions").decision, "allow");
    assert.equal(by("read secrets/a", [strict], ["allow read *"]).decision, "deny");
    assert.equal(by("read b", [strict]).decision, "allow");
  });

  it("S1 every agent in a chain of delegation can only make permissions stricter", () => {
    const root = agent("root", "user", "allow bash git *");
    const wide = agent("wide", "user", "allow * *");
    const strict = agent("strict", "user", "deny bash git push *", "ask bash git *", "deny bash git push *");
    assert.equal(by("bash ls", [root, wide]).decision, "ask");
    assert.equal(by("bash git log", [root, wide]).decision, "allow");
    assert.equal(by("bash git log", [root, wide, strict]).decision, "ask");
    assert.equal(by("bash git push", [root, strict, wide]).decision, "deny");
    assert.equal(by("bash git push", [root, strict], ["allow bash *"], "bypassPermissions").decision, "deny");
  });

  it("T1 a tool that the agent may not use at all is not offered", () => {
    const offered = (agents: ReturnType<typeof agent>[], user: string[] = []) =>
      coreTools.filter((tool) => !isWhollyDenied(tool, book(user, []), agents)).map(({ name }) => name);
    assert.deepEqual(offered([agent("a", "user", "deny * *", "allow read *")]), ["read", "glob", "grep"]);
    assert.ok(offered([agent("a", "user", "deny bash *")], ["allow bash *"]).includes("bash"));
    assert.ok(!offered([agent("a", "workspace", "deny bash *")], ["allow bash *"]).includes("bash"));
    assert.ok(!offered([agent("a", "user"), agent("b", "user", "deny bash *")], ["allow bash *"]).includes("bash"));
  });
});
