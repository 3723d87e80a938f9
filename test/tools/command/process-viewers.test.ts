// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of the shell
/** Commands that show the environment or the memory of other processes, where keys are, ask in every mode (T8). */
import assert from "node:assert/strict";
import fc from "fast-check";
import { randomly } from "../../random.ts";
import { TestWorkspace } from "../workspace.ts";
import { allowing, decisionOf } from "./judged.ts";

const showing: readonly string[] = [
  ...[
    "ps e",
    "ps eww",
    "ps auxe",
    "ps auxwwe",
    "ps axe -o command",
    "ps aux e",
    "ps e -p $PPID",
    "ps -E",
    "ps -p 1 -E",
  ],
  ...["ps -o environ", "ps -C node e", 'ps "e"', "ps $x", "/bin/ps eww", "top -b -n 1 -o ENVIRON", "top -e", "htop"],
  ...[
    "pargs -e 1",
    "pargs 1",
    "procenv",
    "gdb -p $PPID",
    "gdb --pid=1",
    "gdb node 1234",
    "gdb node core.12",
    "gcore 1",
  ],
  ...[
    "gdb -batch -ex 'attach 1'",
    "lldb -p $PPID",
    "lldb --attach-pid 1",
    "lldb -n node",
    "strace -p 1",
    "strace -fp1",
  ],
  ...["strace -e trace=read -p $PPID", "strace --attach=1", "ltrace -p 1", "perf trace -p 1", "bpftrace -e 'x'"],
  ...["coredumpctl", "coredumpctl dump", "systemctl show-environment", "systemctl --user show-environment"],
  ...["systemctl show x -p Environment", "launchctl getenv KEY", "launchctl export", "tmux show-environment -g"],
  ...["tmux showenv", "at -c 1", "jcmd 1 GC.heap_dump x", "jmap -dump:file=x 1", "py-spy dump --pid 1"],
  ...[
    "sudo ps eww",
    "bash -c 'ps eww'",
    "watch ps eww",
    "xargs ps eww",
    "eval 'ps eww'",
    "env ps eww",
    "timeout 5 ps e",
  ],
  ...[
    "find . -exec ps eww \\;",
    "sudo gdb -p 1",
    "ssh host ps eww",
    "x=eww; ps $x",
    "echo 'ps eww' | sh",
    "f() { ps e; }; f",
  ],
  ...["python3 -c \"import os; os.system('ps eww')\"", 'node -e \'require("child_process").execSync("ps eww")\''],
  ...["python3 -c \"subprocess.run(['ps', 'eww'])\"", "perl -e 'print `ps eww`'", "cat <(ps eww)", "ps eww | grep KEY"],
  ...[
    "cat /proc/1/environ",
    "cat /proc/$PPID/environ",
    "cat /proc/$PPID/e*",
    "cat /proc/*/environ",
    "cat /proc/[0-9]*/e*",
  ],
  ...[
    "cat /proc/1/task/1/environ",
    "cat /proc/self/task/*/environ",
    "cat /proc//1/./environ",
    "strings /proc/$PPID/mem",
  ],
  ...[
    "xargs -0 < /proc/1/environ",
    "xargs -0 -a /proc/1/environ",
    "grep -ra KEY /proc",
    "rg KEY /proc",
    "rg -uu KEY /proc",
  ],
  ...["grep -r KEY /proc/1", "cp /proc/1/environ x", "cp -r /proc/self x", "tar c /proc/1", "find /proc -name environ"],
  ...[
    "find /proc -name 'e*' -exec cat {} +",
    "find /proc -maxdepth 2 -name environ | xargs cat",
    "ln -s /proc/1/environ x",
  ],
  ...[
    "tr '\\0' '\\n' < /proc/$(pgrep node)/environ",
    "for p in /proc/[0-9]*; do cat $p/environ; done",
    "cd /proc/1 && cat environ",
  ],
  ...["for p in $(pgrep node); do cat /proc/$p/environ; done", "pgrep node | xargs -I{} cat /proc/{}/environ"],
  ...[
    "cd /proc/$PPID; cat environ",
    "cd /proc && cat */environ",
    "cat /proc/1/fd/3",
    "cat /proc/*/fd/*",
    "cat /proc/1/cwd/.env",
  ],
  ...[
    "cat /proc/*/cwd/.env",
    "cat /proc/1/root/etc/hosts",
    "cat /proc/1/map_files/x",
    "cat /proc/kcore",
    "dd if=/dev/mem",
  ],
  ...[
    "cat /dev/kmem",
    "dd if=/dev/sda of=x",
    "strings /dev/nvme0n1p1",
    "strings core.1234",
    "ls | xargs cat /proc/1/environ",
  ],
  ...[
    "cat /var/lib/systemd/coredump/x",
    "mapfile -t x < /proc/1/environ",
    "sed -n 1p /proc/1/environ",
    "awk 1 /proc/1/environ",
  ],
  ...["python3 -c \"open('/proc/%d/environ' % os.getppid())\"", "python3 -c \"open(f'/proc/{os.getppid()}/environ')\""],
  ...[
    "python3 -c \"open('/proc/' + str(os.getppid()) + '/environ')\"",
    'perl -e \'open F, "/proc/".getppid()."/environ"\'',
  ],
  ...[
    "python3 <<EOF\nprint(open('/proc/1/environ').read())\nEOF",
    "node -e \"fs.readFileSync('/proc/'+process.ppid+'/environ')\"",
  ],
  ...["ruby -e 'puts File.read(\"/proc/#{Process.ppid}/environ\")'", "perl -ne 'print' /proc/1/environ"],
  ...[
    "node <<'EOF'\nfs.readFileSync(`/proc/${process.ppid}/environ`)\nEOF",
    "python3 -c \"open('/pr'+'oc/1/env'+'iron')\"",
  ],
];

