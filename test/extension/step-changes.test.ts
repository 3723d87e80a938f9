/** Changes by commands under review (spec V3, V24). */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { vscodeHost } from "../../src/extension/host/vscode-host.ts";
import { applyPatch } from "../../src/tools/built-in/apply-patch.ts";
import { nobodyToAsk, noDelegate } from "../../src/tools/tool.ts";
import { stepWindow } from "./step-window.ts";

const { signal } = new AbortController();
const original = "one\ntwo\nthree\nfour\nfive\nsix\n";
const changed = "one\n2\nthree\nfour\n4.5\nfive\n";

describe("changes of the agent outside the editor", () => {
  const steps = stepWindow();
  const { at, uri, put, disk, shell, list, command, until, untilListed, open, type, told } = steps;

  it("V3 are listed and can be rejected: changed, created and deleted files, open and closed", async () => {
    for (const name of ["a.txt", "b.txt", "c.txt", "d.txt"]) await put(name, original);
    for (const name of ["b.txt", "c.txt"]) await open(name);
    await command(`sed -i s/two/2/ a.txt b.txt; rm c.txt d.txt; mkdir new; echo new > new/e.txt; : > new/empty`);
    assert.deepEqual(list(), [
      "changed a.txt 1",
      "changed b.txt 1",
      "deleted c.txt 1",
      "deleted d.txt 1",
      "new new/e.txt 1",
      "new new/empty 0",
    ]);
    await steps.review.decide("reject");
    assert.deepEqual(list(), []);
    for (const name of ["a.txt", "b.txt", "c.txt", "d.txt"]) assert.equal(await disk(name), original, name);
    assert.ok(!existsSync(at("new/e.txt")) && !existsSync(at("new/empty")));
  });

  it("V24 folders that a command has made go with the files in them, if nothing else is left there", async () => {
    await put("mine/kept.txt", original);
    await command(
      "mkdir -p a/b/c mine/sub other; echo x > a/b/c/x; echo y > a/b/y; echo z > mine/sub/z; echo o > other/o",
    );
    await put("other/user.txt", original);
    assert.deepEqual(list(), ["new a/b/c/x 1", "new a/b/y 1", "new mine/sub/z 1", "new other/o 1"]);
    await steps.review.reject(uri("a/b/c/x"));
    assert.ok(!existsSync(at("a/b/c")) && existsSync(at("a/b/y")));
    await steps.review.decide("reject");
    assert.deepEqual(list(), []);
    assert.ok(!existsSync(at("a")) && !existsSync(at("mine/sub")));
    assert.equal(await disk("mine/kept.txt"), original);
    assert.equal(await disk("other/user.txt"), original);
    assert.ok(!existsSync(at("other/o")));
  });

  it("V24 a folder that was there before, or that the user makes between two steps, stays", async () => {
    await mkdir(at("old"));
    await command("echo x > old/x");
    await mkdir(at("users"));
    await command("echo y > users/y");
    await steps.review.decide("reject");
    assert.deepEqual(list(), []);
    assert.ok(existsSync(at("old")) && existsSync(at("users")));
    assert.ok(!existsSync(at("old/x")) && !existsSync(at("users/y")));
  });

  it("V24 a rejected file comes back with its folder, which goes again with it", async () => {
    await command("mkdir -p a/b; echo x > a/b/x");
    await steps.review.reject(uri("a/b/x"));
    assert.ok(!existsSync(at("a")));
    await steps.review.undoDecision();
    assert.equal(await disk("a/b/x"), "x\n");
    await steps.review.reject(uri("a/b/x"));
    assert.ok(!existsSync(at("a")));
  });

  it("V3 follow a moved file by its content, with what was changed in it original and after", async () => {
    await put("a.txt", original);
    await command("sed -i s/two/2/ a.txt");
    await command("mkdir sub; mv a.txt sub/b.txt; sed -i s/five/5/ sub/b.txt");
    assert.deepEqual(list(), ["moved sub/b.txt 2"]);
    await steps.review.reject(uri("sub/b.txt"));
    assert.equal(await disk("a.txt"), original);
    assert.ok(!existsSync(at("sub/b.txt")));
    assert.deepEqual(list(), []);
  });

  it("V3 leave out what the user types and saves while a command runs", async () => {
    await put("mine.txt", original);
    await put("both.txt", original);
    await put("followed.txt", original);
    const mine = await open("mine.txt");
    const both = await open("both.txt");
    await command("sed -i s/one/1/ followed.txt");
    const followed = await open("followed.txt");
    await command("sed -i s/six/6/ both.txt followed.txt", async () => {
      for (const document of [both, followed]) {
        await until("the document has the command's text", () => document.getText().endsWith("6\n"));
      }
      for (const document of [mine, both, followed]) {
        await type(document, 2, "typed\n");
        assert.ok(await document.save());
      }
    });
    assert.deepEqual(list(), ["changed both.txt 1", "changed followed.txt 2"]);
    await steps.review.decide("reject");
    for (const name of ["mine.txt", "both.txt", "followed.txt"]) {
      assert.equal(await disk(name), original.replace("three", "typed\nthree"), name);
    }
  });

  it("V3 review a change on disk below unsaved text once the user drops that text", async () => {
    await put("a.txt", original);
    const document = await open("a.txt");
    await type(document, 0, "draft ");
    await command("sed -i s/two/2/ a.txt");
    assert.deepEqual(list(), []);
    assert.equal(document.getText(), `draft ${original}`);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await untilListed("changed a.txt 1");
    await steps.review.reject(uri("a.txt"));
    assert.equal(await disk("a.txt"), original);
  });

  it("V3 take a file off the list that disappears, and no reject brings it back", async () => {
    for (const name of ["a.txt", "b.txt"]) await put(name, original);
    await command("sed -i s/two/2/ a.txt b.txt; echo new > c.txt");
    shell("rm a.txt c.txt");
    await steps.review.decide("reject");
    await untilListed();
    assert.ok(!existsSync(at("a.txt")) && !existsSync(at("c.txt")));
    assert.equal(await disk("b.txt"), original);
  });

  it("V3 follow a file that the user moves in a terminal", async () => {
    await put("a.txt", original);
    // VS Code reports nothing of a file that is replaced and deleted at once.
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(steps.folder, "a.txt"));
    const noticed = new Promise((resolve) => {
      watcher.onDidChange(resolve);
      watcher.onDidCreate(resolve);
    });
    await command("sed -i s/two/2/ a.txt");
    await noticed;
    watcher.dispose();
    shell("mkdir sub; mv a.txt sub/moved.txt");
    await untilListed("changed sub/moved.txt 1");
    await steps.review.reject(uri("sub/moved.txt"));
    assert.equal(await disk("sub/moved.txt"), original);
    assert.ok(!existsSync(at("a.txt")));
  });

  it("V3 follow a file whose folder the user moves in a terminal, and continue when the folder comes back", async () => {
    await put("sub/deep/a.txt", original);
    await command("sed -i s/two/2/ sub/deep/a.txt");
    await untilListed("changed sub/deep/a.txt 1");
    shell("mv sub other");
    await untilListed("changed other/deep/a.txt 1");
    const away = path.join(steps.storage, "away");
    shell(`mv other '${away}'`);
    await untilListed();
    shell(`mv '${away}' other`);
    await untilListed("changed other/deep/a.txt 1");
    await steps.review.reject(uri("other/deep/a.txt"));
    assert.equal(await disk("other/deep/a.txt"), original);
  });

  it("V3 of a command in the background are the agent's, what the user saves meanwhile is not", async () => {
    for (const name of ["a.txt", "b.txt", "mine.txt"]) await put(name, original);
    const mine = await open("mine.txt");
    const b = await open("b.txt");
    await command("true");
    await steps.checkpoints.background(true);
    await put("a.txt", changed);
    await put("b.txt", changed);
    await type(mine, 0, "typed ");
    await mine.save();
    await until("the document has the command's text", () => b.getText() === changed);
    await untilListed("changed a.txt 3", "changed b.txt 3");
    await put("a.txt", original);
    await steps.checkpoints.background(false);
    assert.deepEqual(list(), ["changed b.txt 3"]);
    await put("mine.txt", changed);
    await command("true");
    assert.deepEqual(list(), ["changed b.txt 3"]);
  });

  it("V3 of a patch are listed: deleted files, and moved ones by their former names", async () => {
    for (const name of ["b.txt", "c.txt"]) await put(name, original);
    await put("a.txt", "another text\n");
    await open("b.txt");
    await command("sed -i s/six/6/ c.txt");
    const patch = [
      "*** Begin Patch",
      `*** Delete File: ${at("a.txt")}`,
      ...[`*** Update File: ${at("b.txt")}`, `*** Move to: ${at("moved.txt")}`, "@@", " one", "-two", "+2", " three"],
      ...[`*** Update File: ${at("c.txt")}`, `*** Move to: ${at("sub/c.txt")}`, "@@", " one", "-two", "+2", " three"],
      "*** End Patch",
    ].join("\n");
    const editor = vscodeHost({
      watch: steps.review,
      terminal: () => ({ mode: "separate", shell: "", passEnvironment: [] }) as const,
      sandbox: () => "off" as const,
      secrets: () => [],
      state: [],
      markersFolder: path.join(steps.storage, "markers"),
    });
    try {
      const host = editor.forSession(path.join(steps.storage, "outputs"));
      const context = { host, callID: "call-1", seen: new Map(), signal, delegate: noDelegate, askUser: nobodyToAsk };
      // The model has read the files.
      for (const name of ["a.txt", "b.txt", "c.txt"]) {
        const found = await host.workspace.open(at(name), signal);
        assert.ok(found.type === "text");
        context.seen.set(found.file.path, found.file.version);
      }
      const plan = await applyPatch.prepare({ input: patch }, context);
      steps.checkpoints.begin();
      await steps.checkpoints.ready(plan.writes, signal);
      await plan.run(() => {});
      await steps.checkpoints.end();
    } finally {
      editor.dispose();
    }
    assert.deepEqual(list(), ["deleted a.txt 1", "moved moved.txt 1", "moved sub/c.txt 2"]);
    await steps.review.decide("reject");
    assert.equal(await disk("a.txt"), "another text\n");
    for (const name of ["b.txt", "c.txt"]) assert.equal(await disk(name), original, name);
    assert.ok(!existsSync(at("moved.txt")) && !existsSync(at("sub/c.txt")));
    assert.deepEqual(list(), []);
  });

  it("V3 leave out binary files, build output and links, and review read-only files", async () => {
    await put("picture.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]));
    await put(".gitignore", "dist/\n");
    await put("latin.txt", Buffer.from("gr\u00fcn\nblau\n", "latin1"));
    await put("utf16.txt", Buffer.from("\ufeffone\r\ntwo\r\n", "utf16le"));
    await put("fixed.txt", original);
    shell("chmod 444 fixed.txt");
    await command(
      "printf 'x\\0y' > picture.png; mkdir dist node_modules; echo 1 > dist/a.js; echo 1 > node_modules/b.js; ln -s fixed.txt link;" +
        "sed -i s/blau/rot/ latin.txt; chmod 644 fixed.txt; sed -i s/two/2/ fixed.txt; chmod 444 fixed.txt; printf '\\377\\376o\\0n\\0e\\0' > utf16.txt",
    );
    assert.deepEqual(list(), ["changed fixed.txt 1", "changed latin.txt 1", "changed utf16.txt 1"]);
    await steps.review.reject(uri("utf16.txt"));
    assert.deepEqual(await readFile(at("utf16.txt")), Buffer.from("\ufeffone\r\ntwo\r\n", "utf16le"));
    await steps.review.reject(uri("fixed.txt"));
    if (process.getuid?.() !== 0) {
      assert.match(told.splice(0).join(), /fixed\.txt could not be changed back/);
      shell("chmod 644 fixed.txt");
      await steps.review.reject(uri("fixed.txt"));
    }
    assert.equal(await disk("fixed.txt"), original);
    assert.deepEqual(list(), ["changed latin.txt 1"]);
  });

  it("V3 are found in a submodule, in a worktree inside the folder, and behind a link to the folder", async () => {
    shell("git init -q -b main; git config user.email a@b.c; git config user.name n; git commit -qm one --allow-empty");
    shell(
      "git init -q -b main ../module-$$; cd ../module-$$; git config user.email a@b.c; git config user.name n; echo one > m.txt; git add -A; git commit -qm one; cd -; git -c protocol.file.allow=always submodule --quiet add ../module-$$ module; rm -rf ../module-$$; git commit -qm two; git worktree add -q tree; ls",
    );
    await command("true");
    await command("echo two > module/m.txt; echo new > tree/new.txt");
    assert.deepEqual(list(), ["changed module/m.txt 1", "new tree/new.txt 1"]);
    await command(
      "cd module; git commit -qam two; git checkout -q HEAD~1; git checkout -q main; cd ../tree; git stash -qu; git stash pop -q",
    );
    await untilListed("changed module/m.txt 1", "new tree/new.txt 1");
    await steps.review.decide("reject");
    assert.equal(await disk("module/m.txt"), "one\n");
    assert.ok(!existsSync(at("tree/new.txt")));
  });

  it("V3 are found among 20,000 files", async () => {
    shell("for d in $(seq 200); do mkdir -p many/$d; for f in $(seq 100); do echo $d $f > many/$d/$f.txt; done; done");
    await command("true");
    await command("sed -i s/^7/seven/ many/7/1*.txt; rm many/8/8.txt");
    assert.equal(list().length, 13, list().join());
    await steps.review.decide("reject");
    assert.equal(await disk("many/7/10.txt"), "7 10\n");
    assert.equal(await disk("many/8/8.txt"), "8 8\n");
    assert.deepEqual(list(), []);
  });

  it("V3 of more than 1,000 files in a step are listed up to that, with a sentence", async () => {
    await command("for f in $(seq 1500); do echo more > $f.txt; done");
    assert.equal(list().length, 1000);
    assert.deepEqual(told.splice(0), [
      "Rondo changed 1,500 files in one step. 500 of them are not in the review: restore the checkpoint to take them back.",
    ]);
    await steps.review.decide("accept");
    assert.deepEqual(list(), []);
  });
});
