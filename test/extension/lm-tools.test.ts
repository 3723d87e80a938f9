import assert from "node:assert/strict";
import * as vscode from "vscode";
import { vscodeTools } from "../../src/extension/host/vscode-tools.ts";
import { planOf, refusalOf } from "../tools/context.ts";

describe("VS Code tools", () => {
  before(() => vscode.extensions.getExtension("rondo-test.lm-extension")?.activate());

  const toolNamed = (name: string) => {
    const [tool] = vscodeTools(() => [name]).tools();
    assert.ok(tool);
    return tool;
  };

  it("T11 are offered only when the user names them, and stay the same objects", () => {
    assert.deepEqual(vscodeTools(() => []).tools(), []);
    assert.deepEqual(vscodeTools(() => ["no_such_tool"]).tools(), []);
    const outside = vscodeTools(() => ["test_wait", "test_echo"]);
    const tools = outside.tools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["vscode__test_echo", "vscode__test_wait"],
    );
    assert.ok(outside.tools().every((tool, at) => tool === tools[at]));
    const all = vscodeTools(() => ["*"]).tools();
    assert.ok(all.length >= 3);
    for (const { name, schema } of all) {
      assert.match(name, /^vscode__[\w-]{1,56}$/);
      assert.equal(schema["type"], "object");
    }
  });

  it("T11 run after they are allowed, with their input", async () => {
    const echo = toolNamed("test_echo");
    assert.equal(echo.description, "Says again what it is told.");
    assert.deepEqual(echo.schema["required"], ["text"]);
    const plan = await planOf(echo, { text: "hello" });
    assert.deepEqual(
      plan.requires.map(({ permission, pattern, suggestedRule }) => [permission, pattern, suggestedRule]),
      [["vscode__test_echo", '{"text":"hello"}', "*"]],
    );
    assert.deepEqual([echo.sideEffect, plan.writes], ["network", "unknown"]);
    assert.equal((await plan.run(() => {})).output, "You said: hello");
  });

  it("T11 fail with a message for the model", async () => {
    const plan = await planOf(toolNamed("test_fail"), {});
    assert.match(await refusalOf(() => plan.run(() => {})), /test_fail failed: .*no luck/);
  });

  it("T11 stop with the turn", async () => {
    const stop = new AbortController();
    const plan = await planOf(toolNamed("test_wait"), {}, { signal: stop.signal });
    const result = plan.run(() => {});
    setTimeout(() => stop.abort(new Error("stopped")), 100);
    const { output } = await result.catch((error: Error) => ({ output: error.message }));
    assert.equal(output, "stopped");
  });
});
