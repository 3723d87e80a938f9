import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { BaselineProvider } from "../../src/extension/review/baseline-provider.ts";
import { Review } from "../../src/extension/review/review.ts";
import { reviewCommands } from "../../src/extension/review/review-commands.ts";
import { hunkFeatures, ReviewBadges } from "../../src/extension/review/review-feature.ts";

const before = "one\ntwo\nthree\nfour\nfive\n";
const after = "one\n2\nthree\nfour\n";

describe("places of the review in VS Code", () => {
  let folder: string;
  let review: Review;
  let badges: ReviewBadges;
  let uri: vscode.Uri;
  const said: string[] = [];
  const own: vscode.Disposable[] = [];

  beforeEach(async () => {
    const [open] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(open);
    folder = await realpath(await mkdtemp(path.join(open.uri.fsPath, "places-")));
    review = new Review({ storage: undefined, warn: (message) => said.push(message) });
    badges = new ReviewBadges(review);
    own.push(badges, hunkFeatures(review), new BaselineProvider(review), review);
    said.length = 0;
    uri = vscode.Uri.file(path.join(folder, "file.txt"));
    await writeFile(uri.fsPath, before);
    const end = review.begin(uri, before);
    await writeFile(uri.fsPath, after);
    end(after);
  });

  afterEach(async () => {
    for (const one of own.splice(0)) one.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const commands = () =>
    reviewCommands(review, async (message) => {
      said.push(message);
      return undefined;
    });

  it("V11 says on a line without a change where the next one is, and changes nothing", async () => {
    const editor = await vscode.window.showTextDocument(uri);
    editor.selection = new vscode.Selection(2, 0, 2, 0);
    for (const command of ["rondo.acceptHunk", "rondo.rejectHunk"]) await commands()[command]?.();
    assert.deepEqual(said, new Array(2).fill("No change by Rondo here; the next is at line 5."));
    assert.equal(review.changes(uri)?.hunks.length, 2);
    await review.accept(uri);
    await commands()["rondo.nextHunk"]?.();
    assert.equal(said.at(-1), "Nothing of Rondo's waits for review.");
  });

  it("V11 marks the file with the number of its changes until they are decided", async () => {
    assert.equal(badges.provideFileDecoration(uri)?.badge, "2");
    assert.equal(badges.provideFileDecoration(uri)?.tooltip, "2 changes by Rondo wait for review");
    await review.accept(uri, 0);
    assert.equal(badges.provideFileDecoration(uri)?.tooltip, "1 change by Rondo waits for review");
    await review.accept(uri);
    assert.equal(badges.provideFileDecoration(uri), undefined);
  });

  it("V11 offers the change in the lightbulb, and its old lines in the hover", async () => {
    await vscode.workspace.openTextDocument(uri);
    const at = new vscode.Position(1, 0);
    const range = new vscode.Range(at, at);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      uri,
      range,
    );
    const titles = actions.map(({ title }) => title);
    assert.ok(titles.includes("Accept Rondo's Change") && titles.includes("Reject Rondo's Change"));
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", uri, at);
    const text = hovers
      .flatMap(({ contents }) => contents)
      .map((content) => (typeof content === "string" ? content : content.value))
      .join("\n");
    assert.match(text, /Rondo: 1 line removed[\s\S]*two/);
  });
});
