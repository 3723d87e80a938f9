/** Files that Rondo reads on its own pass the boundary of the tool `read` (M1, P4, C5, K4). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { Rule } from "../../src/chat/requests.ts";
import { ruledOut } from "../../src/loop/permissions/own-reads.ts";
import { loadServers } from "../../src/mcp/config/server-config.ts";
import { loadHooks } from "../../src/project/hook-settings.ts";
import { loadProject } from "../../src/project/project.ts";
import type { ReadBoundary } from "../../src/tools/node-host/config-files.ts";
import { TestFolders } from "./folders.ts";

/** Valid as each kind of file, so that only the boundary keeps it out. */
const agent = "---\nname: spy\ndescription: SECRET\n---\nSECRET";
const hooks = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "echo SECRET" }] }] } });
const servers = JSON.stringify({ mcpServers: { spy: { command: "SECRET" } } });

const files: [name: string, content: string][] = [
  ["AGENTS.md", "SECRET"],
  ["CLAUDE.md", "SECRET"],
  [".claude/CLAUDE.md", "SECRET"],
  ["CLAUDE.local.md", "SECRET"],
  [".rondo/rules/a.md", "SECRET"],
  [".rondo/MEMORY.md", "SECRET"],
  ["AGENT.md", agent],
  [".rondo/agents/spy.md", agent],
  [".claude/agents/spy.md", agent],
  [".claude/settings.json", hooks],
  [".claude/settings.local.json", hooks],
  [".mcp.json", servers],
];

/** Puts the content somewhere and leads to it from `work/${name}`. */
type Way = (at: TestFolders, name: string, content: string) => void;

const secretNames = [".env", "keys/id_rsa", "deploy.pem", ".ssh/config.md", ".npmrc", "secrets.yaml"];
const ways: Record<string, Way> = {
  ...Object.fromEntries(
    secretNames.map((secret): [string, Way] => [
      `a link to ${secret}`,
      (at, name, content) => {
        at.put(`work/${secret}`, content);
        at.link(`work/${name}`, `work/${secret}`);
      },
    ]),
  ),
  "a chain of links to a secret": (at, name, content) => {
    at.put("work/conf/.env", content);
    at.link("work/conf/plain.txt", "work/conf/.env");
    at.link("work/notes.txt", "work/conf/plain.txt");
    at.link(`work/${name}`, "work/notes.txt");
  },
  "a link out of the workspace": (at, name, content) => {
    at.put("outside.txt", content);
    at.link(`work/${name}`, "outside.txt");
  },
  "a link to an ignored file": (at, name, content) => {
    at.put("work/held/x.txt", content);
    at.put("work/.rondoignore", "held/\n");
    at.link(`work/${name}`, "work/held/x.txt");
  },
  "a file that .rondoignore names": (at, name, content) => {
    at.put(`work/${name}`, content);
    at.put("work/.rondoignore", `${name}\n`);
  },
  "a link to a path that a rule denies": (at, name, content) => {
    at.put("work/private/x.txt", content);
    at.link(`work/${name}`, "work/private/x.txt");
  },
  "a link to a path for which a rule asks": (at, name, content) => {
    at.put("work/asked/x.txt", content);
    at.link(`work/${name}`, "work/asked/x.txt");
  },
  "a link to one of the user's own secrets": (at, name, content) => {
    at.put("work/mine.own", content);
    at.link(`work/${name}`, "work/mine.own");
  },
  "a linked folder": (at, name, content) => {
    const folder = path.dirname(name);
    if (folder === ".") return ways["a link to .env"]?.(at, name, content);
    at.put(`outside/${path.basename(name)}`, content);
    at.link(`work/${folder}`, "outside");
  },
  "a folder linked to one of secrets": (at, name, content) => {
    const folder = path.dirname(name);
    if (folder === ".") return ways["a link to .env"]?.(at, name, content);
    at.put(`work/.ssh/${path.basename(name)}`, content);
    at.link(`work/${folder}`, "work/.ssh");
  },
  "an upper folder that is a link": (at, name, content) => {
    const [first = ""] = name.split("/");
    if (first === name) return ways["a link to .env"]?.(at, name, content);
    at.put(`outside/${name.slice(first.length + 1)}`, content);
    at.link(`work/${first}`, "outside");
  },
  "a hard link to a secret": (at, name, content) => {
    const secret = at.put("work/.env", content);
    mkdirSync(path.join(at.work, path.dirname(name)), { recursive: true });
    linkSync(secret, path.join(at.work, name));
  },
  "a pipe": (at, name) => {
    mkdirSync(path.join(at.work, path.dirname(name)), { recursive: true });
    execFileSync("mkfifo", [path.join(at.work, name)]);
  },
  "a link to a device": (at, name) => at.link(`work/${name}`, "/dev/zero"),
  "a link to the environment of this process": (at, name) => at.link(`work/${name}`, "/proc/self/environ"),
};

const rules: Rule[] = [
  { permission: "read", pattern: "**/private/**", action: "deny" },
  { permission: "read", pattern: "asked", action: "ask" },
];

