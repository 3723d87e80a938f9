/** What is known of programs: which run others or code, which write where it is easily overlooked, which send. */

import { packingOf } from "./archives.ts";
import { isHiddenGit, isReadingGit } from "./git.ts";
import { hasLong, hasShort, isFlag, isVerb, plainWords, valuesOf, type Words } from "./options.ts";
import { isHarmlessAwk, isHarmlessSed } from "./scripts.ts";

/**
 * Whether the words hide what is run: a rule for the program would allow anything. Only the text to the letter can then
 * be allowed.
 */
export function isHidden(program: string, rest: Words): boolean {
  const name = nameOf(program);
  if (runners.has(name)) return true;
  if (shells.test(name) || interpreters.test(name)) return !isScript(name, rest);
  const packing = packingOf(name, rest);
  if (packing && !packing.writes) return true;
  return Object.hasOwn(hidden, name) && (hidden[name]?.(rest) ?? false);
}

/** Files that it writes, though rules for the program may be meant for reading. */
export function hiddenWrites(program: string, rest: Words): string[] {
  const name = nameOf(program);
  const packing = packingOf(name, rest);
  if (packing) return [...(packing.writes ?? [])];
  return Object.hasOwn(writing, name) ? (writing[name]?.(rest) ?? []) : [];
}

/** Whether any words may follow: none of them can make it run, write, read or send. */
export function takesAnything(program: string): boolean {
  return harmless.has(program);
}

/** Whether names of files that a wildcard stands for may be taken for options, as a file named `-delete` is. */
export function heedsNames(program: string): boolean {
  return !(reading.has(program) || harmless.has(program)) || /^(sort|tree|find|rg|uniq|tar|less|file)$/.test(program);
}

/** Whether it only reads the files that it names. */
export function onlyReads(program: string, rest: Words): boolean {
  return reading.has(program) || harmless.has(program) || (program === "git" && isReadingGit(rest));
}

export interface Below {
  isRead(path: string): boolean;
  /** Those that git ignores, too. */
  ignored: boolean;
}

/** Which files a program reads below the folders that it names, or the one where it runs; undefined: none. */
export function readsBelow(program: string, rest: Words): Below | undefined {
  const all: Below = { isRead: () => true, ignored: true };
  const isVisible = (path: string) => !/(^|\/)\./.test(path);
  switch (program) {
    case "grep":
    case "egrep":
    case "fgrep":
    case "diff":
      return hasShort(rest, "rRd") || hasLong(rest, "recursive", "dereference-recursive", "directories")
        ? all
        : undefined;
    case "rg":
    case "ag":
    case "ack":
      if (hasLong(rest, "files", "type-list", "version", "help")) return undefined;
      return hasShort(rest, "u.") || hasLong(rest, "hidden", "unrestricted") ? all : { ...all, isRead: isVisible };
    case "cp":
    case "scp":
      return hasShort(rest, "rRa") || hasLong(rest, "recursive", "archive") ? all : undefined;
    case "git":
      if (hasLong(rest, "no-index")) return all;
      // Of what is tracked hardly a file is ignored.
      return isVerb(rest, "grep") ? { ...all, ignored: hasLong(rest, "untracked") } : undefined;
    default:
      return packingOf(program, rest)?.packs ? all : undefined;
  }
}

/** What it does, in words for the card; empty where its name says it, or nobody knows. */
export function effectOf(program: string, rest: Words): string {
  const name = nameOf(program);
  if (program === "git" && isVerb(rest, "push")) return "sends data to the network";
  const [effect] = effects.find(([, names]) => names.has(name)) ?? [];
  return effect ?? (runners.has(name) || interpreters.test(name) || shells.test(name) ? "runs other code" : "");
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).toLowerCase();
}

function set(names: string): ReadonlySet<string> {
  return new Set(names.trim().split(/\s+/));
}

