/**
 * Programs that show the environment or the memory of other processes, which hold keys. The files of `/proc` are protected
 * by their names (file-access/protected-names.ts). Pure.
 */
import { leadingOptions } from "../shell/leading-options.ts";
import type { GivenWords } from "./arguments.ts";
import { psShowsEnvironments } from "./ps.ts";

export function showsProcesses(program: string, words: GivenWords): boolean {
  const condition = showing.get(program);
  return condition === "always" || (condition?.(words) ?? false);
}

type Condition = "always" | ((words: GivenWords) => boolean);

const has = (pattern: RegExp) => (words: GivenWords) => words.some((word) => word !== undefined && pattern.test(word));

/** Whether one of the options before the first other word attaches to a process. `options`: all that take a value. */
const attaches = (attaching: RegExp, options: string) => (words: GivenWords) => {
  const leading = leadingOptions(words, options);
  if (leading) return leading.given.some(({ name }) => attaching.test(name));
  return words.some((word) => word === undefined || attaching.test(word) || /^-[A-Za-z]*p/.test(word));
};

const showing: ReadonlyMap<string, Condition> = new Map(
  Object.entries({
    ps: psShowsEnvironments,
    // top(1), procps-ng 4.0: the field ENVIRON; its `-e` scales memory. htop(1) 3.2: key e.
    top: (words) =>
      has(/environ/i)(words) || words.some((word, at) => word === "-e" && !/^[kmgtp]$/.test(words[at + 1] ?? "")),
    "htop procenv pargs procstat gcore coredumpctl": "always",
    // gdb(1) 13: a process or a core file as its second argument; lldb(1) 16.
    gdb: debugs,
    lldb: debugs,
    "cgdb rust-gdb gdb-multiarch gdbtui rust-lldb": debugs,
    // strace(1) 6.1
    strace: attaches(
      /^(-p|--attach)$/,
      `-a= -b= -e= -E= -I= -o= -O= -p= -P= -s= -S= -u= -U= -X= -A -c -C -d -D -DD -DDD -f -ff -F -h -i -k -n -N -q -qq -qqq -r -t
      -tt -ttt -T -v -V -w -x -xx -y -yy -Y -z -Z --attach= --trace= --output= --user= --env= --follow-forks --string-limit=`,
    ),
    // ltrace(1) 0.7
    ltrace: attaches(
      /^-p$/,
      "-a= -A= -D= -e= -F= -l= -n= -o= -p= -s= -u= -w= -x= -X= -b -c -C -f -h -i -L -r -S -t -tt -ttt -T -V --output=",
    ),
    // perf-trace(1), perf-record(1): the arguments of system calls, and the stack
    perf: has(/^(-p.*|--pid(=.*)?|-a|--all-cpus)$/),
    "bpftrace dtrace stap dtruss criu reptyr procdump vmmap heap leaks malloc_history": "always",
    "py-spy rbspy": has(/^(-[a-zA-Z]*p|(--pid(=.*)?|dump)$)/s),
    // jcmd, jmap and jinfo of JDK 17: heap, properties
    jcmd: has(/VM\.(system_properties|command_line|info)|GC\.heap_dump|JFR/i),
    jmap: has(/dump/),
    "jinfo jhsdb": "always",
    // systemctl(1) 252
    systemctl: (words) => has(/^show-env|^import-env/)(words) || (has(/^show$/)(words) && has(/nvironment/)(words)),
    // launchctl(1): getenv, export; `print` shows the environment of services
    launchctl: has(/^(getenv|export|print|print-cache|dumpstate|procinfo)$/),
    "busctl gdbus dbus-send": has(/nvironment/),
    // Names alone are shown, but only for what follows.
    "find fd fdfind": (words) => has(/^\/proc\b/)(words) && has(/environ|auxv|kcore|(^|\/)mem$/)(words),
    // at(1) 3.2, tmux(1) 3.3: the environment of who made the job, or started the server
    at: has(/^-[a-zA-Z]*c/),
    tmux: has(/^show(env|-env)/),
    pm2: has(/^(env|jlist|prettylist|describe|desc|show|info)$/),
    rundll32: has(/comsvcs|minidump/i),
  } satisfies Record<string, Condition>).flatMap(([names, condition]) =>
    names.split(" ").map((name) => [name, condition]),
  ),
);

/** With a process or a core file, or with commands that may attach to one. */
function debugs(all: GivenWords): boolean {
  const end = all.findIndex((word) => word === "--args" || word === "--");
  const words = end < 0 ? all : all.slice(0, end);
  const [, second] = words.filter((word) => word === undefined || !word.startsWith("-"));
  if (second !== undefined && /^\d+$|(^|\/)core\b/.test(second)) return true;
  const option = /^--?(p|pid|c|core|attach.*|waitfor|wait-for|n)(=|$)|^-p\d/;
  return words.some((word) => word !== undefined && (option.test(word) || /\battach\b|\bcore-file\b/.test(word)));
}
