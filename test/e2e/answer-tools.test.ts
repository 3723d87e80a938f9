/** What can be done with an answer: copied, forked, given again by another model, and followed to the places it names. */
import assert from "node:assert/strict";
import { until } from "../timing.ts";
import { answer, message, openSession, press, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const lines = Array.from({ length: 40 }, (_, at) => `export const value${at + 1} = ${at + 1};\n`).join("");
const haiku = { id: "claude-haiku-5-5", name: "Claude Haiku 5.5" };
const written =
  "Written. The **rate** is in `src/a.ts:25`; old/none.ts:3 is gone. So are src/a.ts:10-12 and [these](src/a.ts#L38-L90).";

describe("the tools of an answer", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({
      files: { "src/a.ts": lines },
      settings: { "rondo.permission.mode": "acceptEdits" },
    });
  });
  after(() => window?.close());

  /** The status bar tells the place of the cursor and how many characters are selected. */
  const selected = async (line: number, lines: string[]) => {
    const text = lines.join("\n");
    const place = `Ln ${line}, Col ${(lines.at(-1) ?? "").length + 1} (${text.length} selected)`;
    await window.page.locator("#status\\.editor\\.selection", { hasText: place }).waitFor();
  };
  const cursorAt = (line: number) =>
    window.page.locator("#status\\.editor\\.selection", { hasText: `Ln ${line},` }).waitFor();

  it("copies what the model has written", async () => {
    window.plays(
      [
        { text: "I write the notes." },
        { call: { name: "write", input: { file_path: "notes.txt", content: "first\n" } } },
        { call: { name: "bash", input: { command: "echo src/a.ts:30:5: error: wrong" } } },
      ],
      [{ text: written }],
    );
    const panel = await window.panel();
    await say(panel, "write notes");
    await answer(panel, "Allow once", /Run this command/);
    await said(panel, "Written.");
    await status(panel, /Done/);
    await press(panel, "Copy answer");
    const copied = () => window.page.evaluate(() => navigator.clipboard.readText());
    await until(async () => (await copied()).includes("Written."));
    assert.equal(await copied(), `I write the notes.\n\n${written}`);
  });

  it("opens the places that the answer and an output name", async () => {
    const panel = await window.panel();
    await panel.getByRole("link", { name: "src/a.ts:25" }).click();
    await window.page.locator(".tab.active", { hasText: "a.ts" }).waitFor();
    await cursorAt(25);
    await panel.locator("summary", { hasText: "echo src/a.ts" }).click();
    await panel.getByRole("link", { name: "src/a.ts:30:5" }).click();
    await cursorAt(30);
  });

  it("selects the lines of a range, as far as the file has them", async () => {
    const panel = await window.panel();
    await panel.getByRole("link", { name: "src/a.ts:10-12" }).click();
    await selected(12, ["export const value10 = 10;", "export const value11 = 11;", "export const value12 = 12;"]);
    await panel.getByRole("link", { name: "these" }).click();
    await selected(41, ["export const value38 = 38;", "export const value39 = 39;", "export const value40 = 40;", ""]);
  });

  it("strikes a place that is gone, and says so", async () => {
    const panel = await window.panel();
    const gone = panel.getByRole("link", { name: "old/none.ts:3" });
    await panel.locator("[title='There is no file old/none.ts']").waitFor();
    assert.equal(await gone.evaluate((link) => getComputedStyle(link).textDecorationLine), "line-through");
    assert.equal(await panel.locator("[data-href='src/a.ts:25'].gone").count(), 0);
    await gone.click();
    await panel.getByText("The file old/none.ts does not exist any more.").waitFor();
  });

  it("forks after the answer: the fork knows it, and the session stays as it is", async () => {
    const panel = await window.panel();
    await press(panel, "Fork after this answer");
    await panel.getByRole("heading", { name: "write notes (fork)", exact: true }).waitFor();
    await said(panel, "Written.");
    assert.equal(await message(panel).inputValue(), "");
    window.plays([{ text: "In the fork." }]);
    await say(panel, "and now?");
    await said(panel, "In the fork.");
    await status(panel, /Done/);
    assert.ok(window.requests.at(-1)?.raw.includes("old/none.ts:3 is gone"), "the model is told the answer");
    await openSession(panel, "write notes");
    await said(panel, "Written.");
    assert.equal(await panel.getByRole("log").getByText("In the fork.").count(), 0);
  });

  it("answers again with another model, with the files as before", async () => {
    const panel = await window.panel();
    assert.equal(await window.read("notes.txt"), "first\n");
    window.plays();
    window.playsAs(haiku.id, [{ text: "Another answer." }]);
    await press(panel, "Answer again…");
    const dialog = panel.getByRole("dialog", { name: "Answer again?" });
    await dialog.getByText("1 file has changed since your message.").waitFor();
    assert.ok(await dialog.getByRole("radio", { name: "Put the files back first" }).isChecked());
    await dialog.getByRole("button", { name: /^Model: / }).click();
    // The list of the test's server is empty: the ID is typed.
    await panel.getByRole("menuitem", { name: "Another model…" }).click();
    await panel.getByRole("combobox", { name: "Search models" }).fill(haiku.id);
    await panel
      .getByRole("option", { name: new RegExp(haiku.id) })
      .first()
      .click();
    await dialog.getByRole("button", { name: `Model: ${haiku.name}` }).waitFor();
    await dialog.getByRole("button", { name: /^Answer again/ }).click();
    await said(panel, "Another answer.");
    await status(panel, /Done/);
    await assert.rejects(window.read("notes.txt"), "the file that the first answer made is gone");
    assert.equal(await panel.getByRole("log").getByText("Written.").count(), 0);
    assert.equal(await panel.getByRole("article", { name: "You" }).count(), 1);
    const asked = window.requests.at(-1);
    assert.equal(asked?.body["model"], haiku.id);
    const raw = asked?.raw ?? "";
    assert.ok(raw.includes("write notes") && !raw.includes("Written."));
    await panel.getByRole("button", { name: `Model: ${haiku.name}` }).waitFor();
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