const runners =
  set(`sudo doas su pkexec run0 chrt taskset watch ssh mosh parallel busybox toybox strace ltrace gdb lldb valgrind
  script expect tmux screen at batch crontab chroot unshare nsenter flock entr nodemon concurrently xargs nohup ionice
  timeout nice stdbuf setsid time vi vim nvim view rview ex ed emacs nano pico joe micro osascript open start xdg-open cmd
  powershell pwsh iex cmd.exe powershell.exe powershell_ise wsl wsl.exe systemd-run run-parts runuser setarch linux32 linux64
  dbus-run-session xvfb-run fakeroot make-kpkg socat nc ncat netcat telnet ftp sftp lftp mysql psql sqlite3 redis-cli mongosh
  mongo fzf sk gdbus pdb ipython jshell irb pry bpython ptpython bc dc m4 rlwrap unbuffer daemonize start-stop-daemon ld.so
  direnv mise asdf nix-shell nix devcontainer vagrant ansible ansible-playbook rundll32 mshta wscript cscript regsvr32 tclsh
  wish scrapy logrotate debugfs capsh gimp byebug cpan easy_install gem xterm setpriv prlimit softlimit faketime torsocks
  proxychains firejail bwrap choom numactl perf hyperfine ag-run xonsh nu elvish`);

const shells = /^(r?bash|sh|zsh|dash|ksh\d*|mksh|fish|csh|tcsh|ash|yash|posh)$/;
const interpreters =
  /^(node|nodejs|bun|deno|tsx|ts-node|python|python[\d.]+w?|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|luajit|rscript|r|julia|groovy|scala|ghci|runghc|runhaskell|elixir|iex|erl|escript|guile|java|dotnet-script|swift|racket|sbcl|clisp|octave|gnuplot|jq-run|jjs|jrunscript|kotlin|clojure|clj|bb|raku|tcc)$/;

/** Whether what is run is a file that is named, and not code, standard input or a module that is loaded first. */
function isScript(name: string, [first = "", ...rest]: Words): boolean {
  if (/^(--version|-V|--help)$/.test(first)) return rest.length === 0;
  if (name === "node" && /^-v$/.test(first)) return rest.length === 0;
  if (/^(python[\d.]*|pypy[\d.]*)$/.test(name) && first === "-m") return rest.length > 0;
  if (/^node(js)?$/.test(name) && first === "--test") return rest.every((word) => !isFlag(word));
  if (name === "deno") return /^(test|fmt|lint|check|task|run|install|info|bench)$/.test(first);
  if (name === "bun" && /^(x|exec|repl)$/.test(first)) return false;
  if (name === "swift") return /^(build|test|package|run)$/.test(first);
  return first !== "" && !/^[-+]/.test(first);
}

type Check = (rest: Words) => boolean;

const whatever: Check = () => true;

