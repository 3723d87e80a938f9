/** Changes under review whose texts leave and come back (spec V4). */
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { stepWindow } from "./step-window.ts";

const { signal } = new AbortController();
const original = "one\ntwo\nthree\nfour\nfive\nsix\n";

describe("changes of the agent that leave and come back", () => {
  const steps = stepWindow();
  const { at, uri, shown, put, disk, shell, list, command, until, untilListed, open, begin, end } = steps;

  beforeEach(async () => {
    await put("a.txt", original);
    await put("b.txt", original);
    await put("gone.txt", original);
    shell("git init -q -b main; git config user.email a@b.c; git config user.name n; git add -A; git commit -qm one");
    shell("git checkout -qb other; echo other > a.txt; git commit -qam two; git checkout -q main");
    await open("b.txt");
    await command("sed -i -e s/two/2/ -e s/five/5/ a.txt b.txt; echo new > new.txt; rm gone.txt");
  });
  const listed = ["changed a.txt 2", "changed b.txt 2", "deleted gone.txt 1", "new new.txt 1"];

  it("V4 by a stash keep their review", async () => {
    assert.deepEqual(list(), listed);
    await steps.review.accept(uri("a.txt"), 0);
    shell("git stash -qu");
    await untilListed();
    assert.equal(await disk("b.txt"), original);
    shell("git stash pop -q");
    await untilListed("changed a.txt 1", ...listed.slice(1));
    await steps.review.decide("reject");
    assert.equal(await disk("a.txt"), original.replace("two", "2"));
    assert.equal(shell("git status --porcelain").trim(), "M a.txt");
  });

  it("V4 by a switch of branches keep their review, also when the window is reloaded meanwhile", async () => {
    shell("git stash -qu; git checkout -q other");
    await untilListed();
    await end();
    begin();
    await steps.review.load();
    shell("git checkout -q main; git stash pop -q");
    await untilListed(...listed);
  });

  it("V4 do not come back once they are decided", async () => {
    await steps.review.decide("accept");
    shell("git add -A; git stash -q");
    await until("the file is as before", async () => (await disk("b.txt")) === original);
    shell("git stash pop -q");
    await until("the document has the text again", () =>
      vscode.workspace.textDocuments.some((one) => one.fileName === at("b.txt") && one.getText() !== original),
    );
    await steps.review.look(["a.txt", "b.txt", "new.txt"].map(uri));
    assert.deepEqual(list(), []);
  });

  it("V4 by a restored checkpoint and its undo keep their review", async () => {
    const begun = await command("echo 7 >> a.txt; echo 7 >> b.txt; echo more > more.txt");
    const more = ["changed a.txt 3", "changed b.txt 3", "deleted gone.txt 1", "new more.txt 1", "new new.txt 1"];
    assert.deepEqual(list(), more);
    await steps.checkpoints.preview(begun, signal);
    const { left } = await steps.checkpoints.restore(begun, ["a.txt", "b.txt", "more.txt"].map(shown), signal);
    assert.deepEqual(left, []);
    await untilListed(...listed);
    await steps.checkpoints.undo(signal);
    await untilListed(...more);
    await steps.review.decide("reject");
    assert.equal(shell("git status --porcelain"), "");
  });
});
