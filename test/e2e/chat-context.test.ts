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

  /** Types the beginning of a name, waits for the row with these words, and takes it. */
  async function mention(typed: string, words: RegExp): Promise<void> {
    const panel = await window.panel();
    const field = panel.getByRole("textbox", { name: "Message" });
    await field.pressSequentially(typed);
    const row = panel.getByRole("listbox", { name: "Mentions" }).getByRole("option", { name: words });
    await row.waitFor();
    // A row that was moved to stays chosen, whatever the search finds meanwhile.
    do await field.press("ArrowDown");
    while ((await row.getAttribute("aria-selected")) !== "true");
    await field.press("Enter");
  }

  it("V14 problems of the workspace are attached, and sent", async () => {
    const panel = await window.newSession();
    await window.open("broken.json");
    await window.page.locator(".squiggly-error").first().waitFor();
    await mention("what is wrong? @prob", /^Problems 1 error in 1 file$/);
    await (await attached("Problems")).waitFor();
    window.plays([{ text: "A value is missing." }]);
    const field = panel.getByRole("textbox", { name: "Message" });
    assert.equal(await field.inputValue(), "what is wrong? ");
    await field.press("Enter");
    await said(panel, "A value is missing.");
    assert.match(sent(), /Problems:\\n```\\n1 error in 1 file\\n\\nbroken\.json:\\n- line 3: Value expected/);
    assert.match(sent(), /what is wrong\?/);
  });

  it("V14 the last command of the terminal is attached, and the clipboard stays as it was", async () => {
    const { page } = window;
    const panel = await window.newSession();
    await page.evaluate(() => navigator.clipboard.writeText("the user's own"));
    await window.command("Terminal: Focus Terminal");
    await page.locator(".terminal.xterm.focus").waitFor();
    await page.keyboard.type("echo rotten $((60+6)); (exit 4)\n");
    await page.locator(".xterm-rows", { hasText: "rotten 66" }).waitFor();
    // The shell tells the end of a command at a time of its own; the list asks when it opens.
    const field = panel.getByRole("textbox", { name: "Message" });
    const row = panel.getByRole("option", { name: /^Terminal echo rotten .*, exit 4$/ });
    while (!(await row.isVisible())) {
      await field.fill("");
      await field.pressSequentially("@term");
    }
    await row.click();
    await (await attached("Terminal ")).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "the user's own");
    window.plays([{ text: "It is 66." }]);
    await field.pressSequentially("how many?");
    await press(panel, "Send");
    await said(panel, "It is 66.");
    assert.match(sent(), /Terminal [^\\]*:\\n```\\n[\s\S]*rotten 66/);
  });

  it("V14 the failed tests and the output of the Debug Console are attached together", async () => {
    const panel = await window.newSession();
    await mention("@test", /^Failed tests 1 failed test$/);
    await (await attached("Failed tests")).waitFor();
    await mention("@deb", /^Debug output Toy program, 1 line$/);
    await (await attached("Debug Console Toy program")).waitFor();
    window.plays([{ text: "The total is off by one." }]);
    await panel.getByRole("textbox", { name: "Message" }).fill("why?");
    await press(panel, "Send");
    await said(panel, "The total is off by one.");
    assert.match(
      sent(),
      /Failed tests:\\n[\s\S]*905[\s\S]*904[\s\S]*Debug Console Toy program:\\n```\\nthe cart is empty/,
    );
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