/** Whether the arguments name other code to run, or take away what the program's name promises. */
const hidden: Readonly<Record<string, Check>> = {
  // With a command it is taken apart before it comes here.
  env: (rest) => rest.length > 0,
  find: (rest) =>
    rest.some((word) => /^-(exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls|files0-from|L$|H$|follow$)/.test(word)),
  // Links are followed wherever they lead.
  grep: followsLinks,
  egrep: followsLinks,
  fgrep: followsLinks,
  zgrep: followsLinks,
  diff: (rest) => (hasShort(rest, "r") || hasLong(rest, "recursive")) && !hasLong(rest, "no-dereference"),
  fd: (rest) => hasShort(rest, "xXL") || hasLong(rest, "exec", "exec-batch", "follow"),
  fdfind: (rest) => hasShort(rest, "xXL") || hasLong(rest, "exec", "exec-batch", "follow"),
  rg: (rest) => hasShort(rest, "L") || hasLong(rest, "pre", "hostname-bin", "follow"),
  ag: (rest) => hasLong(rest, "pager"),
  ack: (rest) => hasLong(rest, "pager", "ackrc", "output"),
  bat: isHiddenBat,
  batcat: isHiddenBat,
  delta: (rest) => hasLong(rest, "pager"),
  git: isHiddenGit,
  awk: (rest) => !isHarmlessAwk(rest),
  gawk: (rest) => !isHarmlessAwk(rest),
  mawk: (rest) => !isHarmlessAwk(rest),
  nawk: (rest) => !isHarmlessAwk(rest),
  sed: (rest) => !isHarmlessSed(rest),
  gsed: (rest) => !isHarmlessSed(rest),
  // Their keys run commands, and files are preprocessed by what the environment names.
  less: (rest) => rest.some((word) => /^[-+]/.test(word) && !/^-[NRSFXEi]+$/.test(word)),
  more: (rest) => rest.some((word) => word.startsWith("+")),
  man: (rest) => hasShort(rest, "PHKC") || hasLong(rest, "pager", "html", "config-file", "preprocessor", "browser"),
  info: (rest) => hasShort(rest, "o") || hasLong(rest, "output", "restore", "init-file"),
  scp: (rest) => hasShort(rest, "SoDF"),
  sort: (rest) => hasLong(rest, "compress-program", "files0-from"),
  split: (rest) => hasLong(rest, "filter"),
  tree: (rest) => hasShort(rest, "l") || hasLong(rest, "fromfile", "infofile"),
  date: setsClock,
  ps: showsEnvironments,
  hostname: (rest) => plainWords(rest).length > 0 || hasShort(rest, "Fb") || hasLong(rest, "file"),
  curl: (rest) => hasShort(rest, "KE") || hasLong(rest, "config", "cert", "engine", "libcurl", "proto-default"),
  wget: (rest) => hasLong(rest, "use-askpass", "config", "execute", "input-file") || hasShort(rest, "ei"),
  docker: isHiddenContainer,
  podman: isHiddenContainer,
  nerdctl: isHiddenContainer,
  kubectl: ([verb = "-"]) => isFlag(verb) || /^(exec|run|debug|attach|cp|proxy|plugin|edit|config)$/.test(verb),
  npx: hasFlagFirst,
  bunx: hasFlagFirst,
  uvx: hasFlagFirst,
  npm: (rest) =>
    hasFlagFirst(rest) ||
    isVerb(rest, "exec x explore edit config set c pkg") ||
    hasLong(rest, "script-shell", "prefix", "globalconfig", "userconfig", "shell", "editor", "node-options"),
  pnpm: (rest) => hasFlagFirst(rest) || isVerb(rest, "exec dlx config c") || hasLong(rest, "script-shell"),
  yarn: (rest) => hasFlagFirst(rest) || isVerb(rest, "exec dlx config node"),
  uv: (rest) => isVerb(rest, "run tool") || hasFlagFirst(rest),
  poetry: (rest) => isVerb(rest, "run") || hasFlagFirst(rest),
  pipx: (rest) => isVerb(rest, "run"),
  pipenv: (rest) => isVerb(rest, "run shell"),
  conda: (rest) => isVerb(rest, "run"),
  rustup: (rest) => isVerb(rest, "run"),
  bundle: (rest) => isVerb(rest, "exec"),
  cargo: (rest) => hasLong(rest, "config") || rest[0]?.startsWith("+") === true,
  go: (rest) => isVerb(rest, "env generate tool") || rest.some((word) => /^--?(exec|toolexec|vettool)\b/.test(word)),
  make: (rest) =>
    hasShort(rest, "EfIC") ||
    hasLong(rest, "eval", "file", "makefile", "directory", "include-dir") ||
    rest.some((word) => word.includes("=")),
  cmake: (rest) => rest.some((word) => /^-[PED]/.test(word)),
  javac: whatever,
  gcc: isHiddenCompiler,
  "g++": isHiddenCompiler,
  cc: isHiddenCompiler,
  clang: isHiddenCompiler,
  "ssh-keygen": (rest) => hasShort(rest, "D") || hasShort(rest, "PM"),
  gh: (rest) => isVerb(rest, "alias extension api codespace config"),
  jq: (rest) => hasLong(rest, "library-path", "from-file") || hasShort(rest, "fL") || rest.some(loadsFiles),
  yq: (rest) =>
    hasShort(rest, "isfL") ||
    hasLong(rest, "inplace", "in-place", "from-file", "split-exp", "split-exp-file", "library-path") ||
    rest.some(loadsFiles),
  xmllint: (rest) => hasLong(rest, "shell", "output"),
  tcpdump: (rest) => hasShort(rest, "zw"),
  pytest: (rest) => hasShort(rest, "pc") || hasLong(rest, "rootdir", "confcutdir", "pyargs", "override-ini"),
  eslint: (rest) =>
    hasLong(rest, "config", "resolve-plugins-relative-to", "rulesdir", "plugin", "parser", "format") ||
    hasShort(rest, "cf"),
  prettier: (rest) => hasLong(rest, "plugin", "config"),
  systemctl: (rest) => isVerb(rest, "edit") || hasShort(rest, "H"),
  journalctl: (rest) => hasLong(rest, "vacuum-size", "vacuum-time", "vacuum-files", "rotate", "flush", "cursor-file"),
};

