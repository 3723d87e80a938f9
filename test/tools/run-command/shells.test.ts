import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { findShell, invocation, powershellScript, shellName } from "../../../src/tools/run-command/shells.ts";
import { typedLine } from "../../../src/tools/run-command/typed-line.ts";
import { typedScript } from "../../../src/tools/run-command/typed-script.ts";

describe("passing a command to a shell", () => {
  it("T10 depends on the shell family", () => {
    const script = powershellScript("Get-Item 'a'");
    for (const [program, args, verbatim] of [
      ["/bin/bash", ["-c", "Get-Item 'a'"], false],
      ["/usr/bin/fish", ["-c", "Get-Item 'a'"], false],
      ["pwsh.exe", ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", script], false],
      [
        "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe",
        ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", script],
        false,
      ],
      ["C:\\Windows\\System32\\CMD.EXE", ["/d", "/s", "/c", "\"chcp 65001>nul & Get-Item 'a'\""], true],
    ] as const) {
      assert.deepEqual(invocation(program, "Get-Item 'a'"), { file: program, args, verbatim });
    }
  });

  it("T10 cmd accepts several lines and unchanged quotes", () => {
    const { args } = invocation("cmd.exe", 'echo "a b"\r\n\n  dir "C:\\x y" & echo done\n');
    assert.equal(args.at(-1), '"chcp 65001>nul & echo "a b" & dir "C:\\x y" & echo done"');
  });

  it("T10 PowerShell returns the exit code of the last program, also after a comment and a here-string", () => {
    const lines = powershellScript("node x.js # comment").split("\n");
    assert.equal(lines.at(-2), "node x.js # comment");
    assert.match(lines.at(-1) ?? "", /^if \(-not \$\?\) .*exit \$LASTEXITCODE/);
    assert.match(lines.slice(0, 3).join("\n"), /UTF8Encoding/);
  });

  it("is named without path and extension", () => {
    assert.deepEqual(["/bin/zsh", "C:\\a b\\PowerShell.exe", "pwsh"].map(shellName), ["zsh", "powershell", "pwsh"]);
  });

  it("T10 uses the configured shell, else the user's if models write for it, else an available one", () => {
    assert.equal(findShell("/opt/fish", "linux", {}), "/opt/fish");
    assert.match(findShell("", "linux", { SHELL: "/usr/bin/fish" }), /\/(ba)?sh$/);
    assert.equal(findShell("", "win32", { Path: "C:\\none", ComSpec: "C:\\cmd.exe" }), "C:\\cmd.exe");
    assert.equal(findShell("", "win32", {}), "cmd.exe");
  });
});

describe("a command typed into a shell", () => {
  let folder: string;
  const place = typedScript("4711");
  before(function () {
    if (process.platform === "win32") this.skip();
    folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "typed-")));
    mkdirSync(path.join(folder, "it's"));
  });
  after(() => {
    place.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Returns what bash writes, and the exit code that the command told. */
  async function typed(command: string, shell = "bash"): Promise<{ output: string; code: number | undefined }> {
    const cwd = path.join(folder, "it's");
    const line = typedLine(shell, { command, cwd, env: { MARK: "it's me" }, withheld: ["KEY_OF_MAKER"], place });
    assert.ok(line?.script !== undefined && !line.text.includes("\n"));
    place.write(line.script);
    const output = execFileSync(shell, ["-c", `export KEY_OF_MAKER=sk; ${line.text}; echo "[$?] $PWD"`], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    assert.ok(!existsSync(place.script), "the script is removed");
    const parts = output.split(place.mark);
    assert.equal(parts.length, 2, "the mark is there once");
    return { output: parts.join(""), code: await place.told() };
  }

  for (const [command, output] of [
    ["(echo x)", "x\n[0]"],
    ["{ (echo x); }", "x\n[0]"],
    ["cat <<'END'\na $b\nEND", "a $b\n[0]"],
    ["for i in 1 2; do\n  echo $i\ndone", "1\n2\n[0]"],
    ["bash -c 'echo a\necho b'", "a\nb\n[0]"],
    ["exit 3", "[3]"],
    ["false", "[1]"],
    ["echo a # comment", "a\n[0]"],
    ["cd /; echo $MARK", "it's me\n[0]"],
    ["echo [$KEY_OF_MAKER]; env | grep KEY_OF", "[]\n[1]"],
    ["echo 'ü $HOME `x` !!'", "ü $HOME `x` !!\n[0]"],
    ['basename "$PWD"', "it's\n[0]"],
  ] as const) {
    it(`T10 ${JSON.stringify(command)}`, async () => {
      const code = Number(/\[(\d+)\]$/.exec(output)?.[1]);
      assert.deepEqual(await typed(command), { output: `${output} ${folder}\n`, code });
    });
  }

  it("T10 keeps an error of syntax, and a parenthesis too many, inside", async () => {
    for (const command of ["echo )", "echo a ) ; exit 4; ( echo b", "if", "cat <<END\nx", "echo 'a"]) {
      const { output, code } = await typed(command);
      assert.ok(output.endsWith(`[${code}] ${folder}\n`), `${command}: ${output}`);
      assert.ok(!output.includes("[4]"));
    }
  });

  it("T10 tells its code also in a shell that does not overwrite files", async () => {
    assert.equal((await typed("exit 5")).code, 5);
    const line = typedLine("bash", { command: "exit 6", cwd: folder, env: {}, withheld: [], place });
    place.write(line?.script ?? "");
    execFileSync("bash", ["-c", `set -C; ${line?.text} || true`]);
    assert.equal(await place.told(), 6);
  });

  it("T13 has removed the script, which may hold a secret, when the command runs", async () => {
    const { output } = await typed(`ls -A '${path.dirname(place.script)}'`);
    assert.doesNotMatch(output, /run/);
  });

  it("T10 gives a command no arguments, and takes one of any length", async () => {
    assert.deepEqual(await typed('echo "[$*]"'), { output: `[]\n[0] ${folder}\n`, code: 0 });
    const { output } = await typed(`echo ${"x".repeat(10_000)}`);
    assert.equal(output.indexOf("\n"), 10_000);
  });

  it("is one short line that names the script and tells the user what it runs", () => {
    const line = typedLine("zsh", {
      command: "echo 'a' $(rm x) `y` !z\nnext",
      cwd: "/",
      env: { A: "b" },
      withheld: [],
      place,
    });
    assert.equal(line?.text, ` . '${place.script}' 'echo a rm x y z next'`);
  });

  it("is not used for shells with another syntax, nor for very long commands in PowerShell", () => {
    for (const shell of ["fish", "sh", "cmd", "nu"])
      assert.equal(typedLine(shell, { command: "x", cwd: "/", env: {}, withheld: [], place }), undefined);
    const long = { command: "x".repeat(10_000), cwd: "/", env: { A: "b" }, withheld: [], place };
    assert.equal(typedLine("pwsh", long), undefined);
    assert.match(
      typedLine("pwsh", { ...long, command: "x" })?.text ?? "",
      /^<# x #> try \{ Set-PSReadLineOption .*; Invoke-Expression /,
    );
  });
});
