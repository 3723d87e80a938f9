/** Programs that run a command or shell code in their arguments. */
import { msg } from "../../../l10n/l10n.ts";
import { leadingOptions, requireOptions } from "../shell/leading-options.ts";
import { marks } from "../shell/pattern.ts";
import { isAssignable, isSafeEnvVar } from "../shell/variables.ts";
import type { LaunchedCommand } from "../shell/visitor.ts";
import { literal, onlyValue, possibleValue, type ShellWord, UnsupportedSyntax, unknown } from "../shell/word.ts";
import { replaced, withFound } from "./find-grep.ts";
import { isStream, runsCode } from "./interpreters.ts";
import type { Programs } from "./program.ts";

const facts = { effect: msg("runs other code"), runsOtherCode: "always" } as const;

export const wrapperPrograms: Programs = {
  "timeout gtimeout": {
    ...facts,
    wraps: {
      options: "--preserve-status --foreground -v --verbose -k= --kill-after= -s= --signal=",
      operands: 1,
    },
    allowed: ["timeout 5 ls", "timeout -k 1 5s cat a.ts", "timeout -s KILL 5 ls"],
    asks: ["timeout 5 rm x", "timeout -z 5 ls", "timeout $x ls"],
  },
  nohup: { ...facts, wraps: { options: "" }, allowed: ["nohup ls"], asks: ["nohup rm x &"] },
  nice: { ...facts, wraps: { options: "-# -n= --adjustment=" }, allowed: ["nice -n 5 ls"], asks: ["nice rm x"] },
  ionice: { ...facts, wraps: { options: "-c= -n= -t" }, allowed: ["ionice -c3 ls"], asks: ["ionice -p 1"] },
  stdbuf: {
    ...facts,
    wraps: { options: "-i= -o= -e= --input= --output= --error=" },
    allowed: ["stdbuf -oL grep x a.ts"],
    asks: ["stdbuf -oL rm x"],
  },
  setsid: {
    ...facts,
    wraps: { options: "-c -f -w --ctty --fork --wait" },
    allowed: ["setsid -w ls"],
    asks: ["setsid rm x"],
  },
  caffeinate: { wraps: { options: "-d -i -m -s -u" }, allowed: ["caffeinate -i ls"], asks: ["caffeinate rm x"] },
  env: {
    files: "read",
    runsOtherCode: (words) => words.length > 0,
    wraps: unwrapEnv,
    allowed: ["env", "env NODE_ENV=test ls", "env -u A ls"],
    asks: ["env rm x", "env PATH=. ls", "env -S 'rm x'", "/usr/bin/env rm x"],
  },
  xargs: {
    ...facts,
    wraps: unwrapXargs,
    allowed: ["ls | xargs", "ls | xargs -n 1 echo"],
    asks: ["ls | xargs rm", "ls | xargs cat", "ls | xargs -I{} sh -c {}", "ls | xargs -0I{} sh -c {}"],
  },
  parallel: {
    ...facts,
    wraps: unwrapParallel,
    asks: ["parallel ls", "ls | parallel echo", "ls | parallel cat", "parallel 'cat {}' ::: .env"],
  },
  // Other shells read the same text differently.
  "sh bash dash": {
    effect: msg("runs other code"),
    hasSubcommands: true,
    runsFile: true,
    runsOtherCode: runsCode,
    wraps: unwrapShell,
    allowed: ["bash -c 'ls && cat a.ts'", "bash -lc ls", "bash <<< ls", "bash a.sh"],
    asks: ["bash -c 'rm x'", 'bash -c "$x"', "bash <<< 'rm x'", "bash --rcfile x -c ls", "ls | bash -s"],
  },
  // A rule for one of them allows what it runs; those that deny or ask see through it.
  [`toybox gosu su-exec tini dumb-init chpst setuidgid catchsegv eatmydata proot cross-env cross-env-shell dotenv dotenvx env-cmd
      watchexec foreman honcho aws-vault doppler op sshpass hatch pdm rye pixi mamba micromamba nvm volta fnm rbenv pyenv
      corepack lerna heroku`]: { launches: true },
  [`time sudo doas su pkexec run0 chrt taskset watch mosh busybox strace ltrace gdb lldb valgrind script expect
      unbuffer rlwrap tmux screen at batch crontab chroot unshare nsenter setpriv capsh prlimit setarch numactl flock entr
      nodemon concurrently systemd-run run-parts runuser start-stop-daemon logrotate dbus-run-session xvfb-run fakeroot
      faketime torsocks proxychains firejail bwrap perf hyperfine direnv mise asdf
      vi vim nvim view ex ed emacs nano open start xdg-open osascript
      cmd cmd.exe powershell powershell.exe pwsh wsl wsl.exe
      mysql psql sqlite3 redis-cli mongosh mongo lftp fzf ipython jshell irb pry tclsh bc dc m4 gnuplot`]: {
    ...facts,
    asks: ["sudo ls", "watch ls", "vim -c '!rm x'", "/usr/bin/sudo ls", "strace rm x"],
  },
};

