/** Lines of Rondo's that the user has changed, in a real VS Code with its real dialogs: the ways out, and taking them back. */
import assert from "node:assert/strict";
import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { until } from "../timing.ts";
import { changes, said, say } from "./panel-actions.ts";
import { clickUntil, openWindow, type Window } from "./window.ts";

const former = `${Array.from({ length: 30 }, (_, at) => `a${at + 1};`).join("\n")}\n`;
const written = former.replace("a10;\na11;\na12;\n", "b10;\nb11;\nb12;\n").replace("a20;\n", "");
const mine = written.replace("b11;", "b11; // mine");
const lensTheme = ["Dark Modern", "Light Modern", "Dark High Contrast", "Light High Contrast"];

describe("conflicts in a review", () => {
  let window: Window;

  before(async () => {
    window = await openWindow({
      settings: { "rondo.permission.mode": "acceptEdits", "files.autoSave": "off" },
      files: { "src/long.js": former },
    });
  });
  after(() => window?.close());

  const lens = (title: string) => window.page.locator(".codelens-decoration a", { hasText: title }).first();
  const lines = (text: string) => window.page.locator(".monaco-editor .view-line", { hasText: text });
  const dialog = () => window.page.locator(".monaco-dialog-box");
  const answer = async (button: string) => {
    await dialog().getByRole("button", { name: button, exact: true }).click();
    await dialog().waitFor({ state: "detached" });
  };
  const isNow = (file: string, text: string) => until(async () => (await window.read(file)) === text);
  /** Types behind the text of a line, and saves. */
  const type = async (line: string, words: string) => {
    const { keyboard } = window.page;
    await lines(line).first().click();
    await keyboard.press("End");
    await keyboard.type(words);
    await keyboard.press("Control+s");
  };
  const undo = () => window.command("Rondo: Undo Last Accept or Reject");
  /** Draws the window in each kind of theme into the folder of RONDO_SHOTS, to be looked at. */
  const shoot = async (name: string) => {
    const folder = process.env["RONDO_SHOTS"];
    if (folder === undefined) return;
    await mkdir(folder, { recursive: true });
    for (const label of lensTheme) {
      await window.theme(label);
      await window.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
      await window.page.screenshot({
        path: path.join(folder, `${name}-${label.replaceAll(" ", "-").toLowerCase()}.png`),
      });
    }
    await window.theme("Dark Modern");
  };

  it("V21 says which lines the user has changed, and keeps both versions", async () => {
    window.plays(
      [
        {
          call: {
            name: "edit",
            input: { file_path: "src/long.js", old_string: "a10;\na11;\na12;\n", new_string: "b10;\nb11;\nb12;\n" },
          },
        },
        { call: { name: "edit", input: { file_path: "src/long.js", old_string: "a20;\n", new_string: "" } } },
        { call: { name: "write", input: { file_path: "src/made.js", content: "made;\n" } } },
      ],
      [{ text: "Three changes." }],
    );
    const panel = await window.panel();
    await say(panel, "change some lines");
    await said(panel, "Three changes.");
    await panel.getByRole("button", { name: /^long\.js/ }).click();
    await type("b11;", " // mine");
    await isNow("src/long.js", mine);
    await window.page.locator(".codelens-decoration", { hasText: "You changed line 11" }).waitFor();
    await panel.getByText("You changed line 11 after Rondo did.").waitFor();
    await shoot("conflict");
    const both = mine.replace("// mine\n", "// mine\nb11;\n");
    await clickUntil(lens("Keep both"), async () => (await window.read("src/long.js")) === both);
    await changes(panel, "2 changes").waitFor();
  });

  it("V22 takes that back after a reload, with the conflict", async () => {
    const panel = await window.reload();
    await changes(panel, "2 changes").waitFor();
    await undo();
    await isNow("src/long.js", mine);
    await panel.getByText("You changed line 11 after Rondo did.").waitFor();
  });

  it("V21 asks before a reject takes the user's words, and cancels, keeps or drops them", async () => {
    const { keyboard } = window.page;
    const asked = async () => {
      await lines("b11;").first().click();
      await keyboard.press("Control+Alt+n");
      await dialog().getByText("You changed 1 line of Rondo's in src/long.js.").waitFor();
    };
    await window.open("src/long.js");
    await asked();
    await keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    assert.equal(await window.read("src/long.js"), mine);

    await asked();
    await answer("Keep Mine");
    await isNow("src/long.js", mine.replace("b10;", "a10;").replace("b12;", "a12;"));
    await undo();
    await isNow("src/long.js", mine);

    await asked();
    await answer("Reject Anyway");
    await isNow("src/long.js", former.replace("a20;\n", ""));
    await undo();
    await isNow("src/long.js", mine);
  });

  it("V22 asks before it deletes a created file with lines of the user, and brings both back after a reload", async () => {
    let panel = await window.panel();
    await panel.getByRole("button", { name: /^made\.js/ }).click();
    await type("made;", "\nmine;\n");
    const both = "made;\nmine;\n\n";
    await isNow("src/made.js", both);
    const question = /src\/made\.js has \d lines? of yours\. Delete it\?/;
    await panel.getByRole("button", { name: "Reject made.js" }).click();
    await dialog().getByText(question).waitFor();
    await answer("Keep My Lines");
    await until(async () => /^mine;\n+$/.test(await window.read("src/made.js")));
    await undo();
    await isNow("src/made.js", both);
    await panel.getByRole("button", { name: "Reject made.js" }).click();
    await dialog().getByText(question).waitFor();
    await answer("Delete the File");
    const isThere = () =>
      stat(path.join(window.folder, "src/made.js")).then(
        () => true,
        () => false,
      );
    await until(async () => !(await isThere()));
    await window.page.locator(".notification-list-item", { hasText: "Rejected and deleted src/made.js." }).waitFor();
    panel = await window.reload();
    await undo();
    await until(isThere);
    await isNow("src/made.js", both);
    await changes(panel, "3 changes").waitFor();
    assert.deepEqual(window.errors, []);
  });
});
