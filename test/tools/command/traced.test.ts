// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of the shell
/**
 * Property: a command that reading rules allow opens no protected file, writes nowhere and connects nowhere. Random
 * commands run in a real bash under strace, in a folder of their own with secrets in many disguises.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { RandomNumbers, randomly } from "../../random.ts";
import { TestWorkspace } from "../workspace.ts";
import { decisionOf, reading } from "./judged.ts";

const count = 800;

class Commands {
  readonly #random: RandomNumbers;

  constructor(seed: number) {
    this.#random = new RandomNumbers(seed);
  }

  next(): string {
    return this.#pick([
      () => this.#reader(),
      () => this.#reader(),
      () => `for f in ${this.#name()} ${this.#name()}; do ${this.#tool()} "$f"; done`,
      () => `x=${this.#name()}; ${this.#tool()} ${this.#pick(["$x", '"$x"', '"./$x"', "src/$x"])}`,
      () => `${this.#list()} | ${this.#pick(["xargs", "xargs -n1", "head -3 | xargs"])} ${this.#tool()}`,
      () => `${this.#list()} | while read -r f; do ${this.#tool()} "$f"; done`,
      () => `${this.#tool()} $(${this.#list()})`,
      () => `cd ${this.#pick(["src", "deep/er", ".", "..", ".hidden", '"$(pwd)"', "link"])} && ${this.#reader()}`,
      () =>
        `find ${this.#folder()} ${this.#pick(["-type f", "-name '*.ts'", "-name '.*'", ""])} -exec ${this.#tool()} {} +`,
      () => `${this.#reader()} | ${this.#pick(["head -2", "wc -l", "sort", "grep x"])}`,
      () => `${this.#tool()} < ${this.#name()}`,
      () => `bash -c '${this.#reader().replaceAll("'", "")}'`,
      () => `show() { ${this.#tool()} "$1"; }; show ${this.#name()}`,
    ]);
  }

  #pick<T>(options: readonly (T | (() => T))[]): T {
    const chosen = this.#random.pick(options);
    // Functions only stand for what they build.
    return (typeof chosen === "function" ? (chosen as () => T)() : chosen) as T;
  }

  #reader(): string {
    return `${this.#tool()} ${this.#name()}${this.#random.fraction() < 0.3 ? ` ${this.#name()}` : ""}`;
  }

  #tool(): string {
    return this.#pick([
      ...["cat", "head -c 20", "tail -n 2", "wc -l", "grep -h KEY", "grep -rh KEY", "grep -c . ", "sort", "uniq -c"],
      ...["cut -c1-5", "sed -n 1p", "awk '{print $1}'", "xxd -l 8", "diff a.ts", "file", "stat -c %s", "ls -la"],
      ...["jq -R .", "tr a b <", "du -s", "find", "git log --oneline --", "git show", "git diff --no-index a.ts"],
      ...["tar cf -", "gzip -c", "sort -o sorted.txt", "tee copy.txt <", "base64", "od -c"],
    ]);
  }

  #folder(): string {
    return this.#pick([".", "src", "deep", "./", '"$(pwd)"', "..", ".hidden", "../outside"]);
  }

  #list(): string {
    return this.#pick([
      ...[
        "ls",
        "ls -a",
        "ls -A src",
        "ls *.ts",
        "ls -d .*",
        "find . -type f",
        "find src -name '*.ts'",
        "find . -name '*e*'",
      ],
      ...[
        "echo .env a.ts",
        "printf '%s\\n' a.ts src/b.ts",
        "git ls-files",
        "cat list.txt",
        "grep -rl x src",
        "echo */*",
      ],
      ...["find . -maxdepth 1 -name '.*'", "echo .e* | tr ' ' '\\n'", "echo .enx | sed s/x/v/", "basename src/b.ts"],
    ]);
  }

  /** Ways of naming a file, from the plain to the twisted. */
  #name(): string {
    const letters = () =>
      this.#pick([
        "e",
        "?",
        "*",
        "[e]",
        "[d-f]",
        "[!a]",
        "[^x-z]",
        "[[:lower:]]",
        "[[=e=]]",
        "\\e",
        "'e'",
        '"e"',
        "{e,f}",
      ]);
    return this.#pick([
      ...["a.ts", "src/b.ts", "src/*.ts", "*.ts", "src", ".", "*", "src/*", "src/{b,c}.ts", "./a.ts", '"$(pwd)/a.ts"'],
      ...[
        "*.txt",
        "deep/*/*",
        "deep/er/*",
        "list.txt",
        ".hidden/*",
        ".[!.]*",
        "src/.*",
        "../outside/*",
        "link/*",
        "*/*",
      ],
      ...["key.pem", "k*", "*.p??", "held*", "notes.txt", "soft.txt", "../outside/.env", "~/.netrc", '"$HOME/.netrc"'],
      ...[
        '"$(pwd)/.env"',
        '"$PWD"/.env',
        "${x:-.env}",
        "$x.env",
        '"$(echo .env)"',
        ".e{n,}v",
        ".en$'v'",
        "./src/../.env",
      ],
      () => `.${letters()}nv`,
      () => `.${letters()}${this.#pick(["n", "?", "[[:alpha:]]", "*"])}v`,
      () =>
        `${this.#pick([".", "src", "deep"])}/${this.#pick([".env", "*", ".*", "*.ts", "*e*", "[.]env", "k??.pem"])}`,
    ]);
  }
}