function unwrapEnv(words: readonly ShellWord[]): LaunchedCommand[] {
  const rest = words.slice(1);
  const { given, end } = requireOptions(rest, "- -i --ignore-environment -u=");
  if (!given.every(({ name, value }) => name !== "-u" || isAssignable(value))) throw new UnsupportedSyntax();
  let at = end;
  for (; at < rest.length; at++) {
    const word = rest[at];
    const name = /^([A-Za-z_]\w*)=/.exec(word ? onlyValue(word) : "")?.[1];
    if (name === undefined) break;
    if (!isSafeEnvVar(name)) throw new UnsupportedSyntax();
  }
  return [at < rest.length ? { type: "command", words: rest.slice(at) } : { type: "itself", words }];
}

function unwrapXargs(words: readonly ShellWord[], _: unknown, inputShapes: readonly string[]): LaunchedCommand[] {
  const rest = words.slice(1);
  const options =
    "-0 -r -t -x --null --no-run-if-empty --verbose --exit -n= -L= -P= -s= -d= -E= -I= --max-args= --max-lines=? --max-procs= --delimiter=";
  const { given, end } = requireOptions(rest, options);
  const command = end < rest.length ? rest.slice(end) : [literal("echo")];
  const placeholder = given.findLast(({ name }) => name === "-I")?.value;
  const full =
    placeholder === undefined
      ? [...command, unknown("…", inputShapes)]
      : command.map((word) => replaced(word, placeholder, inputShapes));
  return [{ type: "command", words: full, unknown: ["input"] }];
}

const parallelOptions = `-0 -k -X -m -u -v --null --keep-order --ungroup --group --line-buffer --bar --eta --progress --dry-run --tag
  --will-cite -j= -n= -N= -P= -d= -S= --jobs= --max-args= --delay= --timeout= --retries= --halt= --joblog= --results=
  --colsep= --delimiter=`;
/** Of more words for parallel, these are tried. */
const maxParallel = 40;

/** Source: parallel(1) 20221122. A shell reads its words again, so it is judged as a program as well. */
function unwrapParallel(words: readonly ShellWord[], _: unknown, inputShapes: readonly string[]): LaunchedCommand[] {
  const itself: LaunchedCommand = { type: "itself", words };
  const rest = words.slice(1);
  const leading = leadingOptions(rest.map(possibleValue), parallelOptions);
  if (!leading) return [itself];
  const list = rest.findIndex(({ text }) => /^:{3,4}\+?$/.test(text));
  const command = rest.slice(leading.end, list < 0 ? undefined : list);
  const isInFiles = /^::::/.test(rest[list]?.text ?? "");
  const listed = isInFiles ? [marks.any] : rest.slice(list + 1).flatMap(({ shapes }) => shapes);
  const found = list < 0 ? inputShapes : listed;
  const codeFor = (one: string) => withFound(command, [one]).map(({ shapes }) => shapes[0] ?? marks.any);
  const shapes = found.slice(0, maxParallel).map((one) => codeFor(one).join(" "));
  return [itself, { type: "partly known code", shapes }];
}

/** `$0` to `$9`: a function has its own, except for `$0`. */
const maxParameters = 10;

function unwrapShell(words: readonly ShellWord[], input: string | undefined): LaunchedCommand[] {
  const rest = words.slice(1);
  const itself: LaunchedCommand[] = [{ type: "itself", words }];
  const [first] = rest;
  if (first && rest.length === 1 && /^--(version|help)$/.test(first.text)) return itself;
  const options = "-c -e -f -h -l -u -x -i -o= --login --norc --noprofile --posix";
  const partly = rest.find((word) => possibleValue(word) === undefined);
  if (partly) {
    const before = rest.slice(0, rest.indexOf(partly));
    const leading = leadingOptions(before.map(possibleValue), options);
    if (leading?.end === before.length && leading.given.some(({ name }) => name === "-c"))
      return [{ type: "partly known code", shapes: partly.shapes }];
  }
  const { given, end } = requireOptions(rest, options);
  if (given.some(({ name, value }) => name === "-o" && value !== "pipefail")) throw new UnsupportedSyntax();
  const script = rest[end];
  if (given.some(({ name }) => name === "-c")) {
    const parameters = rest.slice(end + 1, end + 1 + maxParameters);
    // A wildcard or an unknown word may become several.
    const areKnown = parameters.every(({ values, isGlob }) => values && !isGlob);
    return [{ type: "code", text: onlyValue(script ?? unknown("")), parameters: areKnown ? parameters : [] }];
  }
  if (script && (/^[-+]/.test(onlyValue(script)) || isStream(onlyValue(script)))) throw new UnsupportedSyntax();
  if (script) return itself;
  if (input === undefined) throw new UnsupportedSyntax();
  return [{ type: "code", text: input }];
}
