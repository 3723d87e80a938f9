/** "Generate Commit Message" with VS Code's own Git extension, a real repository and a model on loopback. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { Attachments } from "../../src/extension/attachments/attachments.ts";
import { BriefModel } from "../../src/extension/editor/brief-model.ts";
import { CommitMessages } from "../../src/extension/editor/commit/commit-feature.ts";
import { findRepository, type GitRepository } from "../../src/extension/editor/commit/git-extension.ts";
import { editorWorkspace } from "../../src/extension/host/editor-workspace.ts";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import { KnownFacts } from "../../src/providers/catalog/model-facts.ts";
import { openModel } from "../../src/providers/providers.ts";
import { nodeWorkspace } from "../../src/tools/node-host/workspace.ts";
import { type Answer, type ModelServer, startModelServer } from "../model-server.ts";
import { usualBoundary } from "../read-boundary.ts";

const run = promisify(execFile);

describe("commit messages", () => {
  let root: string;
  let model: ModelServer;
  let answer: (at: number) => Answer | Promise<Answer>;
  let repository: GitRepository;
  let messages: CommitMessages;
  let daily: number | undefined;
  let spent: number[];
  const problems: unknown[] = [];

  beforeEach(async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail();
    root = await mkdtemp(path.join(folder, "commit-"));
    model = await startModelServer((_, at) => answer(at));
    answer = () => [{ text: "fix: round once" }];
    daily = undefined;
    spent = [];
    problems.length = 0;
    const disk = nodeWorkspace([folder], true, []);
    const limits = () => ({ ...defaultLimits, maxDailyBudgetUsd: daily });
    messages = new CommitMessages({
      page: {
        prepare: async () => {},
        explain(error) {
          problems.push(error);
          return { message: String(error), next: "", fix: "none" };
        },
      },
      model: new BriefModel({
        models: {
          current: { providerID: "anthropic", modelID: "claude-sonnet-5" },
          facts: new KnownFacts({ limits }),
          limits,
          open: () => openModel("anthropic", { apiKey: "test-key", baseURL: model.url }),
        },
        agents: () => new AgentCatalog(),
        ledger: { add: (usd) => spent.push(usd), today: () => 2 },
      }),
      files: new Attachments(
        editorWorkspace(() => disk, { begin: () => () => {} }),
        () => usualBoundary,
      ),
    });
    await git("init", "-q");
    await put("a.txt", "one\n");
    await put("b.txt", "one\n");
    await put(".env", "KEY=old\n");
    await git("add", "-A");
    await git("commit", "-qm", "feat: a beginning\n\nWith a body.");
    repository = await opened();
  });

  afterEach(async () => {
    messages.dispose();
    await model.stop();
    await vscode.commands.executeCommand("git.close", repository);
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  const put = (name: string, text: string) => writeFile(path.join(root, name), text);
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], { cwd: root });

  async function opened(): Promise<GitRepository> {
    await vscode.commands.executeCommand("git.openRepository", root);
    const found = await findRepository({ rootUri: vscode.Uri.file(root) });
    assert.equal(found?.rootUri.fsPath, root);
    return found;
  }

  /** Waits until VS Code's Git extension has seen the present state. */
  async function refreshed(index: number, files: number): Promise<void> {
    const { state } = repository;
    while (state.indexChanges.length !== index || state.workingTreeChanges.length !== files) {
      await vscode.commands.executeCommand("git.refresh", repository);
    }
  }

  const generate = () => messages.generate({ rootUri: repository.rootUri });
  const asked = () => JSON.stringify(model.requests.at(-1)?.body["messages"]);

  it("describes all changes if nothing is staged, new files too, and shows no protected one", async () => {
    await put("a.txt", "two\n");
    await put("new.txt", "fresh\n");
    await put(".env", "KEY=hunter2\n");
    await refreshed(0, 3);
    await generate();
    assert.deepEqual(problems, []);
    assert.equal(repository.inputBox.value, "fix: round once");
    assert.match(asked(), /M a\.txt/);
    assert.match(asked(), /-one\\n\+two/);
    assert.match(asked(), /\+fresh/);
    assert.match(asked(), /- feat: a beginning\\n/);
    assert.match(asked(), /M \.env \(not shown: it may hold secrets\)/);
    assert.doesNotMatch(asked(), /hunter2|KEY=|With a body/);
    assert.equal(spent.length, 1);
    assert.deepEqual(model.requests.at(-1)?.body["tools"] ?? [], []);
  });

  it("describes only what is staged, if something is, and goes on with what the user has begun", async () => {
    await put("a.txt", "two\n");
    await git("mv", "b.txt", "c.txt");
    await git("add", "b.txt", "c.txt").catch(() => {});
    await refreshed(1, 1);
    repository.inputBox.value = "refactor: ";
    await generate();
    assert.match(asked(), /R b\.txt → c\.txt/);
    assert.doesNotMatch(asked(), /M a\.txt|\+two/);
    assert.match(asked(), /has begun the message with:\\nrefactor:/);
    assert.equal(repository.inputBox.value, "fix: round once");
  });

  it("is cancelled: the request ends, and the box keeps its text", async () => {
    await put("a.txt", "two\n");
    await refreshed(0, 1);
    repository.inputBox.value = "mine";
    answer = () => {
      setImmediate(() => messages.cancel());
      return { bytes: "", hang: true };
    };
    await generate();
    await model.requests[0]?.left;
    assert.equal(repository.inputBox.value, "mine");
    assert.deepEqual(problems, []);
    answer = () => [{ text: "fix: again" }];
    await generate();
    assert.equal(repository.inputBox.value, "fix: again", "the next one is not cancelled");
  });

  it("asks no model if nothing has changed, or the day's budget is spent", async () => {
    await refreshed(0, 0);
    void generate();
    await generate();
    await put("a.txt", "two\n");
    await refreshed(0, 1);
    daily = 2;
    await generate();
    assert.equal(model.requests.length, 0);
    assert.match(String(problems.at(-1)), /Today's budget of \$2 is spent/);
  });

  it("explains why the model did not answer, and keeps the box", async () => {
    await put("a.txt", "two\n");
    await refreshed(0, 1);
    answer = () => ({ status: 401, body: { type: "error", error: { type: "authentication_error", message: "no" } } });
    repository.inputBox.value = "mine";
    await generate();
    assert.equal(problems.length, 1);
    assert.equal(repository.inputBox.value, "mine");
  });
});