interface Trace {
  opened: string[];
  changed: string[];
  connected: string[];
}

describe("T8 commands under a tracer", function () {
  this.timeout(180_000);
  let workspace: TestWorkspace;
  /** Paths, with links resolved, whose content must not be read. */
  const secrets = new Set<string>();

  before(function () {
    if (spawnSync("strace", ["-V"]).error) {
      console.log("        strace is not installed, so no command is traced");
      this.skip();
    }
    workspace = new TestWorkspace();
    for (const name of ["a.ts", "src/b.ts", "src/c.ts", "deep/er/d.ts", ".hidden/e.ts", "z.txt"])
      workspace.put(name, "x\n");
    workspace.put("list.txt", ".env\na.ts\n");
    workspace.put(".rondoignore", "held.txt\n");
    const protectedNames = [".env", "key.pem", "held.txt", "deep/er/.env.local", ".hidden/id_rsa", "src/.npmrc"];
    for (const name of protectedNames) secrets.add(workspace.put(name, "KEY=secret\n"));
    const outside = path.join(workspace.root, "outside");
    mkdirSync(outside);
    for (const name of [".env", "plain.txt"]) {
      writeFileSync(path.join(outside, name), "KEY=outside\n");
      secrets.add(path.join(outside, name));
    }
    linkSync(workspace.path(".env"), workspace.path("notes.txt"));
    secrets.add(workspace.path("notes.txt"));
    symlinkSync("key.pem", workspace.path("soft.txt"));
    secrets.add(workspace.path("soft.txt"));
    symlinkSync("../outside", workspace.path("link"));
    const git = (...args: string[]) => spawnSync("git", args, { cwd: workspace.folder });
    git("init", "-q");
    git("add", "a.ts", "src/b.ts");
    git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x");
  });

  after(() => workspace?.dispose());

  randomly("read no protected file, write nothing and connect nowhere", async (seed) => {
    const commands = new Commands(seed);
    const allowed: string[] = [];
    for (let index = 0; index < count; index++) {
      const command = commands.next();
      if ((await decisionOf(command, workspace, reading)) === "allow") allowed.push(command);
    }
    assert.ok(allowed.length > count / 20, `Only ${allowed.length} of ${count} commands are allowed.`);
    const before = readdirSync(workspace.folder).sort();
    const traces = trace(allowed);
    const wrong = traces.flatMap(({ opened, changed, connected }, index) => {
      const faults = [...opened.map((file) => `reads ${file}`), ...changed, ...connected];
      return faults.length > 0 ? [`${allowed[index]}\n    ${faults.join("\n    ")}`] : [];
    });
    assert.deepEqual(wrong, []);
    assert.equal(traces.length, allowed.length);
    assert.deepEqual(readdirSync(workspace.folder).sort(), before);
  });

  it("the tracer sees what commands do", () => {
    const [reads, writes, connects, nothing] = trace([
      "cat key.pem",
      "echo x > made.txt; rm made.txt",
      "exec 3<>/dev/tcp/127.0.0.1/9",
      "cat a.ts",
    ]);
    assert.deepEqual(reads?.opened, [workspace.path("key.pem")]);
    assert.equal(writes?.changed.length, 2);
    assert.equal(connects?.connected.length, 1);
    assert.deepEqual(nothing, { opened: [], changed: [], connected: [] });
  });

  /** Runs all commands in one bash under one tracer: each in a shell of its own, after a mark in the trace. */
  function trace(commands: readonly string[]): Trace[] {
    const log = path.join(workspace.root, "trace.txt");
    const script = path.join(workspace.root, "run.sh");
    const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
    const lines = commands.map(
      (command, index) => `[ -e /mark-${index}- ]; timeout 20 bash -c ${quoted(command)} < /dev/null > /dev/null 2>&1`,
    );
    writeFileSync(script, `cd ${quoted(workspace.folder)}\n${lines.join("\n")}\n`);
    const args = ["-f", "-qq", "-y", "-s", "4096", "-e", "trace=%file,%network", "-e", "signal=none", "-o", log];
    const env = { PATH: process.env["PATH"], HOME: path.join(workspace.root, "outside"), LC_ALL: "C" };
    const run = spawnSync("strace", [...args, "bash", script], { env, encoding: "utf8" });
    assert.equal(run.error, undefined);
    return readTrace(readFileSync(log, "utf8"));
  }

  function readTrace(text: string): Trace[] {
    const traces: Trace[] = [];
    for (const line of wholeLines(text)) {
      const mark = /"\/mark-(\d+)-"/.exec(line);
      if (mark && !line.includes("execve")) traces[Number(mark[1])] = { opened: [], changed: [], connected: [] };
      const current = traces.at(-1);
      const call = /^\d+ +(\w+)/.exec(line)?.[1] ?? "";
      if (!current) continue;
      if (/^(connect|bind|sendto)$/.test(call) && line.includes("AF_INET")) current.connected.push(line);
      const isDone = / = \d/.test(line);
      if (!isDone) continue;
      // With -y, the result of an opened file is its number and its path: `= 3</work/.env>`.
      const opened = / = \d+<([^>]*)>$/.exec(line)?.[1];
      if (opened !== undefined && secrets.has(opened)) current.opened.push(opened);
      const isWrite = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(line) && !/"\/dev\/(null|tty)"/.test(line);
      const isChange = /^(unlink|rename|mkdir|rmdir|link|symlink|chmod|fchmod|chown|truncate|mknod|utime)/.test(call);
      const isScratch = opened !== undefined && /^\/(tmp\/sh-thd|dev\/(null|tty|pts))/.test(opened);
      if ((isWrite && opened !== undefined && !isScratch) || isChange) current.changed.push(line);
    }
    return traces;
  }
});

/** Joins calls that others interrupted: `12 openat(… <unfinished ...>`, later `12 <... openat resumed>) = 3`. */
function wholeLines(text: string): string[] {
  const begun = new Map<string, string>();
  return text.split("\n").flatMap((line) => {
    const [, process = "", resumed] = /^(\d+) +(?:<\.\.\. \w+ resumed>(.*))?/.exec(line) ?? [];
    if (resumed !== undefined) return [`${begun.get(process) ?? `${process} `}${resumed}`];
    if (!line.endsWith(" <unfinished ...>")) return [line];
    begun.set(process, line.slice(0, -" <unfinished ...>".length));
    return [];
  });
}
