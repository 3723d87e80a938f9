/** README pictures from a real VS Code: `node test/e2e/shots.mjs` writes media/question.png and media/panel.png. */
import path from "node:path";
import process from "node:process";
import { root } from "../../scripts/version.mjs";
import { makeVSIX } from "../../scripts/vsix.mjs";
import { question, say, status } from "./panel-actions.ts";
import { openWindow } from "./window.ts";

const wrong =
  "  let sum = 0;\n  for (const line of cart) {\n    sum += Math.round(line.cents * line.quantity * (1 - rate));\n  }\n  return sum;";
const right = "  return Math.round(subtotal(cart) * (1 - rate));";

process.env["RONDO_VSIX"] = await makeVSIX();
const window = await openWindow({
  settings: {
    "workbench.colorTheme": "Default Dark Modern",
    "window.title": "cart.js - corner-shop",
    "window.commandCenter": false,
    "editor.minimap.enabled": false,
  },
});
const shoot = (/** @type {string} */ name) => window.page.screenshot({ path: path.join(root, "media", name) });
try {
  window.titles("Fix the rounding in cart totals");
  window.plays(
    [
      { text: "I look at the test and the code it tests." },
      { call: { name: "read", input: { file_path: "test/cart.test.js" } } },
      { call: { name: "read", input: { file_path: "src/cart.js" } } },
    ],
    [
      {
        text: "`total()` rounds the price of each line, so the errors add up. The discount belongs to the subtotal, and one rounding at the end is enough.",
      },
      { call: { name: "edit", input: { file_path: "src/cart.js", old_string: wrong, new_string: right } } },
    ],
    [{ text: "Now the tests." }, { call: { name: "bash", input: { command: "npm test" } } }],
    [
      {
        text: "All **10 tests** pass: `total()` now rounds once, at the end.\n\nThe changed lines wait for your review in the editor.",
      },
    ],
  );
  await window.page.setViewportSize({ width: 1200, height: 760 });
  await window.command("View: Close Primary Side Bar");
  await window.open("src/cart.js");
  await widenPanel();
  const panel = await window.panel();
  await say(panel, "The test of cart totals fails. Find out why and fix it.");
  const edit = await question(panel, /Edit/);
  await shoot("question.png");
  await edit.getByRole("button", { name: "Allow once" }).click();
  await (await question(panel, /command/)).getByRole("button", { name: "Allow once" }).click();
  await status(panel, /Done/);
  await window.page.keyboard.press("Alt+F5");
  await window.page.locator(".codelens-decoration a", { hasText: "Accept" }).first().waitFor();
  await shoot("panel.png");
} finally {
  await window.close();
}

/** Drags the border between the editor and the panel. */
async function widenPanel() {
  const box = await window.page.locator(".part.auxiliarybar").boundingBox();
  if (!box) throw new Error("The panel is not there.");
  const y = box.y + box.height / 2;
  await window.page.mouse.move(box.x - 2, y);
  await window.page.mouse.down();
  await window.page.mouse.move(1200 - 490, y, { steps: 5 });
  await window.page.mouse.up();
  await window.page.mouse.move(300, 400);
}
