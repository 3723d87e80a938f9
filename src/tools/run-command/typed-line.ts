/** Encodes a command as one line to be typed into a shell. Pure. */
import { Buffer } from "node:buffer";

interface TypedCommand {
  command: string;
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Variables that the command must not see, although files of the shell may have set them. */
  withheld: readonly string[];
}

export interface TypedLine {
  text: string;
  /** Whether the command runs in its own process. */
  isProcess: boolean;
}

const maxLineLength = 8_000;

/**
 * Makes VS Code's scripts for shells keep out of the history what begins with a space (bash, zsh) and, until the first
 * line changes that, everything in PowerShell. They read it after the user's own files and remove it. VS Code before 1.106
 * does not know it. See `shellIntegration-bash.sh`, `-rc.zsh` and `.ps1` in
 * https://github.com/microsoft/vscode/tree/main/src/vs/workbench/contrib/terminal/common/scripts
 */
export const withoutHistory: Readonly<Record<string, string>> = { VSCODE_PREVENT_SHELL_HISTORY: "1" };

/** Encodes, as shell integration loses track of several lines, `(` and `{`. Undefined if unsupported or too long. */
export function typedLine(shell: string, typed: TypedCommand): TypedLine | undefined {
  const line = encodeFor(shell, typed);
  return line && line.text.length <= maxLineLength ? line : undefined;
}

function encodeFor(shell: string, { command, cwd, env, withheld }: TypedCommand): TypedLine | undefined {
  const title = harmlessTitle(command);
  switch (shell) {
    case "bash":
    case "zsh":
    case "gitbash": {
      const exports = Object.entries(env).map(([name, value]) => `${name}=${quotePosix(value)}`);
      // Interactive shells may not support comments.
      const comments = shell === "zsh" ? "setopt interactivecomments" : "shopt -s interactive_comments";
      const unset = withheld.length === 0 ? "" : `unset ${withheld.join(" ")}\n`;
      const script = `${comments}\ncd -- ${quotePosix(cwd)} && export ${exports.join(" ")} || exit\n${unset}${command}`;
      // The subshell isolates `cd`, `exit` and variables. The leading space keeps the line out of the history.
      const text = ` : '${title}' && ( eval "$(printf %s ${base64(script)} | base64 --decode)" )`;
      return { text, isProcess: true };
    }
    case "pwsh":
    case "powershell": {
      const variables = Object.entries(env).map(([name, value]) => `$env:${name} = ${quotePowerShell(value)}`);
      const unset = withheld.map(
        (name) => `Remove-Item -LiteralPath ${quotePowerShell(`Env:${name}`)} -ErrorAction Ignore`,
      );
      const place = `Set-Location -LiteralPath ${quotePowerShell(cwd)}`;
      const script = [place, ...variables, ...unset, command].join("\n");
      const decoded = `[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${base64(script)}'))`;
      const text = `<# ${title} #> ${ownHistory}; Invoke-Expression (${decoded})`;
      return { text, isProcess: false };
    }
    default:
      return undefined;
  }
}

/**
 * Lets PowerShell's history have the user's lines again, and none of these: they alone begin with a comment and this
 * option. https://learn.microsoft.com/powershell/module/psreadline/set-psreadlineoption#-addtohistoryhandler
 */
const ownHistory = [
  "try { Set-PSReadLineOption -AddToHistoryHandler { param([string]$line)",
  " if ($line -match '^<# [^#]*#> try . Set-PSReadLineOption -AddToHistoryHandler') { return $false };",
  " try { [Microsoft.PowerShell.PSConsoleReadLine]::GetDefaultAddToHistoryOption($line) } catch { $true } } } catch { }",
].join("");

function harmlessTitle(command: string): string {
  return command
    .replace(/[^\p{L}\p{N}./:=,_@%+-]+/gu, " ")
    .trim()
    .slice(0, 60)
    .trim();
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function quotePosix(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function quotePowerShell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
