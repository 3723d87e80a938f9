/** What the review decides reaches the sessions that worked on the file, with the versions that their models know. */
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { newID } from "../../src/base/ids.ts";
import { newChat } from "../../src/chat/apply.ts";
import type { ReviewDecision } from "../../src/chat/review-decisions.ts";
import { putText } from "../../src/extension/host/documents.ts";
import { DecisionTeller } from "../../src/extension/review/decision-teller.ts";
import { Review } from "../../src/extension/review/review.ts";
import { versionOf } from "../../src/tools/node-host/workspace.ts";

describe("decisions of the review", () => {
  let folder: string;
  let file: string;
  let review: Review;
  let teller: DecisionTeller;
  let lockedBy: Error | undefined;
  const failures: unknown[] = [];

  class FakeRecord {
    readonly chat = newChat({ id: newID("ses"), createdAt: 0, title: "T", cwd: "" });
    readonly records: ReviewDecision[] = [];

    constructor(file: string) {
      const ids = { sessionID: this.chat.session.id, messageID: "msg_1" };
      const model = { providerID: "p", modelID: "m" };
      this.chat.messages.push({
        info: { id: "msg_1", role: "user", sessionID: this.chat.session.id, createdAt: 1, agent: "build", model },
        parts: [{ type: "patch", id: newID("prt"), ...ids, hash: "", files: [file] }],
      });
    }
  }

  /** A session that is not open, and the files that it has changed. */
  const closed = { id: "ses_closed", changed: [] as string[], records: [] as ReviewDecision[] };
  let session: FakeRecord;
  let other: FakeRecord;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "rondo-told-")));
    review = new Review({ storage: undefined, warn: assert.fail });
    file = "a.txt";
    session = new FakeRecord(path.join(folder, file));
    other = new FakeRecord(path.join(folder, "b.txt"));
    lockedBy = undefined;
    failures.length = 0;
    teller = new DecisionTeller({
      review,
      chats: () => [session.chat, other.chat],
      authors: (names) => (closed.changed.some((name) => names.includes(name)) ? [closed.id] : []),
      async record(id, decisions) {
        if (lockedBy) throw lockedBy;
        const own = [session, other].find(({ chat }) => chat.session.id === id);
        (own ?? closed).records.push(...decisions);
      },
      locate: async (uri) => ({ relative: path.basename(uri.fsPath), path: uri.fsPath }),
      failed: (error) => failures.push(error),
    });
  });

  afterEach(async () => {
    teller.dispose();
    review.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const uri = () => vscode.Uri.file(path.join(folder, file));

  async function agentWrites(before: string, after: string): Promise<vscode.TextDocument> {
    await writeFile(uri().fsPath, before);
    const document = await vscode.workspace.openTextDocument(uri());
    const end = review.begin(uri(), document.getText());
    assert.ok(await putText(document, after));
    await document.save();
    end(document.getText());
    return document;
  }

  it("V1 a rejected hunk is recorded with its lines and the versions before and after, for the session that wrote it alone", async () => {
    for (const [name, ending] of [
      ["a.txt", "\n"],
      ["c.txt", "\r\n"],
    ] as const) {
      file = name;
      session = new FakeRecord(path.join(folder, file));
      const [before, after] = [
        ["one", "two", "three", "four", "five", ""].join(ending),
        ["one", "2", "three", "four", "5", ""].join(ending),
      ];
      const document = await agentWrites(before, after);
      await review.reject(uri(), 1);
      await teller.settled(session.chat.session.id);
      const rest = ["one", "2", "three", "four", "five", ""].join(ending);
      assert.equal(document.getText(), rest);
      assert.partialDeepStrictEqual(session.records, [
        {
          ...{ action: "rejected", name, path: uri().fsPath, others: [] },
          hunks: [{ line: 5, removed: `5${ending}`, added: `five${ending}` }],
          ...{ before: versionOf(after), after: versionOf(rest) },
        },
      ]);
      assert.deepEqual(other.records, []);
      await review.accept(uri());
      await teller.settled(session.chat.session.id);
      assert.equal(session.records.length, 1, "a plain acceptance is not recorded");
    }
  });

  it("V1 a rejection that was taken back goes from the same version to the same", async () => {
    await agentWrites("one\n", "1\n");
    await review.reject(uri());
    await review.undoDecision();
    await teller.settled(session.chat.session.id);
    const [rejected, restored] = session.records;
    assert.deepEqual([rejected?.action, restored?.action], ["rejected", "restored"]);
    assert.deepEqual([restored?.before, restored?.after], [rejected?.after, rejected?.before]);
  });

  it("V1 a rejected new file is gone", async () => {
    const end = review.begin(uri(), undefined);
    await writeFile(uri().fsPath, "new\n");
    const document = await vscode.workspace.openTextDocument(uri());
    end(document.getText());
    await review.reject(uri());
    await teller.settled(session.chat.session.id);
    assert.partialDeepStrictEqual(session.records, [{ action: "rejected", before: versionOf("new\n"), after: null }]);
  });

  it("V1 lines that the user has written inside an accepted change are recorded", async () => {
    await agentWrites("one\n", "1\n2\n3\n");
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri(), new vscode.Position(1, 0), "mine\n");
    assert.ok(await vscode.workspace.applyEdit(edit));
    await review.accept(uri());
    await teller.settled(session.chat.session.id);
    assert.partialDeepStrictEqual(session.records, [
      { action: "edited", hunks: [{ line: 2, removed: "", added: "mine\n" }], after: versionOf("1\nmine\n2\n3\n") },
    ]);
  });

  it("V1 a session that is not open learns it, too", async () => {
    closed.changed.push("d.txt");
    file = "d.txt";
    await agentWrites("one\n", "1\n");
    await review.reject(uri());
    await teller.settled(closed.id);
    assert.deepEqual([closed.records.length, session.records.length], [1, 0]);
  });

  it("V1 a session that another process holds records it later, and once", async () => {
    await agentWrites("one\n", "1\n");
    lockedBy = new Error("held");
    await review.reject(uri());
    await teller.settled(session.chat.session.id);
    assert.deepEqual([session.records.length, failures.length > 0], [0, true]);
    lockedBy = undefined;
    await teller.settled(session.chat.session.id);
    await teller.settled(session.chat.session.id);
    assert.equal(session.records.length, 1);
  });
});
