/** Encodes a command as one line to be typed into a shell. Pure. */
import { Buffer } from "node:buffer";
import type { ScriptPlace } from "./typed-script.ts";

interface TypedCommand {
  command: string;
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Variables that the command must not see, although files of the shell may have set them. */
  withheld: readonly string[];
  place: ScriptPlace;
}

export interface TypedLine {
  text: string;
  /**
   * What its place must hold then; the command runs in its own process and tells its end there. Undefined if the line
   * holds the command itself.
   */
  script: string | undefined;
}

const maxLineLength = 8_000;

/**
 * Makes VS Code's scripts for shells keep out of the history what begins with a space (bash, zsh) and, until the first
 * line changes that, everything in PowerShell. They read it after the user's own files and remove it. VS Code before 1.106
 * does not know it. See `shellIntegration-bash.sh`, `-rc.zsh` and `.ps1` in
 * https://github.com/microsoft/vscode/tree/main/src/vs/workbench/contrib/terminal/common/scripts
 */
export const withoutHistory: Readonly<Record<string, string>> = { VSCODE_PREVENT_SHELL_HISTORY: "1" };

/** One line, as shell integration loses track of several, of `(` and `{`. Undefined if unsupported or too long. */
export function typedLine(shell: string, typed: TypedCommand): TypedLine | undefined {
  const line = encodeFor(shell, typed);
  return line && line.text.length <= maxLineLength ? line : undefined;
}

function encodeFor(shell: string, { command, cwd, env, withheld, place }: TypedCommand): TypedLine | undefined {
  const title = harmlessTitle(command);
  switch (shell) {
    case "bash":
    case "zsh":
    case "gitbash": {
      const exports = Object.entries(env).map(([name, value]) => `${name}=${quotePosix(value)}`);
      // Interactive shells may not support comments.
      const comments = shell === "zsh" ? "setopt interactivecomments" : "shopt -s interactive_comments";
      const unset = withheld.length === 0 ? "" : `unset ${withheld.join(" ")}\n`;
      const inner = `set --\n${comments}\ncd -- ${quotePosix(cwd)} && export ${exports.join(" ")} || exit\n${unset}${command}`;
      const file = posixPath(place.script);
      const script = [...(shell === "zsh" ? [] : withoutLineOf(file)), ...inSubshell(inner, place)].join("\n");
      // One simple command: bash reports no more than the first of a line that is not in its history, and VS Code would
      // not recognize the line, and give its events and output to another command. A short one: zsh's script starts a
      // process for each character of it. The leading space keeps it out of the history.
      return { text: ` . ${quotePosix(file)} '${title}'`, script };
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
      return { text, script: undefined };
    }
    default:
      return undefined;
  }
}

/**
 * The inner subshell isolates `cd`, `exit`, variables and errors of syntax. The outer one removes the script, which may
 * hold a secret, outlives Ctrl+C, and tells how the inner one ended. `>|` writes although a user has set `noclobber`.
 */
function inSubshell(script: string, { script: own, code, mark }: ScriptPlace): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the mark is an escape sequence
  const octal = mark.replace(/[\x00-\x1f]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`);
  return [
    "(",
    "trap : INT QUIT",
    `command rm -f -- ${quotePosix(posixPath(own))}`,
    `( eval ${quotePosix(script)} )`,
    "RONDO_CODE=$?",
    `builtin printf ${quotePosix(octal)}`,
    `{ builtin printf '%s\\n' "$RONDO_CODE" >| ${quotePosix(posixPath(code))}; } 2>/dev/null`,
    'exit "$RONDO_CODE"',
    ")",
  ];
}

/** As Git Bash writes a path of Windows. */
const posixPath = (name: string): string => (/^[A-Za-z]:\\/.test(name) ? name.replaceAll("\\", "/") : name);

/**
 * Removes the line that names the script from bash's history if it is there nevertheless: files of the user, such as
 * bash-preexec, can change `HISTCONTROL` later (https://github.com/rcaloras/bash-preexec, `__bp_adjust_histcontrol`).
 */
const withoutLineOf = (script: string): readonly string[] => [
  // biome-ignore lint/suspicious/noTemplateCurlyInString: bash's own
  "case :${HISTCONTROL-}: in *:ignorespace:*|*:ignoreboth:*) ;; *)",
  "RONDO_LINE=$(HISTTIMEFORMAT= builtin history 1)",
  `case $RONDO_LINE in *${quotePosix(script)}*)`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: bash's own
  'RONDO_LINE=${RONDO_LINE#"${RONDO_LINE%%[0-9]*}"}; builtin history -d "${RONDO_LINE%%[!0-9]*}" ;; esac',
  "unset RONDO_LINE ;; esac",
];

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
