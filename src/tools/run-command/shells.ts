/** Finds the shell and builds its command line. */
import { existsSync } from "node:fs";
import path from "node:path";

/** `verbatim`: on Windows, the arguments are already quoted. */
export interface ShellInvocation {
  file: string;
  args: string[];
  verbatim: boolean;
}

/** Returns the program's name, `bash` or `pwsh`, for people and models. */
export function shellName(program: string): string {
  return path.win32
    .basename(program)
    .replace(/\.exe$/i, "")
    .toLowerCase();
}

export function invocation(program: string, command: string): ShellInvocation {
  const name = shellName(program);
  if (name === "cmd") return { file: program, args: ["/d", "/s", "/c", `"${cmdLine(command)}"`], verbatim: true };
  if (name !== "pwsh" && name !== "powershell") return { file: program, args: ["-c", command], verbatim: false };
  const args = ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", powershellScript(command)];
  return { file: program, args, verbatim: false };
}

/** Returns the last program's exit code, which `-Command` would turn into 1. `command` may end with a comment. */
export function powershellScript(command: string): string {
  return [
    "$ProgressPreference = 'SilentlyContinue'",
    "try { [Console]::OutputEncoding = $OutputEncoding = [System.Text.UTF8Encoding]::new($false) } catch { }",
    "$global:LASTEXITCODE = 0",
    command,
    "if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 } }",
  ].join("\n");
}

/** Joins the lines, because a line feed ends the command. With `/s`, cmd removes only the outer quotes. */
function cmdLine(command: string): string {
  const lines = command.split(/\r?\n/).map((line) => line.trim());
  return ["chcp 65001>nul", ...lines.filter((line) => line !== "")].join(" & ");
}

/** Prefers bash, because commands are checked by its grammar and zsh differs. */
export function findShell(wanted: string, platform = process.platform, env = process.env): string {
  if (wanted !== "") return wanted;
  if (platform === "win32") {
    return onPath("pwsh.exe", env) ?? onPath("powershell.exe", env) ?? env["ComSpec"] ?? "cmd.exe";
  }
  const own = env["SHELL"];
  if (own !== undefined && /\/bash$/.test(own) && existsSync(own)) return own;
  return ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].find((name) => existsSync(name)) ?? "/bin/sh";
}

function onPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env["Path"] ?? env["PATH"] ?? "").split(";").filter((folder) => folder !== "");
  return folders.map((folder) => path.win32.join(folder, name)).find((file) => existsSync(file));
}
