/** The place of an inline prompt in a real editor, with the real review. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { StreamedPlace } from "../../src/extension/editor/inline/streamed-place.ts";
import { Review } from "../../src/extension/review/review.ts";

describe("the place of an inline prompt", () => {
  let folder: string;
  let review: Review;
  let editor: vscode.TextEditor;
  let place: StreamedPlace;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "rondo-inline-"));
    review = new Review({ storage: vscode.Uri.file(path.join(folder, "storage")), warn: () => {} });
    const uri = vscode.Uri.file(path.join(folder, "a.txt"));
    await writeFile(uri.fsPath, "one\ntwo\nthree\n");
    editor = await vscode.window.showTextDocument(uri);
    place = new StreamedPlace(editor, new vscode.Range(1, 0, 1, 3), review);
  });

  afterEach(async () => {
    place.dispose();
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await review.flush();
    review.dispose();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const text = () => editor.document.getText();
  const type = (line: number, character: number, words: string) =>
    editor.edit((edit) => edit.insert(new vscode.Position(line, character), words));

  it("takes piece after piece, is reviewed, and is undone in one step", async () => {
    place.beginStep();
    for (const piece of ["2", "2\n2.5", "2\n2.5\n2.7"]) assert.ok(await place.replace(piece));
    assert.equal(text(), "one\n2\n2.5\n2.7\nthree\n");
    assert.equal(place.text, "2\n2.5\n2.7");
    assert.equal(review.changes(editor.document.uri)?.hunks.length, 1);
    await vscode.commands.executeCommand("undo");
    assert.equal(text(), "one\ntwo\nthree\n");
    await vscode.commands.executeCommand("redo");
    await review.decide("reject", [editor.document.uri]);
    assert.equal(text(), "one\ntwo\nthree\n");
  });

  it("moves with what the user types before and after it, which a reject keeps", async () => {
    await place.replace("2");
    await type(0, 0, "zero\n");
    await type(4, 0, "four\n");
    assert.ok(await place.replace("2\n2.5"));
    assert.equal(text(), "zero\none\n2\n2.5\nthree\nfour\n");
    await review.decide("reject", [editor.document.uri]);
    assert.equal(text(), "zero\none\ntwo\nthree\nfour\n");
  });

  it("is lost when the user types into it: nothing more is written", async () => {
    await place.replace("2 and more");
    await type(1, 3, "mine ");
    assert.ok(place.lost.aborted);
    assert.equal(await place.replace("other"), false);
    assert.equal(text(), "one\n2 amine nd more\nthree\n");
  });

  it("leaves no review when the former text comes back", async () => {
    await place.replace("2");
    await place.replace("two");
    assert.equal(review.changes(editor.document.uri)?.hunks.length ?? 0, 0);
  });

  it("has a key that VS Code does not use in editors", async () => {
    await vscode.commands.executeCommand("workbench.action.openDefaultKeybindingsFile");
    const defaults = vscode.window.activeTextEditor?.document.getText() ?? "";
    assert.match(defaults, /"key": "ctrl\+k ctrl\+i"/, "the file lists the defaults");
    const extension = vscode.extensions.getExtension("rondo.rondo") ?? assert.fail();
    const { keybindings }: { keybindings: { command: string; key: string }[] } = extension.packageJSON.contributes;
    const { key = "" } = keybindings.find(({ command }) => command === "rondo.inlinePrompt") ?? {};
    // In the file of keyboard shortcuts the key has another command.
    const isElsewhere = (one: string) => one.includes("rondo.") || one.includes("inKeybindings");
    const others = defaults.split(/^\{/m).filter((one) => one.includes(`"key": "${key}"`) && !isElsewhere(one));
    assert.deepEqual(others, []);
  });
});
