import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { rgPath } from "@vscode/ripgrep";
import { protectedBelow } from "../../../src/tools/file-access/protected-below.ts";
import type { Host } from "../../../src/tools/host.ts";
import { isSurelyIgnored } from "../../../src/tools/node-host/git-ignored.ts";
import { TestWorkspace } from "../workspace.ts";

const files = [
  ...[".env", "a.key", "A.KEY", "sub/.env", "sub/a.key", "sub/deep/.env", "out/.env", "out/deep/a.key", "sub/out/.env"],
  ...["x y.key", "sub/x.pem", "keep.key", "[a].key", "#.key", "outer/.env"],
];
/** Contents of `.gitignore`. */
const rules = [
  ...[
    ".env",
    ".env*",
    "*.key",
    "/.env",
    "/sub",
    "sub/",
    "out/",
    "**/.env",
    "sub/**",
    "sub/**/.env",
    "/out/*",
    "*/.env",
  ],
  ...["*", "*.key\n!keep.key", "*.key\n!/keep.key", ".env\n!sub/.env", "out\n!out/.env", "*\n!*/", "!.env", "# .env"],
  ...["\\#.key", "[a].key", "\\[a\\].key", "x y.key", "x\\ y.key", "*.key \n", "*.key\t", "*.key\r\n!keep.key\r\n"],
  ...[
    "\ufeff*.key",
    "\ufeff!a.key\n*.key",
    "*.key\n![a].key",
    "*.key\n!a.[k]ey",
    "a.???",
    "s?b",
    "su**",
    "sub//",
    "./.env",
  ],
  ...["", "\n\n", "!", "/", "**", "**/", "/**", "*.KEY", "deep", "deep/", "/deep", "sub/deep", "{.env,a.key}"],
];

describe("T8 files that git ignores", () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
    execFileSync("git", ["init", "-q", workspace.folder]);
    for (const name of files) workspace.put(name, "x");
  });
  afterEach(() => workspace.dispose());

  const surelyIgnored = () => files.filter((name) => isSurelyIgnored(workspace.path(name)));
  const listed = () => {
    const { stdout } = spawnSync(rgPath, ["--files", "--hidden", "--no-config", "--glob=!.git", "-0"], {
      cwd: workspace.folder,
      encoding: "utf8",
    });
    return stdout.split("\0");
  };
  const inGit = () => {
    const git = ["ls-files", "--others", "--exclude-standard", "-z"];
    return execFileSync("git", git, { cwd: workspace.folder, encoding: "utf8" }).split("\0");
  };
  const assertUnlisted = (because: string) => {
    const sure = surelyIgnored();
    const shown = new Set([...listed(), ...inGit()]);
    assert.deepEqual(
      sure.filter((name) => shown.has(name)),
      [],
      because,
    );
    return sure;
  };

  for (const text of rules) {
    it(`are only those that git and ripgrep leave out: ${JSON.stringify(text)}`, () => {
      workspace.put(".gitignore", text);
      assertUnlisted(text);
      workspace.put("sub/.gitignore", "!.env\n*.pem\n");
      assertUnlisted(`${text} with an exception below`);
    });
  }

  it("are found by usual rules", () => {
    workspace.put(".gitignore", "node_modules/\n.env*\n*.key\n!keep.key\n");
    const sure = assertUnlisted("usual rules");
    for (const name of [".env", "a.key", "sub/deep/.env", "out/deep/a.key"]) assert.ok(sure.includes(name), name);
    assert.ok(!sure.includes("keep.key"));
  });

  it("are not sure in a repository of its own, nor where ripgrep has rules of its own", () => {
    workspace.put(".gitignore", ".env\n");
    execFileSync("git", ["init", "-q", workspace.path("outer")]);
    assert.ok(!isSurelyIgnored(workspace.path("outer/.env")));
    for (const name of [".ignore", ".rgignore"]) {
      workspace.put(name, "!.env\n");
      assert.deepEqual(surelyIgnored(), [], name);
      rmSync(workspace.path(name));
    }
    assert.ok(isSurelyIgnored(workspace.path(".env")));
  });

  it("start no other program where all protected files are ignored", async () => {
    for (const name of files) rmSync(workspace.path(name));
    for (const name of [".env", "sub/.env"]) workspace.put(name, "x");
    let started = 0;
    const { search } = workspace.host;
    const host: Host = {
      ...workspace.host,
      search: {
        ripgrep: async (...args) => {
          started++;
          return await search.ripgrep(...args);
        },
      },
    };
    const below = async () =>
      await protectedBelow(await host.workspace.locate("."), host, {
        signal: new AbortController().signal,
        ignored: false,
      });
    workspace.put(".gitignore", ".env\n");
    assert.deepEqual([await below(), started], [[], 0]);
    workspace.put(".gitignore", "/.env\n");
    assert.deepEqual([await below(), started], [["sub/.env"], 1]);
    // Only git and ripgrep know these rules.
    workspace.put(".git/info/exclude", "sub\n");
    assert.deepEqual([await below(), started], [[], 2]);
  });
});
