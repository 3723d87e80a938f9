/** Problems, terminals, tests and the Debug Console on their way into the chat, by the menus that users find. */
import assert from "node:assert/strict";
import path from "node:path";
import { press, said } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

describe("context of the editor", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({
      files: { "broken.json": '{\n  "name": \n}\n', ".env": "KEY=hunter2\n" },
      extensions: [path.join(import.meta.dirname, "../extension/workbench-extension")],
    });
  });
  after(() => window?.close());

  /** Returns the messages of the newest request. */
  const sent = () => JSON.stringify(window.requests.at(-1)?.body["messages"]);
  const attached = async (name: string) => {
    const panel = await window.panel();
    return panel.getByRole("group", { name: "Attached" }).getByText(name);
  };

  it("the lightbulb of a problem asks Rondo to fix it, with its lines", async () => {
    await window.open("broken.json");
    const { page } = window;
    await page.locator(".squiggly-error").first().waitFor();
    await page.locator(".view-line", { hasText: "}" }).last().click();
    window.plays([{ text: "A value was missing." }]);
    await page.keyboard.press("Control+.");
    await page.locator(".action-widget").getByText("Explain with Rondo").waitFor();
    await page.locator(".action-widget").getByText("Fix with Rondo").click();
    await said(await window.panel(), "A value was missing.");
    assert.match(sent(), /Fix these problems in broken\.json:\\n- line 3: Value expected/);
    assert.match(sent(), /broken\.json, lines 1–4/);
  });

  it("the terminal's selection is attached, and the clipboard stays as it was", async () => {
    const { page } = window;
    const panel = await window.newSession();
    await page.evaluate(() => navigator.clipboard.writeText("the user's own"));
    await window.command("Terminal: Focus Terminal");
    await page.locator(".terminal.xterm.focus").waitFor();
    await page.keyboard.type("echo broken $((40+2))\n");
    await page.locator(".xterm-rows", { hasText: "broken 42" }).waitFor();
    await window.command("Terminal: Select All");
    await page.locator(".xterm-screen").first().click({ button: "right" });
    await window.chooseFromMenu("Add Terminal Selection to Chat");
    await (await attached("Terminal ")).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "the user's own");
    window.plays([{ text: "It is 42." }]);
    await panel.getByRole("textbox", { name: "Message" }).fill("what broke?");
    await press(panel, "Send");
    await said(panel, "It is 42.");
    assert.match(sent(), /Terminal [^\\]*:\\n```\\n[\s\S]*broken 42/);
  });

  it("a failed test is sent with its message and both values", async () => {
    const { page } = window;
    await window.newSession();
    await window.command("Testing: Focus on Test Explorer View");
    const rows = page.locator(".test-explorer .monaco-list-row");
    await rows.filter({ hasText: "cart" }).first().click();
    await page.keyboard.press("ArrowRight");
    await window.command("Test: Run All Tests");
    await window.command("Test Results: Focus on Test Results View");
    const message = page.locator(".test-output-peek-tree .monaco-list-row", { hasText: "totals differ" });
    await message.first().click();
    window.plays([{ text: "The test is right." }]);
    await page
      .locator(".test-output-peek-message-container, .test-output-peek")
      .getByText("Fix Test with Rondo")
      .click();
    const panel = await window.panel();
    await said(panel, "The test is right.");
    assert.match(
      sent(),
      /Test: cart › adds up\\nAt: src\/cart\.js:5\\nMessage:\\ntotals differ\\nExpected:\\n905\\nActual:\\n904/,
    );
    await rows.filter({ hasText: "adds up" }).click({ button: "right" });
    await window.chooseFromMenu("Add Test to Chat");
    await (await attached("Test cart › adds up")).waitFor();
    assert.match(sent(), /Make the test \\"cart › adds up\\" pass/);
  });

  it("what a debugged program printed is attached from the Debug Console", async () => {
    const { page } = window;
    await window.newSession();
    await window.command("Rondo test: Debug a Program That Prints");
    await window.command("Debug Console: Focus on Debug Console View");
    await page.locator(".repl", { hasText: "the cart is empty" }).waitFor();
    await page.getByRole("button", { name: "Add Debug Console Output to Chat" }).click();
    const panel = await window.panel();
    await (await attached("Debug Console Toy program")).waitFor();
    window.plays([{ text: "It has no lines." }]);
    await panel.getByRole("textbox", { name: "Message" }).fill("why?");
    await press(panel, "Send");
    await said(panel, "It has no lines.");
    assert.match(sent(), /Debug Console Toy program:\\n```\\nthe cart is empty\\n/, "without colours");
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
