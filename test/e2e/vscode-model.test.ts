/** A window without an API key whose model comes from another extension, as with a subscription. */
import assert from "node:assert/strict";
import path from "node:path";
import { message, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

describe("with a VS Code model", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({
      key: false,
      extensions: [path.join(import.meta.dirname, "../extension/lm-extension")],
    });
  });
  after(() => window?.close());

  it("needs no key but one press, and VS Code asks for nothing before the first message", async () => {
    const panel = await window.panel();
    await panel.getByRole("button", { name: "Use Models of VS Code" }).click();
    await panel.getByRole("button", { name: "Model: Scripted" }).waitFor();
    assert.equal(await window.page.locator(".monaco-dialog-box").count(), 0);
    await say(panel, "hello");
    await said(panel, "Hello from a model of VS Code.");
    await status(panel, /Done/);
    assert.equal(await message(panel).inputValue(), "");
    assert.equal(window.requests.length, 0, "the provider with a key was not asked");
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
