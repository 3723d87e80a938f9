/** Commands on Windows, where `npx` and its like are scripts that only cmd.exe runs. */

const special = /[()\][%!^"`<>&|;, *?]/g;

/** The program and its arguments for `spawn` with `windowsVerbatimArguments`: no character of them means anything to cmd.exe. */
export function windowsCommand(command: string, args: readonly string[]): [string, string[]] {
  const program = command.replace(special, "^$&");
  const line = [program, ...args.map(escaped)].join(" ");
  return [process.env["ComSpec"] ?? "cmd.exe", ["/d", "/s", "/c", `"${line}"`]];
}

/** Quoted for the program, then escaped twice: cmd.exe reads the line, and the script hands its arguments to cmd.exe again. */
function escaped(arg: string): string {
  const quoted = `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, "$1$1")}"`;
  return quoted.replace(special, "^$&").replace(special, "^$&");
}
