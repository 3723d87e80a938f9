/** Commands on Windows, where `npx` and similar programs are scripts that only cmd.exe runs. */

const special = /[()\][%!^"`<>&|;, *?]/g;

/** Returns program and arguments for `spawn` with `windowsVerbatimArguments`, escaped for cmd.exe. */
export function windowsCommand(command: string, args: readonly string[]): [string, string[]] {
  const program = command.replace(special, "^$&");
  const line = [program, ...args.map(escapeArgument)].join(" ");
  return [process.env["ComSpec"] ?? "cmd.exe", ["/d", "/s", "/c", `"${line}"`]];
}

/** Quotes for the program, then escapes twice: for cmd.exe, and for the script that calls cmd.exe again. */
function escapeArgument(arg: string): string {
  const quoted = `"${arg.replace(/(?<!\\)(\\*)"/g, '$1$1\\"').replace(/(?<!\\)(\\*)$/, "$1$1")}"`;
  return quoted.replace(special, "^$&").replace(special, "^$&");
}