/** Any word that is no value of an option, nor a format: `date 01312359`. */
function setsClock(rest: Words): boolean {
  const isValue = (before = "") => /^-[uRj]*[dfrvz]$|^--(date|file|reference)$/.test(before);
  const flags = rest.filter((word, index) => isFlag(word) && !/^-I/.test(word) && !isValue(rest[index - 1]));
  return (
    hasShort(flags, "s") ||
    hasLong(flags, "set") ||
    rest.some((word, index) => !/^[-+]/.test(word) && !isValue(rest[index - 1]))
  );
}

/** `ps e` shows what other programs were started with, keys among it. */
function showsEnvironments(rest: Words): boolean {
  const isValue = (index: number) => {
    const before = rest[index - 1] ?? "";
    if (/^-[aAdefFlLmMwxHyjcZ]*[oOpuUgGtCsqk]$/.test(before)) return true;
    return index === 1
      ? /^[a-z]*o$/.test(before)
      : /^--(sort|format|pid|ppid|user|group|tty|sid|cols|width|lines)$/.test(before);
  };
  return (
    hasShort(rest, "E") ||
    rest.some((word) => /environ/.test(word)) ||
    rest.some((word, index) => /^\w*e/.test(word) && !isValue(index))
  );
}

function isHiddenBat(rest: Words): boolean {
  return rest.includes("cache") || hasLong(rest, "pager", "config-file", "diff", "generate-config-file");
}

/** In the language of jq and yq. */
function loadsFiles(word: string): boolean {
  return /\bload|\b(import|include)\s*"/.test(word);
}

function followsLinks(rest: Words): boolean {
  return hasShort(rest, "R") || hasLong(rest, "dereference-recursive");
}

function isHiddenContainer(rest: Words): boolean {
  const verb = (rest[0] === "compose" || rest[0] === "container" ? rest[1] : rest[0]) ?? "";
  return isFlag(verb) || /^(exec|run|create|cp|build|buildx|plugin|context)$/.test(verb);
}

function isHiddenCompiler(rest: Words): boolean {
  return (
    hasLong(rest, "wrapper") ||
    rest.some((word) => /^-(wrapper|fplugin|B|specs|Xclang|load|fuse-ld|T)/.test(word) || word.startsWith("@"))
  );
}

function hasFlagFirst([first = ""]: Words): boolean {
  return isFlag(first) && !/^(--version|--help|-v|-h|-y|--yes|--no-install)$/.test(first);
}

