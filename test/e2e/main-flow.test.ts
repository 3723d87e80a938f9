/** The main flow: from the empty panel to an accepted change, with a reload on the way. */
import assert from "node:assert/strict";
import { until } from "../timing.ts";
import { seriousFindings } from "./accessibility.ts";
import { answer, changes, question, said, say, status } from "./panel-actions.ts";
import { clickUntil, openWindow, type Window } from "./window.ts";

const wrong =
  "  let sum = 0;\n  for (const line of cart) {\n    sum += Math.round(line.cents * line.quantity * (1 - rate));\n  }\n  return sum;";
const right = "  return Math.round(subtotal(cart) * (1 - rate));";

describe("main flow", () => {
  let window: Window;
  let original: string;
  let fixed: string;

  before(async () => {
    window = await openWindow();
    original = await window.read("src/cart.js");
    fixed = original.replace(wrong, right);
    window.plays(
      [
        { text: "I look at the test and the code it tests.", pieces: 8 },
        { call: { name: "read", input: { file_path: "test/cart.test.js" } } },
        { call: { name: "read", input: { file_path: "src/cart.js" } } },
      ],
      [
        { text: "`total()` rounds too early. I round once, at the end.", pieces: 8 },
        { call: { name: "edit", input: { file_path: "src/cart.js", old_string: wrong, new_string: right } } },
      ],
      [{ text: "Now the tests." }, { call: { name: "bash", input: { command: "npm test" } } }],
      [{ text: "All **10 tests** pass." }],
    );
  });
  after(() => window?.close());

  const lens = (title: string) => window.page.locator(".codelens-decoration a", { hasText: title }).first();
  const lines = (text: string) => window.page.locator(".view-line", { hasText: text });
  /** Returns whether the editor's line with this text has its own background. */
  const isTinted = async (text: string) => {
    const line = await lines(text).first().boundingBox();
    if (!line) return false;
    const tops = await window.page
      .locator(".monaco-editor .view-overlays [class*=ced-], .monaco-editor .view-overlays .cdr")
      .evaluateAll((marks) =>
        marks
          .filter((mark) => getComputedStyle(mark).backgroundColor !== "rgba(0, 0, 0, 0)")
          .map((mark) => mark.getBoundingClientRect().top),
      );
    return tops.some((top) => Math.abs(top - line.y) < 3);
  };

  it("starts with an empty panel without serious axe findings", async () => {
    const panel = await window.panel();
    assert.ok(await panel.getByRole("region", { name: "Rondo" }).isVisible());
    assert.deepEqual(await seriousFindings(panel), []);
  });

  it("reads without asking and proposes the edit with its diff", async () => {
    const panel = await window.panel();
    await say(panel, "make the failing test pass");
    const card = await question(panel, /Edit src\/cart\.js/);
    assert.match(await card.getByRole("region", { name: "Preview" }).innerText(), /Math\.round\(subtotal/);
    await status(panel, /waiting for you/i);
    assert.equal(window.requests.length, 2, "two files were read without a question");
    assert.equal(await window.read("src/cart.js"), original, "nothing is written before the answer");
    assert.deepEqual(await seriousFindings(panel), []);
  });

  it("writes after one click, and the editor highlights the changed lines and shows the removed ones", async () => {
    const panel = await window.panel();
    await answer(panel, "Allow once", /Edit/);
    await panel.getByRole("group", { name: /^Edited src\/cart\.js/ }).waitFor();
    assert.equal(await window.read("src/cart.js"), fixed);
    await lens("Accept").waitFor();
    assert.ok(await lens("Reject").isVisible());
    assert.ok(await isTinted("return Math.round(subtotal(cart)"), "the added line is tinted");
    assert.ok(!(await isTinted("const rate = discountFor")), "the line above is not");
  });

  it("runs the test in a terminal after another click, and reports its result", async () => {
    const panel = await window.panel();
    await answer(panel, "Allow once", /Run this command/);
    await said(panel, "10 passed");
    await said(panel, "All 10 tests pass.");
    await status(panel, /Done/);
    assert.match(window.requests.at(-1)?.raw ?? "", /pass 10/);
    await window.command("Terminal: Focus Terminal");
    await window.page.locator(".xterm-rows", { hasText: "[exit code 0]" }).waitFor();
    await window.command("View: Toggle Terminal");
  });

  it("shows the removed lines at the change", async () => {
    await clickUntil(lens("lines removed"), () => lines("sum += Math.round(line.cents").first().isVisible());
    await window.page.keyboard.press("Escape");
  });

  it("keeps the conversation and the review when the window reloads, without duplicates", async () => {
    const panel = await window.reload();
    await said(panel, "All 10 tests pass.");
    assert.equal(await panel.getByRole("log").getByText("I look at the test and the code it tests.").count(), 1);
    assert.equal(await panel.getByRole("article", { name: "You" }).count(), 1);
    await changes(panel, "1 change").waitFor();
    await lens("Accept").waitFor();
    assert.equal(window.requests.length, 4, "nothing was asked again");
  });

  it("accepts the change in the editor, which ends the review", async () => {
    const panel = await window.panel();
    await clickUntil(lens("Accept"), async () => !(await changes(panel, "1 change").isVisible()));
    await lens("Accept").waitFor({ state: "detached" });
    assert.equal(await window.read("src/cart.js"), fixed);
  });

  it("accepts and rejects at the cursor by keyboard: a reject restores exactly the old text and can be undone", async () => {
    const edit = (old_string: string, new_string: string) => ({
      call: { name: "edit", input: { file_path: "src/cart.js", old_string, new_string } },
    });
    window.plays(
      [
        edit("/** A new cart without the product. */", "/** A cart without it. */"),
        edit('/** "9.05" for 905 cents. */', '/** Cents as "9.05". */\n// in dollars'),
      ],
      [{ text: "Both comments are shorter." }],
    );
    const panel = await window.panel();
    await say(panel, "shorten two comments");
    await answer(panel, "Allow once", /Edit/);
    await answer(panel, "Allow once", /Edit/);
    await changes(panel, "2 changes").waitFor();
    await said(panel, "Both comments are shorter.");
    const both = await window.read("src/cart.js");

    const { keyboard } = window.page;
    await panel.getByRole("button", { name: /^cart\.js/ }).click();
    // It opens at its first change.
    await window.page.locator(".monaco-editor.focused").waitFor();
    await lines("A cart without it.").waitFor();
    await window.offers("Rondo: Accept Change");
    await keyboard.press("Control+Alt+y");
    await changes(panel, "1 change").waitFor();
    assert.equal(await window.read("src/cart.js"), both, "accepting leaves the text as it is");

    // The focus is still in the editor, so the next keys act there.
    await keyboard.press("Alt+F5");
    await lines("// in dollars").waitFor();
    const line = both.split("\n").indexOf('/** Cents as "9.05". */') + 1;
    await window.page.locator("#status\\.editor\\.selection", { hasText: `Ln ${line},` }).waitFor();
    await keyboard.press("Control+Alt+n");
    await changes(panel, "1 change").waitFor({ state: "detached" });
    const one = fixed.replace("/** A new cart without the product. */", "/** A cart without it. */");
    // VS Code empties a file before it writes it.
    await until(async () => !["", both].includes(await window.read("src/cart.js")));
    assert.equal(await window.read("src/cart.js"), one, "only the rejected change is gone");

    await keyboard.press("Control+z");
    await lines("// in dollars").waitFor();
    await changes(panel, "1 change").waitFor();
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