const everyday: readonly string[] = [
  ...[
    "ps aux",
    "ps -ef",
    "ps -e",
    "ps -fe",
    "ps -eo pid,args",
    "ps -ely",
    "ps -p 1 -o pid,command",
    "ps axo pid,etime,command",
  ],
  ...[
    "ps -C node -o pid=",
    "ps aux --sort=-%mem",
    "ps aux --sort etime",
    "ps -u eve",
    "ps -o etime= -p 1",
    'ps -p "$pid"',
  ],
  ...[
    "ps aux | grep node",
    "ps -ef | grep -v grep",
    "ps fax",
    "ps x",
    "top -b -n1",
    "top -b -n 1",
    "top -l 1",
    "top -e m",
  ],
  ...[
    "cat /proc/cpuinfo",
    "cat /proc/meminfo",
    "ls /proc",
    "cat /proc/loadavg",
    "cat /proc/1/status",
    "cat /proc/$PPID/status",
  ],
  ...[
    "cat /proc/sys/fs/inotify/max_user_watches",
    "cat /proc/mounts",
    "grep -c processor /proc/cpuinfo",
    "ls /proc/self/fd",
  ],
  ...[
    "systemctl status x",
    "systemctl show x",
    "systemctl --user status x",
    "env",
    "printenv PATH",
    "export -p",
    "pgrep node",
  ],
  ...[
    "gdb ./a.out",
    "gdb --args ./a.out -p 1",
    "strace ls",
    "strace -f -o x ls -p",
    "strace -c ls",
    "ltrace ls",
    "perf stat ls",
  ],
  ...[
    "lsof -i :3000",
    "kill $PPID",
    "echo ps eww",
    "grep 'ps eww' a.ts",
    "git commit -m 'ps eww'",
    "cat src/core.ts",
    "tmux ls",
  ],
  ...[
    "find /proc -maxdepth 1 -name '[0-9]*'",
    "python3 -c \"print(open('/proc/cpuinfo').read())\"",
    "top -o %MEM -n 1",
  ],
  ...[
    "python3 -c \"import os; print(os.environ['HOME'])\"",
    "node -e \"exec('ps aux', (error) => {})\"",
    "at now < a.ts",
  ],
];

describe("T8 environments and memory of other processes", () => {
  let workspace: TestWorkspace;
  before(() => {
    workspace = new TestWorkspace();
    for (const name of ["a.ts", "src/core.ts", "core.1234"]) workspace.put(name, "x");
  });
  after(() => workspace.dispose());

  for (const command of showing) {
    it(`ask in Bypass and although every command is allowed: ${JSON.stringify(command)}`, async () => {
      assert.equal(await decisionOf(command, workspace, [], "bypassPermissions"), "ask");
      assert.equal(await decisionOf(command, workspace, allowing("*", "ps *", "cat *")), "ask");
    });
  }

  it("everyday commands that show neither ask nothing in Bypass", async () => {
    const asking: string[] = [];
    for (const command of everyday)
      if ((await decisionOf(command, workspace, [], "bypassPermissions")) !== "allow") asking.push(command);
    assert.deepEqual(asking, []);
  });

  randomly("random options before and after `e` of ps hide nothing", async () => {
    const option = fc.constantFrom(
      "a",
      "x",
      "u",
      "w",
      "ww",
      "-f",
      "-o pid",
      "-p 1",
      "--sort pid",
      "-C sh",
      "f",
      "-u root",
      "l",
    );
    const options = fc.array(option, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(options, options, fc.constantFrom("e", "eww", "axe", "wwe"), async (before, after, shown) => {
        const command = ["ps", ...before, shown, ...after].join(" ");
        assert.equal(await decisionOf(command, workspace, [], "bypassPermissions"), "ask", command);
      }),
      { numRuns: 200 },
    );
  });
});
