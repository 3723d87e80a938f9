import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { putText } from "../../src/extension/host/documents.ts";
import type { ReviewDialogs, ShareAnswer } from "../../src/extension/review/decider.ts";
import { Review } from "../../src/extension/review/review.ts";
import { reviewCommands, reviewHandlers } from "../../src/extension/review/review-commands.ts";
import type { UserShare } from "../../src/review/decisions.ts";
import { currentText } from "../../src/review/hunks.ts";

const before = "one\ntwo\nthree\nfour\nfive\nsix\n";
const after = "one\n2\nthree\nfour\n4.5\nfive\n";

describe("decisions of a review", () => {
  let folder: string;
  let storage: vscode.Uri;
  let review: Review;
  let answer: ShareAnswer;
  const asked: UserShare[] = [];
  const offered: string[] = [];
  const told: string[] = [];
  const dialogs: ReviewDialogs = {
    async ask(shares) {
      asked.push(...shares);
      return answer;
    },
    async offerUndo(message) {
      offered.push(message);
    },
  };
  const open = () => new Review({ storage, warn: (message) => told.push(message) }, dialogs);

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "rondo-decisions-"));
    storage = vscode.Uri.file(path.join(folder, "storage"));
    for (const list of [asked, offered, told]) list.length = 0;
    review = open();
  });

  afterEach(async () => {
    await review.flush();
    review.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    assert.deepEqual(told, []);
  });

  async function file(text: string, name: string): Promise<vscode.Uri> {
    const uri = vscode.Uri.file(path.join(folder, name));
    await mkdir(path.dirname(uri.fsPath), { recursive: true });
    await writeFile(uri.fsPath, text);
    return uri;
  }

  async function agentWrites(uri: vscode.Uri, text: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(uri);
    const end = review.begin(uri, document.getText(), text);
    assert.ok(await putText(document, text));
    await document.save();
    end(document.getText());
    return document;
  }

  async function agentCreates(name: string, text: string): Promise<vscode.Uri> {
    const uri = vscode.Uri.file(path.join(folder, name));
    const end = review.begin(uri, undefined, text);
    await file(text, name);
    end(text);
    return uri;
  }

  async function type(document: vscode.TextDocument, line: number, character: number, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(line, character), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  async function reload(): Promise<void> {
    await review.flush();
    review.dispose();
    review = open();
    await review.load();
  }

  const disk = (uri: vscode.Uri) => readFile(uri.fsPath, "utf8");

  it("V22 takes the last decision back by a command, which says when there is none", async () => {
    const uri = await file(before, "a.txt");
    await agentWrites(uri, after);
    const sentences: string[] = [];
    const undo = reviewCommands(review, async (sentence) => void sentences.push(sentence))["rondo.undoReview"];
    await undo?.();
    assert.deepEqual(sentences, ["There is no accept or reject to undo."]);
    await review.reject(uri, 0);
    assert.equal(await disk(uri), after.replace("2\n", "two\n"));
    await undo?.();
    assert.equal(await disk(uri), after);
    assert.equal(review.changes(uri)?.hunks.length, 3);
    assert.equal(sentences.length, 1);
  });

  it("V22 takes back an accept and a reject of all files, each after a reload", async () => {
    const uris = [await file(before, "a.txt"), await file(before, "b.txt")];
    for (const uri of uris) await agentWrites(uri, after);
    for (const action of ["accept", "reject"] as const) {
      await review.decide(action);
      assert.deepEqual(review.uris(), []);
      await reload();
      assert.equal((await review.undoDecision()).length, 2);
      for (const uri of uris) {
        assert.equal(await disk(uri), after);
        assert.equal(review.changes(uri)?.hunks.length, 3);
        assert.equal(review.before(uri), before);
      }
    }
    assert.deepEqual(offered, ["Accepted the changes in 2 files.", "Rejected the changes in 2 files."]);
    assert.deepEqual(await review.undoDecision(), []);
  });

  it("V22 takes back the decision that is still being written, not the one before", async () => {
    const uri = await file(before, "a.txt");
    await agentWrites(uri, after);
    await review.accept(uri, 2);
    const [, undone] = await Promise.all([review.reject(uri), review.undoDecision()]);
    assert.deepEqual(undone, [uri]);
    assert.equal(await disk(uri), after);
    assert.equal(review.changes(uri)?.hunks.length, 2);
    const both = await Promise.all([review.undoDecision(), review.undoDecision()]);
    assert.deepEqual(both, [[uri], []]);
    assert.equal(review.changes(uri)?.hunks.length, 3);
  });

  it("V22 decides each change that was meant, also while another decision is being written", async () => {
    const uri = await file(before, "a.txt");
    await agentWrites(uri, after);
    await Promise.all([review.reject(uri, 0), review.accept(uri, 1), review.reject(uri, 2), review.reject(uri, 2)]);
    assert.equal(await disk(uri), "one\ntwo\nthree\nfour\n4.5\nfive\nsix\n");
    assert.equal(review.changes(uri), undefined);
    for (const hunks of [1, 2, 3]) {
      await review.undoDecision();
      assert.equal(review.changes(uri)?.hunks.length, hunks);
    }
    assert.equal(await disk(uri), after);
  });

  it("V22 keeps what was typed and decided after the decision that is taken back", async () => {
    const uri = await file(before, "a.txt");
    const document = await agentWrites(uri, after);
    await review.reject(uri, 0);
    await review.accept(uri, 0);
    await type(document, 0, 0, "mine ");
    await document.save();
    await review.undoDecision();
    await review.undoDecision();
    assert.equal(await disk(uri), `mine ${after}`);
    assert.equal(review.before(uri), `mine ${before}`);
  });

  it("V22 asks before it deletes a created file to which the user has added, and brings a deleted one back", async () => {
    const uri = await agentCreates("new.txt", "new\n");
    const document = await vscode.workspace.openTextDocument(uri);
    await type(document, 1, 0, "mine\n");
    await document.save();
    answer = "cancel";
    await review.reject(uri);
    assert.equal(await disk(uri), "new\nmine\n");
    answer = "keep";
    await review.reject(uri);
    assert.equal(await disk(uri), "mine\n");
    await review.undoDecision();
    assert.equal(await disk(uri), "new\nmine\n");
    answer = "drop";
    await review.reject(uri);
    assert.ok(!existsSync(uri.fsPath));
    assert.deepEqual(
      asked.map(({ kind, lines }) => [kind, lines]),
      [
        ["created", 1],
        ["created", 1],
        ["created", 1],
      ],
    );
    assert.equal(offered.length, 1);
    await reload();
    await review.undoDecision();
    assert.equal(await disk(uri), "new\nmine\n");
    assert.equal(review.before(uri), "mine\n");
  });

  it("V21 keeps lines that the user typed inside a hunk, and asks about those of the agent that the user changed", async () => {
    const uri = await file(before, "a.txt");
    const document = await agentWrites(uri, "one\n2\n2.1\n2.2\nthree\nfour\nfive\nsix\n");
    await type(document, 2, 0, "mine\n");
    await document.save();
    assert.equal(review.changes(uri)?.hunks.length, 1);
    await review.reject(uri, 0);
    assert.deepEqual(asked, []);
    assert.equal(await disk(uri), "one\ntwo\nmine\nthree\nfour\nfive\nsix\n");
    await review.undoDecision();
    await type(document, 1, 1, " changed");
    await document.save();
    answer = "keep";
    await review.reject(uri, 0);
    assert.deepEqual(
      asked.map(({ kind, lines }) => [kind, lines]),
      [["mixed", 1]],
    );
    assert.match(await disk(uri), /2 changed\nmine\n/);
  });

  it("V21 takes the agent's lines where the user has changed them, or keeps both, and takes that back after a reload", async () => {
    const uri = await file(before, "a.txt");
    const document = await agentWrites(uri, after);
    const sentences: string[] = [];
    const commands = reviewCommands(review, async (sentence) => void sentences.push(sentence));
    await commands["rondo.takeAgentLines"]?.(uri, 0, 1);
    assert.deepEqual(sentences, ["You have changed no line of Rondo's here."]);
    assert.equal(await disk(uri), after);
    await type(document, 1, 1, " mine");
    await document.save();
    const mine = await disk(uri);
    assert.deepEqual(review.files()[0]?.state, "conflict");
    const users: unknown[] = [];
    review.onDidDecide((decision) => users.push(decision.users));

    await commands["rondo.takeAgentLines"]?.(uri, 0, 1);
    assert.equal(await disk(uri), after);
    assert.equal(review.changes(uri)?.hunks.length, 2, "the other changes wait");
    await review.undoDecision();
    assert.equal(await disk(uri), mine);
    assert.deepEqual(review.files()[0]?.state, "conflict");

    await commands["rondo.keepBothLines"]?.(uri, 0, 1);
    assert.equal(await disk(uri), after.replace("2\n", "2 mine\n2\n"));
    assert.deepEqual(users, [[], [], [{ start: 1, lines: ["2 mine\n"] }]], "the model learns of the user's line only");
    await reload();
    await review.undoDecision();
    assert.equal(await disk(uri), mine);

    await reviewHandlers(review).review({ type: "review", action: "take-agent-lines", path: uri.fsPath });
    assert.equal(await disk(uri), after);
    assert.deepEqual(review.uris(), []);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), mine, "it is one step of the editor's undo, too");
    assert.deepEqual(review.files()[0]?.state, "conflict");
    await document.save();
  });

  it("V24 reviews an empty file that was created, and deletes the folders that the agent made for it", async () => {
    await file("", "kept/other.txt");
    const uri = await agentCreates("kept/made/deep/empty.txt", "");
    const second = await agentCreates("kept/made/second.txt", "x\n");
    assert.deepEqual(
      review.files().map(({ state, hunks }) => [state, hunks]),
      [
        ["new", 0],
        ["new", 1],
      ],
    );
    await review.reject(uri);
    assert.ok(!existsSync(path.dirname(uri.fsPath)));
    assert.ok(existsSync(second.fsPath));
    await review.reject(second);
    assert.ok(!existsSync(path.join(folder, "kept/made")));
    assert.ok(existsSync(path.join(folder, "kept/other.txt")));
    assert.deepEqual(asked, []);
  });

  it("V23 a formatter on save changes the agent's hunk, and owns the lines that the agent did not touch", async () => {
    const uri = await file("a \nb\nc\nd\ne\nf \n", "a.txt");
    const formatter = vscode.workspace.onWillSaveTextDocument((event) => {
      const edits = Array.from({ length: event.document.lineCount }, (_, at) => event.document.lineAt(at)).map(
        ({ range, text }) => vscode.TextEdit.replace(range, text.trimEnd()),
      );
      event.waitUntil(Promise.resolve(edits));
    });
    try {
      await agentWrites(uri, "a \nb\nC  \nd\ne\nf \n");
    } finally {
      formatter.dispose();
    }
    assert.equal(await disk(uri), "a\nb\nC\nd\ne\nf\n");
    assert.equal(review.changes(uri)?.hunks.length, 1);
    await review.reject(uri);
    assert.equal(await disk(uri), "a\nb\nc\nd\ne\nf\n");
    assert.deepEqual(asked, []);
  });

  it("V22 V23 a formatter on the save of a decision that is taken back after a reload is followed in the review", async () => {
    const uri = await file(before, "a.txt");
    await agentWrites(uri, after);
    await review.decide("reject");
    await reload();
    const formatter = vscode.workspace.onWillSaveTextDocument((event) => {
      const { range } = event.document.lineAt(0);
      event.waitUntil(Promise.resolve([vscode.TextEdit.insert(range.end, ";")]));
    });
    try {
      assert.deepEqual(await review.undoDecision(), [uri]);
    } finally {
      formatter.dispose();
    }
    const changes = review.changes(uri);
    assert.equal(changes && currentText(changes), await disk(uri));
    assert.equal((await disk(uri)).split("\n")[0], `${after.split("\n")[0]};`);
    await review.reject(uri);
    assert.equal(await disk(uri), before.replace("\n", ";\n"));
  });

  it("V23 changed line endings are neither the user's nor the agent's", async () => {
    const uri = await file(before, "a.txt");
    const document = await agentWrites(uri, after);
    const edit = new vscode.WorkspaceEdit();
    edit.set(uri, [vscode.TextEdit.setEndOfLine(vscode.EndOfLine.CRLF)]);
    assert.ok(await vscode.workspace.applyEdit(edit));
    await type(document, 0, 0, "mine ");
    await document.save();
    assert.equal(review.changes(uri)?.hunks.length, 3);
    await review.reject(uri);
    assert.equal(await disk(uri), `mine ${before}`.replaceAll("\n", "\r\n"));
    assert.deepEqual(asked, []);
  });

  for (const action of ["accept", "reject"] as const) {
    it(`V22 a taken back ${action} keeps what others have written since into the closed file`, async () => {
      const uri = await file(before, "a.txt");
      // Nothing follows a file whose document is closed and in which nothing waits.
      const end = review.begin(uri, before, after);
      await file(after, "a.txt");
      end(after);
      await review.decide(action);
      await reload();
      const decided = action === "accept" ? after : before;
      await writeFile(uri.fsPath, `theirs\n${decided}more\n`);
      assert.deepEqual(await review.undoDecision(), [uri]);
      assert.equal(await disk(uri), `theirs\n${after}more\n`);
      await review.reject(uri);
      assert.equal(await disk(uri), `theirs\n${before}more\n`);
    });
  }

  describe("texts that return", () => {
    const waiting = () =>
      review.uris().map((uri) => `${path.basename(uri.fsPath)} ${review.changes(uri)?.hunks.length}`);
    async function until(what: string, holds: () => boolean): Promise<void> {
      for (let tries = 0; tries < 1000; tries++) {
        if (holds()) return;
        await wait(30);
      }
      assert.fail(`never: ${what}, but ${waiting()}`);
    }
    /** Writes the open file as another program does, and again: VS Code overlooks a write right after its own. */
    async function writtenByOthers(document: vscode.TextDocument, text: string): Promise<void> {
      for (let tries = 0; tries < 100; tries++) {
        // At once: VS Code could read what is half written, as a state of its own for undo.
        await writeFile(`${document.uri.fsPath}.new`, text);
        await rename(`${document.uri.fsPath}.new`, document.uri.fsPath);
        await review.look([document.uri]);
        for (let looks = 0; looks < 20; looks++) {
          if (document.getText() === text) return;
          await wait(30);
        }
      }
      assert.fail("VS Code does not read the file again");
    }
    const discard = () => vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");

    it("V4 are not under review again if they were rejected, while their document stays open", async () => {
      const uri = await file(before, "a.txt");
      const document = await agentWrites(uri, after);
      await vscode.window.showTextDocument(document);
      await review.reject(uri);
      await writtenByOthers(document, after);
      assert.deepEqual(waiting(), []);
      await vscode.window.showTextDocument(document);
      for (const text of [before, after]) {
        await vscode.commands.executeCommand("undo");
        assert.equal(document.getText(), text);
      }
      assert.deepEqual(waiting(), ["a.txt 3"], "an editor's undo of the reject brings its hunks back");
      await document.save();
    });

    it("V4 keep what was not rejected in them", async () => {
      const uri = await file(before, "a.txt");
      const document = await agentWrites(uri, after);
      await vscode.window.showTextDocument(document);
      await review.reject(uri, 0);
      await writtenByOthers(document, after);
      assert.deepEqual(waiting(), ["a.txt 2"]);
      await review.reject(uri);
      assert.equal(await disk(uri), before.replace("two", "2"));
    });

    it("V4 are under review again if the user removes the changes and closes the document without saving", async () => {
      const uri = await file(before, "a.txt");
      const document = await agentWrites(uri, after);
      await vscode.window.showTextDocument(document);
      const edit = new vscode.WorkspaceEdit();
      edit.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), before);
      assert.ok(await vscode.workspace.applyEdit(edit));
      assert.deepEqual(waiting(), []);
      await discard();
      await until("the changes wait again", () => waiting().join() === "a.txt 3");
      await review.reject(uri);
      assert.equal(await disk(uri), before);
    });

    it("V4 are under review again if the user closes the document without saving the reject", async () => {
      const uri = await file(before, "a.txt");
      const document = await agentWrites(uri, after);
      await vscode.window.showTextDocument(document);
      await type(document, 0, 0, "draft ");
      await review.reject(uri);
      assert.deepEqual([document.isDirty, waiting()], [true, []]);
      await discard();
      await until("the changes wait again", () => waiting().join() === "a.txt 3");
      await reload();
      assert.deepEqual(waiting(), ["a.txt 3"]);
    });
  });
});