/** Files that the options, or the last of several words, name to be written. */
const writing: Readonly<Record<string, (rest: Words) => string[]>> = {
  sort: (rest) => valuesOf(rest, "o", "output"),
  tree: (rest) => valuesOf(rest, "o", "output"),
  shuf: (rest) => valuesOf(rest, "o", "output"),
  iconv: (rest) => valuesOf(rest, "o", "output"),
  curl: (rest) => [
    ...valuesOf(rest, "o", "output"),
    ...valuesOf(rest, "D", "dump-header"),
    ...valuesOf(rest, "c", "cookie-jar"),
    ...["trace", "trace-ascii", "stderr", "etag-save", "hsts", "alt-svc"].flatMap((name) => valuesOf(rest, "\0", name)),
    ...(hasShort(rest, "OJ") || hasLong(rest, "remote-name", "remote-name-all", "output-dir") ? ["."] : []),
  ],
  wget: (rest) => {
    const named = [
      ...valuesOf(rest, "O", "output-document"),
      ...valuesOf(rest, "o", "output-file"),
      ...valuesOf(rest, "a", "append-output"),
      ...valuesOf(rest, "P", "directory-prefix"),
    ];
    return named.length > 0 ? named : ["."];
  },
  dd: (rest) => rest.flatMap((word) => (word.startsWith("of=") ? [word.slice(3)] : [])),
  uniq: (rest) =>
    plainWords(rest.filter((word, index) => !/^\d+$/.test(word) || !/^-[fsw]$/.test(rest[index - 1] ?? ""))).slice(
      1,
      2,
    ),
  xxd: (rest) => plainWords(rest.filter((_, index) => !/^-[closg]$/.test(rest[index - 1] ?? ""))).slice(1, 2),
  sed: (rest) => (isInPlace(rest) ? plainWords(rest).slice(hasShort(rest, "ef") ? 0 : 1) : []),
  gsed: (rest) => (isInPlace(rest) ? plainWords(rest).slice(hasShort(rest, "ef") ? 0 : 1) : []),
  file: (rest) => (hasShort(rest, "C") || hasLong(rest, "compile") ? ["magic.mgc"] : []),
  base64: (rest) => valuesOf(rest, "o", "output"),
};

function isInPlace(rest: Words): boolean {
  return hasShort(rest, "i") || hasLong(rest, "in-place");
}

const harmless = set("echo printf true false seq sleep basename dirname pwd whoami uname nproc tty arch logname");

const reading =
  set(`ls cat head tail wc grep egrep fgrep zgrep rg ag ack find fd fdfind tree file stat du df diff cmp comm cut tr
  sort uniq nl rev tac fold fmt column paste join expand unexpand od xxd hexdump strings md5sum sha1sum sha224sum sha256sum
  sha512sum cksum b2sum sum shasum md5 realpath readlink which whereis type test [ date id groups ps jq yq less more bat zcat
  bzcat xzcat iconv base64 base32 printenv locale env hostname uptime free lsof pgrep lscpu lsblk tput getconf cal look tsort
  numfmt pr shuf factor awk gawk mawk nawk sed gsed xmllint`);

const effects: readonly (readonly [effect: string, programs: ReadonlySet<string>])[] = [
  ["deletes files", set("rm rmdir unlink shred srm trash trash-put wipe")],
  ["moves files", set("mv rename")],
  [
    "writes files",
    set("cp tee touch mkdir ln install truncate dd patch unzip split csplit rsync mkfifo mknod mktemp sponge"),
  ],
  ["changes who may use files", set("chmod chown chgrp chattr setfacl chflags xattr")],
  [
    "uses the network",
    set(
      "curl wget ssh scp sftp ftp rsync nc ncat netcat telnet socat ping dig nslookup host http https gh glab aria2c",
    ),
  ],
  ["ends processes", set("kill pkill killall")],
  [
    "runs scripts of the project",
    set("npm npx pnpm yarn bun bunx make just rake gradle gradlew mvn cargo go nx turbo tox nox invoke"),
  ],
];
