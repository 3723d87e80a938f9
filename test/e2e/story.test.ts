/** The main job: from the empty panel to Accept, and the conversation is still there after a reload. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Answer } from "../model-server.ts";
import { answer, openWindow, say, seriousFindings, status, type Window } from "./window.ts";

const wrong =
  "  let sum = 0;\n  for (const line of cart) {\n    sum += Math.round(line.cents * line.quantity * (1 - rate));\n  }\n  return sum;";
const right = "  return Math.round(subtotal(cart) * (1 - rate));";

const script: Answer[] = [
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
];

describe("the main job, end to end", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({ script });
  });
  after(() => window?.close());

  it("begins with an empty panel in which axe finds nothing serious", async () => {
    const panel = await window.panel();
    await panel.getByRole("region", { name: "Rondo" }).waitFor();
    assert.deepEqual(await seriousFindings(window.page), []);
  });

  it("reads without a question and proposes the edit with its diff", async () => {
    const panel = await window.panel();
    await say(panel, "make the failing test pass");
    const card = panel.getByRole("alertdialog", { name: /Edit src\/cart\.js/ });
    await card.waitFor();
    const preview = card.getByRole("region", { name: "Preview" });
    assert.match(await preview.innerText(), /Math\.round\(subtotal/);
    assert.match(await status(panel).innerText(), /waiting for you/i);
    assert.equal(window.requests().length, 2, "two files were read without a question");
    assert.deepEqual(await seriousFindings(window.page), []);
  });

  it("writes after one click, and the changed lines stand in the editor", async () => {
    const panel = await window.panel();
    await answer(panel, "Allow once");
    await panel.getByRole("group", { name: /^Edited src\/cart\.js/ }).waitFor();
    assert.match(await readFile(path.join(window.folder, "src/cart.js"), "utf8"), /Math\.round\(subtotal\(cart\)/);
    const lens = window.page.locator(".codelens-decoration", { hasText: "Accept" });
    await lens.first().waitFor();
  });

  it("runs the test in a terminal after another click, and says how it ended", async () => {
    const panel = await window.panel();
    await panel.getByRole("alertdialog", { name: /Run this command/ }).waitFor();
    await answer(panel, "Allow once");
    await panel.getByText("10 passed").waitFor({ timeout: 30_000 });
    await panel.getByText("All 10 tests pass.").waitFor();
    await panel.getByRole("status").getByText(/Done/).waitFor();
    const result = window.requests().at(-1)?.raw ?? "";
    assert.match(result, /pass 10/);
  });

  it("keeps the conversation and the review over a reload of the window, and doubles nothing", async () => {
    await window.page.reload();
    const panel = await window.panel();
    await panel.getByText("All 10 tests pass.").waitFor();
    assert.equal(await panel.getByText("I look at the test and the code it tests.").count(), 1);
    assert.equal(await panel.getByRole("article", { name: "You" }).count(), 1);
    await panel.getByText("1 change in 1 file").waitFor();
    assert.equal(window.requests().length, 4, "nothing was asked again");
  });

  it("accepts the change in the editor, and the review is over", async () => {
    const panel = await window.panel();
    await panel
      .getByRole("button", { name: /cart\.js/ })
      .first()
      .click();
    await window.page
      .locator(".codelens-decoration a", { hasText: /^Accept/ })
      .first()
      .click();
    await panel.getByText("1 change in 1 file").waitFor({ state: "detached" });
    assert.match(await readFile(path.join(window.folder, "src/cart.js"), "utf8"), /Math\.round\(subtotal\(cart\)/);
  });

  it("has said nothing on the console that is an error of its own", () => {
    assert.deepEqual(window.errors, []);
  });
});
