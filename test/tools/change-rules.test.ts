// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of the shell
/** Rules that forbid changing paths hold for commands, which no rule for commands opens again (T8). */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import fc from "fast-check";
import type { PermissionMode } from "../../src/chat/permission-mode.ts";
import type { Rule } from "../../src/chat/requests.ts";
import { ruledHost } from "../../src/loop/permissions/ruled-host.ts";
import { judge, mayCoverPath, restrictedPath, strictest } from "../../src/loop/permissions/rules.ts";
import { commandRequirements } from "../../src/tools/command/command-requirements.ts";
import { randomly } from "../random.ts";
import { reachesNone } from "./command/named-files.ts";
import { TestWorkspace } from "./workspace.ts";

const rule = (permission: string, pattern: string, action: Rule["action"]): Rule => ({ permission, pattern, action });
const everything = [rule("bash", "*", "allow"), rule("edit", "*", "allow")];
const forbidding = (pattern: string, permission = "edit"): Rule[] => [...everything, rule(permission, pattern, "deny")];

/** Commands that change `fixed/a` or put something into `fixed`. */
const changing = [
  ...[
    "rm fixed/a",
    "rm -rf fixed",
    "rm -- fixed/a",
    "rm ./fixed//a",
    "rm src/../fixed/a",
    "unlink fixed/a",
    "shred fixed/a",
  ],
  ...["rmdir fixed", "mv fixed/a b", "mv fixed other", "mv b fixed/a", "mv b fixed", "mv -t fixed b", "cp b fixed/a"],
  ...["cp b fixed/", "cp b fixed", "cp -t fixed b c", "cp -r src fixed/x", "cp --target-directory=fixed b"],
  ...["echo x > fixed/a", "echo x >> fixed/a", "> fixed/a", "echo x >| fixed/a", "cat > fixed/a <<EOF\nx\nEOF"],
  ...[
    "echo x | tee fixed/a",
    "tee -a b fixed/a < b",
    "truncate -s 0 fixed/a",
    "sponge fixed/a < b",
    "dd if=b of=fixed/a",
  ],
  ...[
    "sed -i s/a/b/ fixed/a",
    "sed -i.bak -e s/a/b/ fixed/a",
    "perl -pi -e s/a/b/ fixed/a",
    "perl -i.bak -pe x fixed/a",
  ],
  ...["ruby -pi -e x fixed/a", "awk -i inplace 1 fixed/a", "sort -o fixed/a b", "uniq b fixed/a", "xxd b fixed/a"],
  ...[
    "ln -sf b fixed/a",
    "ln b fixed/a",
    "ln -s ../b fixed/",
    "ln fixed/a b",
    "install b fixed/a",
    "install -m 644 b fixed",
  ],
  ...["install -d fixed/new", "touch fixed/new", "touch -d yesterday fixed/a", "mkdir -p fixed/new", "mkfifo fixed/p"],
  ...["chmod +x fixed/a", "chmod -x fixed/a", "chmod -R 777 fixed", "chown me fixed/a", "chmod --reference=b fixed/a"],
  ...["git checkout -- fixed/a", "git checkout fixed/a", "git checkout HEAD~1 -- fixed", "git restore fixed/a"],
  ...[
    "git restore -s HEAD~1 fixed/a",
    "git rm -r fixed",
    "git rm --cached fixed/a",
    "git mv fixed/a b",
    "git mv b fixed/c",
  ],
  ...[
    "git clean -fd fixed",
    "git stash push fixed/a",
    "git -C fixed rm a",
    "git -C fixed clean -fd",
    "git clone x fixed/x",
  ],
  ...[
    "git worktree add fixed/w",
    "rsync -a src/ fixed",
    "rsync b fixed/a",
    "tar xf a.tgz -C fixed",
    "tar -xzf a.tgz -C fixed",
  ],
  ...[
    "tar cf fixed/a.tar b",
    "unzip a.zip -d fixed",
    "unzip -o a.zip -d fixed",
    "7z x a.7z -ofixed",
    "zip fixed/a.zip b",
  ],
  ...[
    "gzip fixed/a",
    "patch fixed/a x.patch",
    "patch -p0 fixed/a < x.patch",
    "patch -d fixed < x.patch",
    "split b fixed/a",
  ],
  ...["curl -o fixed/a https://x.example", "wget -O fixed/a https://x.example", "wget -P fixed https://x.example"],
  ...["find fixed -delete", "find fixed -name a -delete", "find fixed -exec rm {} +", "find fixed -exec rm {} \\;"],
  ...[
    "find fixed -type f | xargs rm",
    "find fixed -type f -print0 | xargs -0 rm -f",
    "rm fixed/*",
    "rm */a",
    "rm f*/a",
  ],
  ...["rm fixed/{a,b}", "rm {fixed,src}/a", "for f in fixed/*; do rm $f; done", 'for f in a b; do rm "fixed/$f"; done'],
  ...[
    "x=fixed; rm $x/a",
    'd=fixed; f=a; mv "$d/$f" b',
    'rm "$(pwd)/fixed/a"',
    "rm $PWD/fixed/a",
    "echo fixed/a | xargs rm",
  ],
  ...[
    "cd fixed && rm a",
    "(cd fixed; rm a)",
    "cd fixed; echo x > a",
    "cd src/../fixed && mv a b",
    "pushd fixed && rm a",
  ],
  ...["bash -c 'rm fixed/a'", "sh -c 'echo x > fixed/a'", "eval 'rm fixed/a'", "sudo rm fixed/a", "env rm fixed/a"],
  ...["timeout 5 rm fixed/a", "command rm fixed/a", "/bin/rm fixed/a", "\\rm fixed/a", "f() { rm fixed/a; }; f"],
  ...["if true; then rm fixed/a; fi", "true && rm fixed/a", "! rm fixed/a", "rm fixed/a &", "rm -rf *"],
  ...["rm link/a", "rm FIXED/a", "cd link && rm a", "rename s/a/b/ fixed/a", "trash fixed/a"],
];

