/** A command as one line for a shell that is typed into. Pure. */
import { Buffer } from "node:buffer";

interface TypedCommand {
  command: string;
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
}

export interface TypedLine {
  text: string;
  /** Whether the command has a process of its own, which lives as long as it runs. */
  isProcess: boolean;
}

/** Characters. Longer lines are slow to type, and some terminals cut them. */
const maxLineLength = 8_000;
const titleLength = 60;

/**
 * Shell integration loses track of commands of several lines, and of those that begin with `(` or `{`, so it is all one
 * encoded line; what it is about stands before it, for people. `shell` is its name, as VS Code has it.
 * Undefined: this shell, or this command, is not for that.
 */
export function typedLine(shell: string, typed: TypedCommand): TypedLine | undefined {
  const line = encodeFor(shell, typed);
  return line && line.text.length <= maxLineLength ? line : undefined;
}

function encodeFor(shell: string, { command, cwd, env }: TypedCommand): TypedLine | undefined {
  const title = harmlessTitle(command);
  switch (shell) {
    case "bash":
    case "zsh":
    case "gitbash": {
      const exports = Object.entries(env).map(([name, value]) => `${name}=${quotePosix(value)}`);
      // Where one types, `#` may be no comment.
      const comments = shell === "zsh" ? "setopt interactivecomments" : "shopt -s interactive_comments";
      const script = `${comments}\ncd -- ${quotePosix(cwd)} && export ${exports.join(" ")} || exit\n${command}`;
      // In a subshell, so that `cd`, `exit` and variables stay there.
      // The space keeps it out of the history of shells that are set up so.
      const text = ` : '${title}' && ( eval "$(printf %s ${base64(script)} | base64 --decode)" )`;
      return { text, isProcess: true };
    }
    case "pwsh":
    case "powershell": {
      const variables = Object.entries(env).map(([name, value]) => `$env:${name} = ${quotePowerShell(value)}`);
      const script = [`Set-Location -LiteralPath ${quotePowerShell(cwd)}`, ...variables, command].join("\n");
      const decoded = `[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${base64(script)}'))`;
      return { text: `<# ${title} #> Invoke-Expression (${decoded})`, isProcess: false };
    }
    default:
      return undefined;
  }
}

/** Of the first line what no shell can take for anything but words. */
function harmlessTitle(command: string): string {
  return command
    .replace(/[^\p{L}\p{N}./:=,_@%+-]+/gu, " ")
    .trim()
    .slice(0, titleLength)
    .trim();
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function quotePosix(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** For PowerShell. */
function quotePowerShell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
