/** What the card of a question shows of a rule's width before it is added (spec T7). */
import assert from "node:assert/strict";
import type { PermissionRequest } from "../../src/chat/requests.ts";
import { tryRule } from "../../src/loop/permissions/examples.ts";

type Asked = Pick<PermissionRequest, "permission" | "patterns" | "preview">;

const asked = (permission: string, ...patterns: string[]): Asked => {
  return { permission, patterns, preview: { type: "text", text: "" } };
};

/** What a rule allows and asks: `a, b / c`. */
function tried(permission: string, pattern: string, ...patterns: string[]): string {
  const { allows, asks, invalid } = tryRule({ permission, pattern, action: "allow" }, asked(permission, ...patterns));
  return invalid || `${allows.join(", ")} / ${asks.join(", ")}`;
}

describe("T7 examples of a rule", () => {
  it("T7 of a command: the same program with another verb and with more words", () => {
    assert.equal(tried("bash", "npm run build *", "npm run build"), "npm run build / npm run lint, npm test");
    assert.equal(tried("bash", "npm run *", "npm run build"), "npm run build, npm run lint / npm test, npm install");
    assert.equal(
      tried("bash", "git push origin main", "git push origin main"),
      "git push origin main / git push --force, git push",
    );
    assert.equal(
      tried("bash", "git push *", "git push origin main"),
      "git push origin main, git push --force / git status, git log",
    );
    assert.equal(tried("outside_sandbox", "npm *", "npm test"), "npm test, npm test -- --watch / sudo npm test");
    assert.equal(tried("bash", "./deploy.sh *", "./deploy.sh live"), "./deploy.sh live / sudo ./deploy.sh live");
  });

  it("T7 of a path: files beside it, below it and elsewhere; what is protected still asks", () => {
    assert.equal(tried("edit", "src/**", "src/a.ts"), "src/a.ts, src/index.ts / index.ts, package.json");
    assert.equal(tried("edit", "src/a.ts", "src/a.ts"), "src/a.ts / src/index.ts, src/lib/index.ts");
    assert.equal(tried("edit", "*.ts", "src/a.ts"), "src/a.ts, src/index.ts / package.json, .env");
    for (const pattern of ["*", "**", "./**", "**/*"])
      assert.equal(tried("edit", pattern, "src/a.ts"), "This would allow every file. Name a file or a folder.");
    assert.equal(
      tried("external_directory", "/tmp/x/**", "/tmp/x/a"),
      "/tmp/x/a, /tmp/x/notes.txt / /tmp/notes.txt, /etc/hosts",
    );
  });

  it("T7 of a page: other pages of the site, and other sites", () => {
    const page = "https://vitest.dev/guide/cli";
    assert.equal(
      tried("web_fetch", "https://vitest.dev/*", page),
      `${page}, https://vitest.dev/guide/index.html / https://www.vitest.dev/, https://example.com/`,
    );
  });

  it("T7 of a tool of a server: its other tools still ask", () => {
    assert.equal(tried("mcp__github__create_issue", "*", '{"title":"x"}'), '{"title":"x"} / other tools of github');
  });

  it("T7 in a command, only the parts that ask for the permission count", () => {
    const part = (text: string, permission: string, decision: "allow" | "ask") => ({
      text,
      permission,
      decision,
      effect: "",
      why: "",
    });
    const parts = [part("npm test", "bash", "allow"), part("make x", "bash", "ask"), part("out.txt", "edit", "ask")];
    const preview = {
      type: "command",
      command: "",
      cwd: "/",
      shell: "bash",
      timeoutMs: 1,
      parts,
      connectors: [],
      allowed: [],
    } as const;
    const request: Asked = {
      permission: "bash",
      patterns: [],
      preview: { ...preview, parts, connectors: [], allowed: [] },
    };
    const allows = (permission: string) => tryRule({ permission, pattern: "*x*", action: "allow" }, request).allows;
    assert.deepEqual(allows("edit"), ["out.txt", "index.txt"]);
    assert.deepEqual(tryRule({ permission: "bash", pattern: "make *", action: "allow" }, request).allows, [
      "make x",
      "make test",
    ]);
  });

  it("T7 a rule for everything says why it cannot be given", () => {
    assert.equal(tried("bash", "*", "ls"), "This would allow everything. Name a program.");
    assert.equal(tried("bash", "* test", "npm test"), "This would allow everything. Name a program.");
    assert.equal(tried("bash", " ", "ls"), "The rule is empty.");
    assert.equal(
      tried("external_directory", "/**", "/a/b"),
      "This would allow every place on this computer. Name a folder.",
    );
    for (const pattern of ["*", "https://*", "https://*/x"]) {
      assert.equal(tried("web_fetch", pattern, "https://a.example/x"), "This would allow every site. Name one.");
    }
  });
});
