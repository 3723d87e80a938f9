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
      return { text: `<# ${title} #> Invoke-Expression (${decoded})`, isProcess: false };
    }
    default:
      return undefined;
  }
}

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
