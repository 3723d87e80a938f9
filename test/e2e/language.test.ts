/** A VS Code in German: its extension host gets Rondo's texts, and so do the manifest, the panel and the first page. */
import assert from "node:assert/strict";
import { openWindow, type Window } from "./window.ts";

describe("VS Code in German", () => {
  let window: Window;
  before(async () => {
    window = await openWindow();
    // A language pack sets it together with VS Code's own texts, which this server lacks:
    // https://github.com/microsoft/vscode/blob/main/src/vs/nls.ts (`getNLSLanguage`).
    await window.page.addInitScript(() => Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: "de" }));
    await window.reload();
  });
  after(() => window?.close());

  it("shows the panel, what it asks, and what was recorded, in German", async () => {
    window.plays(
      [{ call: { name: "bash", input: { command: "rm -rf build-output" } } }],
      [{ text: "Nothing was deleted." }],
    );
    const panel = await window.panel();
    assert.equal(await panel.locator("html").getAttribute("lang"), "de");
    await panel.getByRole("heading", { level: 1, name: "Neue Sitzung" }).waitFor();
    const box = panel.getByRole("textbox", { name: "Nachricht" });
    assert.equal(await box.getAttribute("placeholder"), "Frage oder Aufgabe eingeben");
    await box.fill("Clean up");
    await box.press("Enter");
    const card = panel.getByRole("alertdialog");
    // It ignores presses of its first moment.
    await card.locator("button[aria-disabled=false]", { hasText: "Ablehnen" }).waitFor();
    await card.getByRole("button", { name: /^Einmal (zulassen|löschen)/ }).waitFor();
    const words = panel.getByRole("textbox", { name: "Sagen Sie Rondo, was es stattdessen tun soll" });
    await words.fill("No.");
    await words.press("Escape");
    await panel.getByRole("log").getByText("Nothing was deleted.").waitFor();
    // What the model reads stays English.
    const told = JSON.stringify(window.requests.at(-1)?.body);
    assert.match(told, /The user refused this call and says: No\./);
    assert.doesNotMatch(told, /Sie haben dies abgelehnt/);
  });

  it("offers commands by their German names", async () => {
    await window.offers("Rondo: Neue Sitzung");
    await window.offers("Rondo: Modell auswählen…");
  });
});