describe("files that Rondo reads on its own", () => {
  let at: TestFolders;
  let leftOut: string[];
  const boundary: ReadBoundary = {
    secrets: ["*.own"],
    ruledOut: (place) => ruledOut(place, { user: rules, workspace: [] }),
    onLeftOut: (sentence) => leftOut.push(sentence),
  };

  beforeEach(function () {
    if (process.platform === "win32") this.skip();
    at = new TestFolders();
    leftOut = [];
  });
  afterEach(() => at?.dispose());

  function everything() {
    const sources = { folders: [at.work], home: at.home, trusted: true, boundary };
    const { agents, rules, memory, problems } = loadProject(sources);
    const hooks = loadHooks({ ...sources, own: undefined });
    const { folders, trusted } = sources;
    const mcp = loadServers({ caller: undefined, settings: undefined, folders, trusted, boundary, env: {} });
    return {
      used: { agents: agents.all(), rules, memory: memory?.text, hooks: [...hooks.hooks.values()], mcp: mcp.servers },
      problems: [...problems, ...hooks.problems, ...mcp.problems],
    };
  }

  for (const [name, content] of files) {
    it(`${name} is used as it is, and as a link to an ordinary file of the workspace`, () => {
      at.put(`work/${name}`, content);
      assert.match(JSON.stringify(everything().used), /SECRET/);
      rmSync(path.join(at.work, name));
      at.put("work/docs/x.txt", content);
      at.link(`work/${name}`, "work/docs/x.txt");
      const { used, problems } = everything();
      assert.match(JSON.stringify(used), /SECRET/);
      assert.deepEqual(problems, []);
      assert.deepEqual(leftOut, []);
    });

    for (const [way, put] of Object.entries(ways)) {
      it(`${name} as ${way} is left out, and the user is told`, () => {
        put(at, name, content);
        const { used, problems } = everything();
        assert.doesNotMatch(JSON.stringify(used), /SECRET|PATH=/);
        assert.equal(problems.length > 0, true, "a problem");
        assert.doesNotMatch(problems.join(), /SECRET/);
        // Special files are no secrets: they are only named among the problems.
        if (way === "a pipe") return;
        const first = name.split("/")[0] ?? "";
        assert.ok(
          leftOut.some((one) => one.includes(first) && one.startsWith("Rondo does not use ")),
          leftOut.join(),
        );
      });
    }
  }

  it("say which file and why", () => {
    at.put("work/.env", "KEY=SECRET");
    at.link("work/AGENTS.md", "work/.env");
    at.put("work/private/a.md", "SECRET");
    at.link("work/CLAUDE.md", "work/private/a.md");
    at.link("work/.rondo/rules", "outside");
    at.put("outside/x.md", "SECRET");
    everything();
    assert.deepEqual(leftOut.toSorted(), [
      "Rondo does not use .rondo/rules: it is a link that leads out of the workspace.",
      "Rondo does not use AGENTS.md: it is a link to .env, which may hold secrets.",
      "Rondo does not use CLAUDE.md: the rule `**/private/**` denies reading it.",
    ]);
  });

  it("of the user may be links to anywhere but to secrets", () => {
    at.put("dotfiles/agents.md", "mine");
    at.link("home/.rondo/AGENTS.md", "dotfiles/agents.md");
    at.put("work/.env", "SECRET");
    at.link("home/.claude/CLAUDE.md", "work/.env");
    const { used } = everything();
    assert.deepEqual(used.rules, [{ path: "~/.rondo/AGENTS.md", text: "mine" }]);
    assert.deepEqual(leftOut, [
      "Rondo does not use ~/.claude/CLAUDE.md: it is a link to .env, which may hold secrets.",
    ]);
  });

  it("of another folder of the workspace may be linked to", () => {
    at.put("api/rules.md", "shared");
    at.link("work/AGENTS.md", "api/rules.md");
    const folders = [at.work, path.join(at.root, "api")];
    const { rules } = loadProject({ folders, home: at.home, trusted: true, boundary });
    assert.deepEqual(rules, [{ path: "work/AGENTS.md", text: "shared" }]);
  });

  it("are used although a rule asks for all reading: it is about the tool", () => {
    at.put("work/AGENTS.md", "plain");
    const all: Rule[] = [{ permission: "read", pattern: "*", action: "ask" }];
    const asking = {
      ...boundary,
      ruledOut: (place: Parameters<ReadBoundary["ruledOut"]>[0]) => ruledOut(place, { user: all, workspace: [] }),
    };
    const { rules } = loadProject({ folders: [at.work], home: at.home, trusted: true, boundary: asking });
    assert.equal(rules.length, 1);
  });

  it("of git give a branch only where they are git's own", () => {
    const token = "0123456789abcdef0123456789abcdef01234567";
    at.put("work/token", token);
    for (const name of ["objects", "refs"]) at.put(`work/.git/${name}/x`, "");
    at.link("work/.git/HEAD", "work/token");
    assert.equal(at.load().branch, undefined);
    rmSync(path.join(at.work, ".git/HEAD"));
    at.put("work/.git/HEAD", "ref: refs/heads/main\n");
    assert.equal(at.load().branch, "main");
  });

  it("are opened in one place", () => {
    const found = execFileSync(
      "grep",
      ["-rlE", `from "(node:)?fs(/promises)?"`, "src/project", "src/mcp", "src/loop"],
      {
        encoding: "utf8",
      },
    );
    // These only look whether a program is there.
    assert.deepEqual(found.trim().split("\n").sort(), [
      "src/mcp/connection/stdio-transport.ts",
      "src/project/hook-process.ts",
    ]);
    for (const file of found.trim().split("\n")) {
      const [, names] = /import \{([^}]*)\} from "node:fs"/.exec(readFileSync(file, "utf8")) ?? [];
      assert.equal(names?.trim(), "existsSync", file);
    }
  });
});
