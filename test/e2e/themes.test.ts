/** The panel in VS Code's four kinds of theme, at its smallest width. */
import assert from "node:assert/strict";
import { seriousFindings } from "./accessibility.ts";
import { answer, changes, question, said, say } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const themes = {
  "Dark Modern": "vscode-dark",
  "Light Modern": "vscode-light",
  "Dark High Contrast": "vscode-high-contrast",
  "Light High Contrast": "vscode-high-contrast-light",
};

describe("themes", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({ width: 700 });
    window.plays(
      [
        { thinking: "The table has the rates." },
        {
          text: "I look at the `rates`:\n\n```js\nconst rate = 0.15; // for all\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        },
        { call: { name: "read", input: { file_path: "src/discount.js" } } },
        { call: { name: "bash", input: { command: "false" } } },
        { call: { name: "edit", input: { file_path: "src/discount.js", old_string: "0.15", new_string: "0.2" } } },
      ],
      [
        { text: "Next." },
        { call: { name: "write", input: { file_path: "new.js", content: "export const a = 1;\n" } } },
      ],
    );
    const panel = await window.panel();
    await say(panel, "raise the discount");
    await answer(panel, "Allow once", /command/);
    await answer(panel, "Allow once", /Edit/);
    await said(panel, "Next.");
    await question(panel, /new\.js/);
    await changes(panel, "1 change").waitFor();
  });
  after(() => window?.close());

  for (const [theme, kind] of Object.entries(themes)) {
    it(`no serious axe findings, and nothing overflows: ${theme}`, async () => {
      await window.theme(theme);
      const panel = await window.panel();
      await panel.locator(`body.${kind}`).waitFor();
      assert.deepEqual(await seriousFindings(panel), []);
      const sticksOut = await panel.evaluate(() =>
        [...document.querySelectorAll("button, textarea, [role=alertdialog], [role=log] > *")]
          .filter((each) => each.getBoundingClientRect().right > innerWidth)
          .map((each) => each.outerHTML.slice(0, 200)),
      );
      assert.deepEqual(sticksOut, []);
    });
  }

  it("axe checks the inside of the panel: it finds a button without a name there", async () => {
    const panel = await window.panel();
    await panel.evaluate(() => document.querySelector("[role=log]")?.append(document.createElement("button")));
    assert.match((await seriousFindings(panel)).join(), /button-name/);
  });
});
