/** Programs that run other programs, or code that stands in their arguments: a rule for them would allow anything. */

/** @returns why the simple command `words` hides what it runs, or undefined when it does not */
export function runsOthers(words: readonly string[]): string | undefined {
  const [path = "", ...rest] = words;
  if (/^\w+\+?=/.test(path)) return "it sets variables for a command";
  const program = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (always.has(program)) return `${program} runs other commands`;
  const why = `${program} can run other code with these arguments`;
  if (shells.has(program) || interpreters.test(program)) return isScript(program, rest) ? undefined : why;
  return hidden[program]?.(rest) ? why : undefined;
}

const always = new Set(
  `env sudo doas su xargs eval exec command builtin source . timeout gtimeout nohup nice ionice chrt taskset stdbuf setsid time
  watch ssh parallel busybox toybox strace ltrace gdb lldb valgrind script expect tmux screen at batch crontab chroot unshare
  nsenter flock entr nodemon concurrently trap alias unalias export declare typeset local readonly set unset shopt enable hash
  fc bind complete mapfile readarray pushd popd awk gawk mawk nawk vi vim nvim ex ed emacs nano perf osascript open start cmd
  powershell pwsh iex cmd.exe powershell.exe systemd-run run-parts runuser setarch caffeinate dbus-run-session xvfb-run make-kpkg
  socat nc ncat netcat telnet mysql psql sqlite3 redis-cli mongosh`.split(/\s+/),
);

const shells = new Set(["sh", "bash", "zsh", "dash", "ksh", "fish", "csh", "tcsh"]);
const interpreters =
  /^(node|nodejs|bun|deno|tsx|ts-node|python|python[\d.]+|pypy[\d.]*|perl|ruby|php|lua|rscript|r|julia|groovy|scala|ghci|elixir|erl|tclsh|guile)$/;

/** Whether what is run is a file that is named, and not code, standard input or a module that is loaded first. */
function isScript(program: string, [first = "", ...rest]: readonly string[]): boolean {
  if (/^(--version|-V|--help)$/.test(first)) return rest.length === 0;
  if (/^(python[\d.]*|pypy[\d.]*)$/.test(program) && first === "-m") return rest.length > 0;
  if (/^node(js)?$/.test(program) && first === "--test") return rest.every((word) => !word.startsWith("-"));
  if (program === "deno") return /^(test|fmt|lint|check|task|run|install|info|bench)$/.test(first);
  if (program === "bun" && /^(x|exec|repl)$/.test(first)) return false;
  return first !== "" && !/^[-+]/.test(first);
}

/** Whether the arguments of the program name other code to run, or a file to write in a way that is easily overlooked. */
const hidden: Record<string, (rest: readonly string[]) => boolean> = {
  find: (rest) => rest.some((word) => /^-(exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls)$/.test(word)),
  fd: (rest) => hasShort(rest, "xX") || hasLong(rest, "exec", "exec-batch"),
  rg: (rest) => hasLong(rest, "pre", "hostname-bin"),
  git: isHiddenGit,
  // Only the printing of lines by number is surely harmless: `e`, `w` and the flags of `s` run and write.
  sed: ([flag, program = "", ...files]) =>
    flag !== "-n" || !/^\d+(,(\d+|\$))?p(;\d+(,(\d+|\$))?p)*$/.test(program) || files.some(isFlag),
  tar: (rest) =>
    hasShort(rest, "IF") ||
    hasLong(rest, "to-command", "checkpoint-action", "use-compress-program", "rmt-command", "rsh-command") ||
    hasLong(rest, "info-script", "new-volume-script"),
  zip: (rest) => hasShort(rest, "T") || hasLong(rest, "test", "unzip-command"),
  rsync: (rest) => hasShort(rest, "e") || hasLong(rest, "rsh", "rsync-path"),
  scp: (rest) => hasShort(rest, "SoD"),
  sort: (rest) => hasLong(rest, "compress-program"),
  split: (rest) => hasLong(rest, "filter"),
  man: (rest) => hasShort(rest, "PH") || hasLong(rest, "pager", "html"),
  docker: isHiddenContainer,
  podman: isHiddenContainer,
  kubectl: ([verb = "-"]) => isFlag(verb) || /^(exec|run|debug|attach|cp|proxy)$/.test(verb),
  npx: hasFlagFirst,
  bunx: hasFlagFirst,
  uvx: hasFlagFirst,
  npm: (rest) =>
    hasFlagFirst(rest) || isVerb(rest, "exec x explore edit config set c") || hasLong(rest, "script-shell"),
  pnpm: (rest) => hasFlagFirst(rest) || isVerb(rest, "exec dlx config c"),
  yarn: (rest) => hasFlagFirst(rest) || isVerb(rest, "exec dlx config"),
  uv: (rest) => hasFlagFirst(rest) || isVerb(rest, "run tool"),
  poetry: (rest) => hasFlagFirst(rest) || isVerb(rest, "run"),
  cargo: (rest) => hasLong(rest, "config"),
  go: (rest) => isVerb(rest, "env") || rest.some((word) => /^--?(exec|toolexec|vettool)\b/.test(word)),
  make: (rest) => hasShort(rest, "E") || hasLong(rest, "eval") || rest.some((word) => word.includes("=")),
  // Later words would be looked for in another folder than the one that is known.
  cd: (rest) => rest.length !== 1 || rest.some(isFlag),
};

function isFlag(word: string): boolean {
  return word.startsWith("-");
}

/** Whether a cluster of short flags holds one of `letters`. */
function hasShort(rest: readonly string[], letters: string): boolean {
  return rest.some((word) => /^-[A-Za-z]/.test(word) && [...letters].some((letter) => word.includes(letter)));
}

/** Whether one of the long options is given, be it abbreviated as GNU programs and git allow. */
function hasLong(rest: readonly string[], ...options: string[]): boolean {
  return rest.some((word) => {
    const name = /^--([a-z-]+)/.exec(word)?.[1];
    return name !== undefined && options.some((option) => option.startsWith(name));
  });
}

function isVerb([verb = ""]: readonly string[], verbs: string): boolean {
  return verbs.split(" ").includes(verb);
}

function hasFlagFirst([first = ""]: readonly string[]): boolean {
  return isFlag(first) && !/^(--version|--help|-v|-h|-y|--yes|--no-install)$/.test(first);
}

function isHiddenContainer(rest: readonly string[]): boolean {
  const verb = (rest[0] === "compose" || rest[0] === "container" ? rest[1] : rest[0]) ?? "";
  return isFlag(verb) || /^(exec|run|create|cp|build|buildx)$/.test(verb);
}

/** Options before the sub-command can name a pager or an alias; some sub-commands run what they are given. */
function isHiddenGit(rest: readonly string[]): boolean {
  const words = rest[0] === "--no-pager" ? rest.slice(1) : rest;
  const [verb = "--version", next = ""] = words;
  if (verb === "--version" || verb === "--help") return false;
  if (isFlag(verb)) return true;
  if (
    isVerb(words, "config bisect filter-branch difftool mergetool daemon hook maintenance instaweb send-email shell")
  ) {
    return true;
  }
  if (verb === "submodule" && next === "foreach") return true;
  if (verb === "rebase" && hasShort(words, "x")) return true;
  if (verb === "grep" && hasShort(words, "O")) return true;
  if (verb === "clone" && hasShort(words, "cu")) return true;
  return (
    hasLong(words, "exec", "upload-pack", "receive-pack", "extcmd", "ext-diff", "textconv", "output") ||
    hasLong(words, "open-files-in-pager", "config", "template", "run")
  );
}