/** Commands that may change it, depending on what is known only when they run, or on a program. */
const possible = [
  ...[
    "rm $x",
    'rm "$x"',
    "rm fixed/$x",
    'rm "$x/a"',
    "mv $x b",
    "cp b $x",
    'echo x > "$d/a"',
    "tee $x < b",
    "touch $x",
  ],
  ...[
    "xargs rm < list",
    "cat list | xargs rm",
    "ls | xargs -I{} mv {} {}.bak",
    'while read f; do rm "$f"; done < list',
  ],
  ...[
    'cd "$d" && rm a',
    "rm -rf .",
    "trap 'rm fixed/a' EXIT",
    "mv . ../y",
    "chmod -R +x .",
    "find . -delete",
    "git checkout -- .",
  ],
  ...[
    "git restore .",
    "git clean -fdx",
    "git reset --hard",
    "git apply x.patch",
    "patch -p1 < x.patch",
    "tar xf a.tgz",
  ],
  ...["unzip a.zip", "python3 -c \"open('fixed/a', 'w')\"", "node -e \"fs.writeFileSync('fixed/a', '')\""],
  ...[
    "prettier --write fixed/a",
    "eslint --fix fixed/a",
    "vim fixed/a",
    "gcc -o fixed/a b.c",
    "npm --prefix fixed install",
  ],
  ...["make -C fixed", "ffmpeg -i b fixed/a", "$x fixed/a", "unknown --out=fixed/a", "source fixed/a"],
];

/** Commands that only read it, or have nothing to do with it. */
const harmless = [
  ...[
    "cat fixed/a",
    "head fixed/a",
    "grep -r x fixed",
    "ls fixed",
    "cp fixed/a b",
    "cp -r fixed copy",
    "wc -l fixed/*",
  ],
  ...[
    "sed -n 1p fixed/a",
    "sed s/a/b/ fixed/a",
    "awk 1 fixed/a",
    "diff fixed/a b",
    "find fixed -name a",
    "sort fixed/a",
  ],
  ...[
    "git diff fixed/a",
    "git log -- fixed/a",
    "git add fixed/a",
    "git show HEAD:fixed/a",
    "git status",
    "git checkout main",
  ],
  ...[
    "git pull",
    "tar czf a.tgz fixed",
    "rsync -an fixed/ other",
    "python3 fixed/a.py",
    "node fixed/a.js",
    "bash fixed/a.sh",
  ],
  ...[
    "cd fixed && ls",
    "[ -f fixed/a ]",
    "echo fixed/a",
    "jq . fixed/a",
    "stat fixed/a",
    "for f in fixed/*; do cat $f; done",
  ],
  ...[
    "rm b",
    "rm fixed.txt",
    "rm src/fixed",
    "rm -rf src",
    "mv b c",
    "touch b",
    "mkdir -p other",
    "echo x > b",
    "npm test",
  ],
  ...["rm -rf node_modules", "tar xf a.tgz -C src", "git restore src", "chmod +x b", "curl -o b https://x.example"],
];

