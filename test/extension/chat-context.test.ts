/** What VS Code knows, on its way into the chat: problems, tests, terminals, the Debug Console. */
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { DebugOutput } from "../../src/extension/editor/debug-output.ts";
import { problemActions } from "../../src/extension/editor/problem-actions.ts";
import { describeProblems } from "../../src/extension/editor/problem-prompt.ts";
import { copiedBy, copySelection } from "../../src/extension/editor/terminal-text.ts";
import { chosenTest, describeTest } from "../../src/extension/editor/test-context.ts";

describe("context of the editor", () => {
  const own: vscode.Disposable[] = [];
  afterEach(async () => {
    for (const one of own.splice(0)) one.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  describe("problems", () => {
    async function documentWithProblem(): Promise<[vscode.TextDocument, vscode.Diagnostic]> {
      const document = await vscode.workspace.openTextDocument({ content: "one\ntwo\nthree\n" });
      const problem = new vscode.Diagnostic(
        new vscode.Range(1, 0, 1, 3),
        "two is\nodd",
        vscode.DiagnosticSeverity.Error,
      );
      problem.source = "lint";
      problem.code = { value: "E7", target: vscode.Uri.parse("https://example.com") };
      const found = vscode.languages.createDiagnosticCollection("rondo-test");
      found.set(document.uri, [problem]);
      own.push(found);
      return [document, problem];
    }

    async function actionsAt(document: vscode.TextDocument, line: number): Promise<vscode.CodeAction[]> {
      const range = new vscode.Range(line, 0, line, 3);
      const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        "vscode.executeCodeActionProvider",
        document.uri,
        range,
        vscode.CodeActionKind.QuickFix.value,
      );
      return found.filter(({ title }) => title.includes("Rondo"));
    }

    it("have actions that fix and explain them, where they are and nowhere else", async () => {
      own.push(problemActions());
      const [document] = await documentWithProblem();
      const actions = await actionsAt(document, 1);
      assert.deepEqual(new Set(actions.map(({ title }) => title)), new Set(["Fix with Rondo", "Explain with Rondo"]));
      for (const { kind, command } of actions) {
        assert.equal(kind?.value, vscode.CodeActionKind.QuickFix.value);
        assert.ok(["rondo.fixProblem", "rondo.explainProblem"].includes(command?.command ?? ""));
      }
      assert.deepEqual(await actionsAt(document, 0), []);
    });

    it("are described in one line each, with their source, and not all of very many", async () => {
      const [{ uri }, problem] = await documentWithProblem();
      assert.match(describeProblems(uri, [problem]), /^\S.*:\n- line 2: two is odd \(lint E7\)$/);
      const many = describeProblems(uri, Array(25).fill(problem)).split("\n");
      assert.deepEqual(many.length, 22);
      assert.equal(many.at(-1), "- and 5 more");
    });
  });

  describe("the terminal", () => {
    it("gives its selection, and the clipboard its text back; without a selection nothing is taken", async function () {
      const { clipboard } = vscode.env;
      await clipboard.writeText("the user's own");
      // Without focus and a secure page a browser has no clipboard.
      if ((await clipboard.readText()) !== "the user's own") this.skip();
      const written = new vscode.EventEmitter<string>();
      const opened = new Promise<void>((open) => {
        const pty = { onDidWrite: written.event, open: () => open(), close() {} };
        const terminal = vscode.window.createTerminal({ name: "toy", pty });
        own.push(terminal, written);
        terminal.show(false);
      });
      await opened;
      assert.equal(await copiedBy(copySelection), undefined);
      assert.equal(await clipboard.readText(), "the user's own");
      written.fire("3 tests failed\r\n");
      let text: string | undefined;
      // VS Code renders what is written at a time of its own.
      while (!text?.includes("3 tests failed")) {
        await vscode.commands.executeCommand("workbench.action.terminal.selectAll");
        text = await copiedBy(copySelection);
      }
      assert.equal(await clipboard.readText(), "the user's own");
    });
  });

  describe("tests", () => {
    it("are described with their suite, place, message and both values", async () => {
      const extension = vscode.extensions.getExtension<{ test: vscode.TestItem }>("rondo-test.workbench-extension");
      assert.ok(extension);
      const { test } = await extension.activate();
      const file = test.uri ?? assert.fail();
      const message = vscode.TestMessage.diff(new vscode.MarkdownString("totals **differ**"), "905", "904");
      message.location = new vscode.Location(file, new vscode.Position(4, 0));
      message.stackTrace = [new vscode.TestMessageStackFrame("total", file, new vscode.Position(4, 2))];
      const chosen = chosenTest({ test, message });
      assert.ok(chosen);
      assert.equal(
        describeTest(chosen),
        "Test: cart › adds up\nAt: src/cart.js:5\nMessage:\ntotals **differ**\nExpected:\n905\nActual:\n904\nStack:\ntotal (src/cart.js:5)",
      );
      const alone = chosenTest(test);
      assert.ok(alone);
      assert.equal(describeTest(alone), "Test: cart › adds up\nAt: src/cart.js:3");
    });

    it("are taken from nothing but a test or its message", () => {
      for (const other of [undefined, null, "x", {}, { test: "x" }, vscode.Uri.file("/x")]) {
        assert.equal(chosenTest(other), undefined);
      }
    });
  });

  describe("the Debug Console", () => {
    async function debug(prints: string[], output: DebugOutput, reports: string[] = []): Promise<void> {
      await vscode.extensions.getExtension("rondo-test.workbench-extension")?.activate();
      const ended = new Promise<void>((resolve) => {
        own.push(vscode.debug.onDidTerminateDebugSession(() => resolve()));
      });
      const configuration = { type: "rondo-test", request: "launch", name: "Toy", reports, prints };
      assert.ok(await vscode.debug.startDebugging(undefined, configuration));
      const last = prints.at(-1) ?? "";
      while (!output.current?.text.endsWith(last)) await new Promise((next) => setImmediate(next));
      await vscode.debug.stopDebugging();
      await ended;
    }

    it("keeps what a session has printed after its end, without telemetry, and no more than its limit", async () => {
      const output = new DebugOutput();
      own.push(output);
      assert.deepEqual([output.current], [undefined]);
      await debug(["one\n", "two\n"], output, ["secret figures"]);
      assert.deepEqual(output.current, { name: "Toy", text: "one\ntwo\n" });
      await debug(["x".repeat(150_000), "the end"], output);
      assert.equal(output.current?.text.length, 100_000);
      assert.ok(output.current.text.endsWith("xthe end"));
    });
  });
});
