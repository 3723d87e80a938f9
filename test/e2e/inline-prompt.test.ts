/** "Edit Here…" from the key to the reviewed change. */
import assert from "node:assert/strict";
import { until } from "../timing.ts";
import { heldAnswer } from "./held-answer.ts";
import { changes, choose } from "./panel-actions.ts";
import { clickUntil, openWindow, type Window } from "./window.ts";

describe("inline prompt", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({
      settings: { "rondo.permission.rules": [{ permission: "edit", pattern: "gen/**", action: "deny" }] },
      files: {
        "notes.txt": "one\ntwo\nthree\n",
        ".env": "KEY=hunter2\n",
        "gen/made.txt": "made\n",
        "AGENTS.md": "Be brief.\n",
      },
    });
  });
  after(() => window?.close());

  const lines = (text: string) => window.page.locator(".view-line", { hasText: text });
  const field = () => window.page.locator(".quick-input-widget input[type=text]");

  /** Opens the prompt at the second line of notes.txt. */
  async function openPrompt(): Promise<void> {
    await window.open("notes.txt");
    await lines("two").first().click();
    await window.page.keyboard.press("Control+k");
    await window.page.keyboard.press("Control+e");
    await window.page.locator(".quick-input-widget", { hasText: "Edit line 2 of notes.txt" }).waitFor();
  }

  it("changes the line of the cursor, takes a further wish, and is reviewed in place", async () => {
    const { page } = window;
    const original = await window.read("notes.txt");
    await openPrompt();
    // Requests without tools are answered with the title.
    window.titles("```\nsecond\n```");
    await field().fill("say it with a number");
    await field().press("Enter");
    await page.locator(".quick-input-widget", { hasText: "Ask for a further change" }).waitFor();
    await lines("second").first().waitFor();
    window.titles("number 2");
    await field().fill("shorter");
    await field().press("Enter");
    await lines("number 2").first().waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await changes(await window.panel(), "1 change").waitFor();
    await clickUntil(page.locator(".codelens-decoration a", { hasText: "Reject" }).first(), () =>
      lines("two").first().isVisible(),
    );
    await until(async () => (await window.read("notes.txt")) === original);
    assert.deepEqual(window.errors, []);
  });

  it("is stopped by Escape while the answer comes, which changes nothing", async () => {
    const { page } = window;
    const original = await window.read("notes.txt");
    await openPrompt();
    const { answer, release } = heldAnswer();
    window.answersBriefly(answer);
    await field().fill("write many words");
    await field().press("Enter");
    await lines("word9").first().waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await lines("two").first().waitFor();
    await lines("word0").first().waitFor({ state: "detached" });
    release();
    await changes(await window.panel(), "1 change").waitFor({ state: "detached" });
    assert.equal(await window.read("notes.txt"), original);
    await page.locator(".codelens-decoration a", { hasText: "Accept" }).first().waitFor({ state: "detached" });
  });

  const refused = async (file: string, sentence: string) => {
    await window.open(file);
    await window.command("Rondo: Edit Here");
    await window.page.locator(".notification-toast", { hasText: sentence }).waitFor();
    await window.command("Notifications: Clear All Notifications");
  };

  it("T8 refuses secrets, and files that a rule denies, with the reason", async () => {
    await refused(".env", ".env is not sent to the model: it may hold secrets.");
    await refused("gen/made.txt", "Rondo does not change gen/made.txt. Your rule `gen/**` denies it.");
  });

  it("T8 asks before it writes into a file that controls what an agent may do", async () => {
    const { page } = window;
    const dialog = page.locator(".monaco-dialog-box", { hasText: "Let Rondo write into AGENTS.md?" });
    await window.open("AGENTS.md");
    await window.command("Rondo: Edit Here");
    await dialog.waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await window.command("Rondo: Edit Here");
    await dialog.getByRole("button", { name: "Edit Here" }).click();
    await page.locator(".quick-input-widget", { hasText: "Edit line 1 of AGENTS.md" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  });

  it("T6 refuses in Plan mode", async () => {
    await choose(await window.panel(), "Mode", "Plan");
    await refused("notes.txt", "Rondo does not change notes.txt. The mode is Plan: nothing is changed.");
  });
});