describe("T8 rules that forbid changing paths", () => {
  let work: TestWorkspace;
  before(() => {
    work = new TestWorkspace();
    for (const name of ["fixed/a", "fixed/b", "fixed/a.py", "src/a", "src/b.ts", "b", "c", "a.tgz", "list"])
      work.put(name, "x");
    mkdirSync(work.path("other"));
    symlinkSync("fixed", work.path("link"));
  });
  after(() => work.dispose());

  async function decide(
    command: string,
    user: readonly Rule[],
    mode: PermissionMode = "default",
    tool = "bash",
    input: Record<string, unknown> = { command },
  ): Promise<Rule["action"]> {
    const book = { mode, user, workspace: [] };
    const { requires } = await work.plan(tool, input, undefined, book);
    return strictest(requires.map((need) => judge(need, tool, book)));
  }

  for (const command of changing) {
    it(`refuse ${JSON.stringify(command)}`, async () => {
      for (const pattern of ["fixed/**", "fixed", "./fixed/*", `${work.folder}/fixed/**`, "**/fixed/**"]) {
        assert.equal(await decide(command, forbidding(pattern)), "deny", pattern);
        assert.equal(await decide(command, forbidding(pattern), "bypassPermissions"), "deny", pattern);
      }
    });
  }

  for (const command of possible) {
    it(`let ${JSON.stringify(command)} ask`, async () => {
      assert.equal(await decide(command, forbidding("fixed/**")), "ask");
      assert.equal(await decide(command, forbidding("fixed/**"), "bypassPermissions"), "ask");
    });
  }

  it("leave everything else as it was", async () => {
    const asking: string[] = [];
    for (const command of [...harmless, ...reachesNone.filter((one) => !/\$out|out-\$n/.test(one))]) {
      const before = await decide(command, [], "bypassPermissions");
      if ((await decide(command, [rule("edit", "fixed/**", "deny")], "bypassPermissions")) !== before)
        asking.push(command);
    }
    assert.deepEqual(asking, []);
  });

  it("mean changes under each name of a tool that changes files", async () => {
    for (const permission of ["write", "multi_edit", "apply_patch", "notebook_edit"]) {
      for (const command of ["rm fixed/a", "echo x > fixed/a", "mv b fixed"])
        assert.equal(await decide(command, forbidding("fixed/**", permission)), "deny", `${permission}: ${command}`);
    }
    await work.run("read", { file_path: "fixed/a" });
    const edit = { file_path: "fixed/a", old_string: "x", new_string: "y" };
    const write = { file_path: "fixed/a", content: "y" };
    for (const mode of ["default", "acceptEdits", "bypassPermissions"] as const) {
      assert.equal(await decide("", forbidding("fixed/**", "write"), mode, "edit", edit), "deny");
      assert.equal(await decide("", forbidding("fixed/**", "edit"), mode, "write", write), "deny");
      // A rule without a path is about that tool alone.
      assert.equal(await decide("", [rule("write", "*", "deny")], "bypassPermissions", "edit", edit), "allow");
    }
  });

  it("that ask let commands ask, except in Bypass", async () => {
    const asking = [...everything, rule("edit", "fixed/**", "ask")];
    for (const command of [...changing, ...possible]) {
      assert.equal(await decide(command, asking), "ask", command);
      assert.equal(await decide(command, asking, "bypassPermissions"), "allow", command);
    }
  });

  it("have exceptions: the last rule that matches wins", async () => {
    const rules = [...forbidding("fixed/**"), rule("edit", "fixed/b", "allow")];
    assert.equal(await decide("rm fixed/b", rules), "allow");
    assert.equal(await decide("rm fixed/a", rules), "deny");
    assert.equal(await decide("rm -rf fixed", rules), "deny");
    assert.equal(await decide("rm $x", rules), "ask");
  });

  it("of an agent hold as those of the user do", async () => {
    const agent = { name: "a", source: "workspace" as const, permission: [rule("edit", "fixed/**", "deny")] };
    const book = { mode: "default" as const, user: everything, workspace: [] };
    const host = ruledHost(work.host, { tool: "bash", book, lineage: [agent] });
    const decideFor = async (command: string) => {
      const needs = await commandRequirements(command, { host, signal: new AbortController().signal });
      return strictest(needs.map((need) => judge(need, "bash", book, [agent])));
    };
    assert.equal(await decideFor("rm fixed/a"), "deny");
    assert.equal(await decideFor("rm $x"), "ask");
    assert.equal(await decideFor("rm b"), "allow");
  });

  it("hold in PowerShell and cmd", async () => {
    const rows: [shell: string, command: string, decision: Rule["action"]][] = [
      ["pwsh", "Remove-Item fixed\\a", "deny"],
      ["pwsh", "ri -Recurse -Force fixed", "deny"],
      ["pwsh", "Remove-Item -Path:fixed/a", "deny"],
      ["pwsh", 'Remove-Item "fixed\\a"', "deny"],
      ["pwsh", "Set-Content -Path fixed/a -Value x", "deny"],
      ["pwsh", "sc fixed\\a x", "deny"],
      ["pwsh", "Add-Content 'fixed/a' x", "deny"],
      ["pwsh", "Move-Item b fixed/a", "deny"],
      ["pwsh", "New-Item fixed/new", "deny"],
      ["pwsh", "Remove-Item fixed\\*", "deny"],
      ["pwsh", "'x' | Out-File fixed/a", "ask"],
      ["pwsh", "'x' > fixed/a", "ask"],
      ["pwsh", "Remove-Item $x", "ask"],
      ["pwsh", "Copy-Item b fixed/a", "ask"],
      ["pwsh", "[IO.File]::WriteAllText('fixed/a', 'x')", "ask"],
      ["pwsh", "Get-Content fixed/a", "allow"],
      ["pwsh", "Remove-Item b", "allow"],
      ["cmd", "del fixed\\a", "deny"],
      ["cmd", "rd /s /q fixed", "deny"],
      ["cmd", "move b fixed", "deny"],
      ["cmd", "ren fixed\\a b", "deny"],
      ["cmd", "echo x> fixed\\a", "ask"],
      ["cmd", "copy b fixed\\a", "ask"],
      ["cmd", "del %X%", "ask"],
      ["cmd", "type fixed\\a", "allow"],
      ["cmd", "del b", "allow"],
    ];
    for (const [shell, command, decision] of rows) {
      const book = { mode: "bypassPermissions" as const, user: [rule("edit", "fixed/**", "deny")], workspace: [] };
      const ruled = ruledHost(work.host, { tool: "bash", book, lineage: [] });
      const host = { ...ruled, terminal: { ...ruled.terminal, shell } };
      const needs = await commandRequirements(command, { host, signal: new AbortController().signal });
      assert.equal(strictest(needs.map((need) => judge(need, "bash", book))), decision, `${shell}: ${command}`);
    }
  });

  randomly("cover a name with unknown text wherever they cover one with some text in its place", () => {
    const piece = fc.constantFrom("fixed", "src", "a", "b.ts", "**", "*", "b?ts", "x*");
    const patterns = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("/"));
    const name = fc.array(fc.constantFrom("fixed", "src", "a", "b.ts", "xy"), { minLength: 1, maxLength: 4 });
    const cut = fc.tuple(fc.nat(30), fc.nat(30));
    fc.assert(
      fc.property(patterns, name, cut, (pattern, names, [one, other]) => {
        const path = names.join("/");
        fc.pre(restrictedPath(pattern)(path));
        const [from, to] = [Math.min(one, other, path.length), Math.min(Math.max(one, other), path.length)];
        const hidden = path.slice(from, to);
        const mark = hidden.includes("/") ? "…" : "‥";
        assert.ok(mayCoverPath(pattern, `${path.slice(0, from)}${mark}${path.slice(to)}`));
      }),
      { numRuns: 1000 },
    );
  });
});
