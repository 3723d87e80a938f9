/** Comments on lines through VS Code's Comments API, in a real editor. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { newID } from "../../src/base/ids.ts";
import { newChat } from "../../src/chat/apply.ts";
import { noTokens } from "../../src/chat/token-counts.ts";
import { commentCommands } from "../../src/extension/comments/comment-commands.ts";
import { CommentThreads } from "../../src/extension/comments/comment-threads.ts";
import { describePlace, isPlan, openPlan, planAt, planSessionOf } from "../../src/extension/comments/comments.ts";
import { ShownComment } from "../../src/extension/comments/shown-thread.ts";
import { ThreadStore } from "../../src/extension/comments/thread-store.ts";
import { putText } from "../../src/extension/host/documents.ts";
import { Review } from "../../src/extension/review/review.ts";

const text = "one\ntwo\nthree\nfour\nfive\n";

describe("comments in the editor", () => {
  let folder: string;
  let review: Review;
  let threads: CommentThreads;
  let chat: ReturnType<typeof newChat>;
  /** Makes threads as the user's click does. */
  let user: vscode.CommentController;
  let refusal: string | undefined;

  const opened = () =>
    new CommentThreads({
      store: new ThreadStore(vscode.Uri.file(path.join(folder, "storage"))),
      takesComments: () => true,
      nameOf: (uri) => path.basename(uri.path),
      describe: (uri, lines) => describePlace(review, { whyNot: async () => refusal }, uri, lines),
    });

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "rondo-comments-"));
    review = new Review({ storage: undefined, warn: assert.fail });
    threads = opened();
    chat = newChat({ id: newID("ses"), createdAt: 0, title: "T", cwd: folder });
    user = vscode.comments.createCommentController("user", "User");
    refusal = undefined;
  });

  afterEach(async () => {
    await threads.flush();
    for (const one of [threads, review, user]) one.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function file(name = "cart.txt", content = text): Promise<vscode.TextDocument> {
    await writeFile(path.join(folder, name), content);
    return await vscode.workspace.openTextDocument(path.join(folder, name));
  }

  async function comment(uri: vscode.Uri, from: number, to: number, words: string) {
    const thread = user.createCommentThread(uri, new vscode.Range(from, 0, to, 0), []);
    return { thread, id: (await threads.add({ thread, text: words })) ?? assert.fail() };
  }

  async function insert({ uri }: vscode.TextDocument, line: number, words: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(line, 0), words);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  /** Adds a final reply to the chat, as an answer to the comments that were sent. */
  function replies(words: string, comments: readonly object[]): void {
    const base = { sessionID: chat.session.id, createdAt: 1, agent: "build", model: { providerID: "p", modelID: "m" } };
    const ids = { sessionID: chat.session.id, messageID: "msg_1" };
    chat.messages.push({
      info: { id: "msg_1", role: "user", ...base },
      parts: comments.map((one) => ({ ...one, id: newID("prt"), ...ids }) as never),
    });
    const info = {
      id: "msg_2",
      role: "assistant",
      parentID: "msg_1",
      path: { cwd: "", root: "" },
      tokens: noTokens,
    } as const;
    const part = { type: "text", text: words, id: newID("prt"), ...ids, messageID: "msg_2" } as const;
    chat.messages.push({ info: { ...info, finish: "stop", ...base }, parts: [part] });
  }

  it("V2 a comment has the lines as they are when it is sent, and the hunk that they belong to", async () => {
    const document = await file();
    const end = review.begin(document.uri, document.getText());
    assert.ok(await putText(document, "one\n2\nzwei\nthree\nfour\nfive\n"));
    end(document.getText());
    const { id } = await comment(document.uri, 2, 2, "Say two.");
    const plain = await comment(document.uri, 4, 4, "And this?");
    await insert(document, 0, "zero\n");
    const sent = await threads.take([id, plain.id], chat);
    assert.partialDeepStrictEqual(sent, [
      {
        ...{ type: "comment", commentID: id, number: 1, text: "Say two." },
        source: { start: 4, end: 4, text: "zwei\n" },
        place: { type: "change", change: { line: 3, removed: "two\n", added: "2\nzwei\n" } },
      },
      {
        number: 2,
        source: { start: 6, end: 6, text: "four\n" },
        place: { type: "file", url: document.uri.toString() },
      },
    ]);
  });

  it("V2 the thread follows its lines, and says so where they are gone", async () => {
    const document = await file();
    const { thread } = await comment(document.uri, 1, 3, "Why?");
    assert.equal(thread.label, "Comment on lines 2–3 · waits for the review");
    await insert(document, 0, "zero\n");
    assert.deepEqual([thread.range?.start.line, thread.range?.end.line], [2, 3]);
    assert.equal(thread.label, "Comment on lines 3–4 · waits for the review");
    const edit = new vscode.WorkspaceEdit();
    edit.delete(document.uri, new vscode.Range(0, 0, 5, 0));
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.equal(thread.label, "Comment on line 1 · waits for the review · the lines have changed");
  });

  it("V2 shows who answers, and the answer, which neither loads pictures nor runs commands", async () => {
    const document = await file();
    const { thread, id } = await comment(document.uri, 0, 0, "*Why*?");
    assert.equal(thread.contextValue, "open pending");
    const sent = await threads.take([id], chat);
    assert.equal(thread.contextValue, "open");
    assert.deepEqual(threads.pending, []);
    chat.status = { type: "busy", since: 0 };
    threads.follow(chat, false);
    assert.equal(thread.label, "Comment on line 1 · Rondo works on it");
    replies("Because ![x](https://example.com/x.png) [y](command:z)", sent);
    chat.status = { type: "idle" };
    threads.follow(chat, true);
    const [asked, answer] = thread.comments;
    assert.deepEqual([asked?.author.name, asked?.body], ["You", "*Why*?"]);
    assert.equal(answer?.author.name, "Rondo");
    assert.ok(answer?.body instanceof vscode.MarkdownString && !answer.body.isTrusted && !answer.body.supportHtml);
    assert.doesNotMatch(answer.body.value, /!\[/);
    assert.equal(thread.label, "Comment on line 1");
    threads.follow(chat, true);
    assert.equal(thread.comments.length, 2, "an answer comes once");
  });

  it("V2 threads outlive the window: words, lines that moved meanwhile, and answers", async () => {
    const document = await file();
    const first = await comment(document.uri, 3, 3, "First.");
    const second = await comment(document.uri, 4, 4, "Second.");
    const sent = await threads.take([first.id], chat);
    await threads.flush();
    threads.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await insert(document, 0, "-\n-\n");
    await document.save();
    replies("Done.", sent);
    threads = opened();
    await threads.load();
    assert.deepEqual(threads.unansweredSessions, [chat.session.id]);
    threads.follow(chat, false);
    assert.deepEqual(threads.unansweredSessions, []);
    assert.deepEqual(threads.pending, [{ id: second.id, name: "cart.txt, line 7", text: "Second.", isPlan: false }]);
    assert.partialDeepStrictEqual(await threads.take([second.id], chat), [{ source: { start: 7, text: "five\n" } }]);
  });

  it("V2 a comment that may not be sent waits again, with its words", async () => {
    const document = await file();
    const { id } = await comment(document.uri, 0, 0, "Secret?");
    refusal = "it is protected";
    await assert.rejects(threads.take([id], chat), /The comment on .* is not sent: it is protected\./);
    assert.equal(threads.pending.length, 1);
    refusal = undefined;
    await threads.take([id], chat);
    assert.equal(threads.pending.length, 0);
    threads.giveBack([id]);
    assert.equal(threads.pending.length, 1);
  });

  it("V2 a follow-up in another session brings what was said before", async () => {
    const document = await file();
    const { thread, id } = await comment(document.uri, 0, 0, "Why?");
    replies("Because.", await threads.take([id], chat));
    threads.follow(chat, true);
    const next = (await threads.add({ thread, text: "Really?" })) ?? assert.fail();
    const other = newChat({ ...chat.session, id: newID("ses") });
    const [sent] = await threads.take([next], other);
    assert.equal(sent?.earlier, "The user: Why?\n\nYou: Because.");
  });

  it("V2 commands: resolve, reopen, edit, save, delete a comment, delete a thread", async () => {
    const document = await file();
    const { thread, id } = await comment(document.uri, 0, 0, "Why?");
    const sends: (readonly string[])[] = [];
    const shown: string[] = [];
    const run = commentCommands(
      { threads, showSession: (commentID) => shown.push(commentID), openPlan: async () => {} },
      { sendComments: async (ids) => void sends.push(ids) },
    );
    run["rondo.resolveThread"]?.(thread);
    assert.deepEqual([thread.state, thread.contextValue], [vscode.CommentThreadState.Resolved, "resolved pending"]);
    run["rondo.reopenThread"]?.(thread);
    assert.equal(thread.state, vscode.CommentThreadState.Unresolved);
    run["rondo.editComment"]?.(thread.comments[0]);
    const [edited] = thread.comments;
    assert.ok(edited instanceof ShownComment && edited.mode === vscode.CommentMode.Editing);
    edited.body = "How?";
    run["rondo.saveComment"]?.(edited);
    assert.deepEqual([thread.comments[0]?.body, thread.comments[0]?.mode], ["How?", vscode.CommentMode.Preview]);
    await run["rondo.sendComments"]?.();
    await run["rondo.sendComment"]?.({ thread, text: " " });
    assert.deepEqual([sends, shown], [[[id]], []], "blank words are not sent");
    const more = (await run["rondo.addComment"]?.({ thread, text: "More." })) as string;
    run["rondo.deleteComment"]?.(thread.comments[1]);
    assert.ok(!threads.pending.some((one) => one.id === more));
    await threads.flush();
    assert.equal((await readdir(path.join(folder, "storage/comments"))).length, 1);
    run["rondo.deleteThread"]?.(thread);
    await threads.flush();
    assert.deepEqual([threads.pending, await readdir(path.join(folder, "storage/comments"))], [[], []]);
  });

  it("V2 a renamed file keeps its threads", async () => {
    const document = await file();
    await comment(document.uri, 1, 1, "Why?");
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(document.uri, vscode.Uri.file(path.join(folder, "till.txt")));
    const moved = new Promise((resolve) => vscode.workspace.onDidRenameFiles(resolve));
    assert.ok(await vscode.workspace.applyEdit(edit));
    await moved;
    assert.equal(threads.pending[0]?.name, "till.txt, line 2");
  });

  it("V2 comments on a plan wait for its own session", async () => {
    const other = newChat({ ...chat.session, id: newID("ses") });
    let here = other;
    const ofPlans = new CommentThreads({
      ...{ store: undefined, takesComments: () => true, nameOf: ({ path: name }) => name },
      isHere: (uri) => !isPlan(uri) || planSessionOf(uri) === here.session.id,
      describe: async () => assert.fail(),
    });
    const plans = vscode.workspace.registerTextDocumentContentProvider("rondo-plan", {
      provideTextDocumentContent: (uri) => planAt(uri, () => chat),
    });
    try {
      replies("# Plan\n\n1. Round once.", []);
      await openPlan(chat);
      const { uri } = vscode.window.activeTextEditor?.document ?? assert.fail();
      const on = async (place: vscode.Uri, words: string) => {
        const thread = user.createCommentThread(place, new vscode.Range(0, 0, 0, 0), []);
        return (await ofPlans.add({ thread, text: words })) ?? assert.fail();
      };
      const id = await on(uri, "Why?");
      await on((await file()).uri, "And this?");
      assert.deepEqual(
        ofPlans.pending.map(({ text }) => text),
        ["And this?"],
      );
      here = chat;
      assert.deepEqual(
        ofPlans.pending.map(({ text }) => text),
        ["Why?", "And this?"],
      );
      assert.equal(planSessionOf(ofPlans.uriOf(id) ?? assert.fail()), chat.session.id);
    } finally {
      plans.dispose();
      ofPlans.dispose();
    }
  });

  it("V2 lines of a plan take comments: its document has the plan without the answers to earlier ones", async () => {
    const plans = vscode.workspace.registerTextDocumentContentProvider("rondo-plan", {
      provideTextDocumentContent: (uri) => planAt(uri, () => chat),
    });
    try {
      replies("Comment 1: Changed.\n\n# Plan\n\n1. Round once.\n2. Test.", []);
      await openPlan(chat);
      const document = vscode.window.activeTextEditor?.document;
      assert.equal(document?.getText(), "# Plan\n\n1. Round once.\n2. Test.\n");
      const { id } = await comment(document.uri, 2, 2, "Half up.");
      assert.equal(threads.pending[0]?.isPlan, true);
      assert.partialDeepStrictEqual(await threads.take([id], chat), [
        { place: { type: "plan", planID: "msg_2" }, source: { start: 3, end: 3, text: "1. Round once.\n" } },
      ]);
    } finally {
      plans.dispose();
    }
  });
});
