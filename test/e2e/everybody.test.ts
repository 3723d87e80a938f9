/** The questions of a session, answered by keyboard alone, and by what a screen reader says alone. */
import assert from "node:assert/strict";
import type { Frame } from "playwright-core";
import { question, said, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const run = (command: string) => ({ call: { name: "bash", input: { command } } });
const write = (file_path: string, content: string) => ({ call: { name: "write", input: { file_path, content } } });
const asked = {
  question: "How are prices rounded?",
  header: "Rounding",
  options: [{ label: "Half up" }, { label: "Half to even", description: "Sums stay nearer to the truth." }],
};
const ask = { call: { name: "ask_user", input: { questions: [asked] } } };

/** Most presses of the Tab key to any control. */
const mostTabs = 60;

describe("everybody answers the questions of a session", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({ width: 900 });
  });
  after(() => window?.close());

  /** Returns the role and name of what has the focus in the panel; empty if it is the page's body. */
  const focused = (panel: Frame) =>
    panel.evaluate(() => {
      const active = document.activeElement;
      if (!document.hasFocus()) return "VS Code";
      if (!active || active === document.body) return "";
      const label = active.getAttribute("aria-label") ?? active.getAttribute("aria-labelledby");
      const words = (label && document.getElementById(label)?.textContent) || label || active.textContent || "";
      return `${active.getAttribute("role") ?? active.getAttribute("type") ?? active.tagName.toLowerCase()} ${words.trim()}`;
    });

  async function keys(panel: Frame, ...pressed: string[]): Promise<void> {
    for (const key of pressed) {
      await window.page.keyboard.press(key);
      assert.notEqual(await focused(panel), "", `${key} drops the focus`);
    }
  }

  /** Goes back by Shift+Tab until a control has the focus; on from the first control, if that leaves the panel. */
  async function goTo(panel: Frame, control: RegExp): Promise<void> {
    const passed: string[] = [];
    let key = "Shift+Tab";
    for (let tabs = 0; tabs < mostTabs; tabs++) {
      const at = await focused(panel);
      if (control.test(at)) return;
      passed.push(at);
      if (at === "VS Code") key = "Tab";
      await keys(panel, key);
    }
    assert.fail(`${control} is not reached: ${passed.join(" · ")}`);
  }

  it("by keyboard alone: from the editor to the last answer, and the focus never falls to the page", async () => {
    const { page } = window;
    const panel = await window.panel();
    await window.open("README.md");
    window.plays(
      [run("echo one > one.txt")],
      [ask],
      [write("two.txt", "two\n")],
      [run("echo three > three.txt")],
      [write("four.txt", "four\n")],
      [{ text: "All is answered." }],
    );
    await page.keyboard.press("Control+Alt+J");
    await panel.waitForFunction(() => document.hasFocus() && document.activeElement?.tagName === "TEXTAREA");
    await page.keyboard.type("do five things");
    await keys(panel, "Enter");

    // From the composer, which was just used and keeps the focus.
    await question(panel, /Run this command/);
    await keys(panel, "Control+Enter");

    await question(panel, /How are prices rounded/);
    await goTo(panel, /^radio /);
    await keys(panel, "ArrowDown", "Enter");

    // From the log.
    await question(panel, /two\.txt/);
    await goTo(panel, /^log Conversation/);
    await keys(panel, "ArrowUp", "Control+Enter");

    // Words in the field deny.
    await question(panel, /Run this command/);
    await goTo(panel, /Tell Rondo what to do instead/);
    await page.keyboard.type("Not three.");
    await keys(panel, "Enter");

    // By its button.
    await question(panel, /four\.txt/);
    await goTo(panel, /^button Allow once/);
    await keys(panel, "Enter");
    await said(panel, "All is answered.");
    await status(panel, /Done/);
    assert.notEqual(await focused(panel), "");

    assert.deepEqual([await window.read("one.txt"), await window.read("two.txt")], ["one\n", "two\n"]);
    assert.equal(await window.read("four.txt"), "four\n");
    await assert.rejects(window.read("three.txt"));
    const told = window.requests.at(-1)?.raw ?? "";
    assert.ok(told.includes("Not three.") && told.includes("Half to even"), told.slice(-2000));
  });

  it("Escape denies from anywhere, and the focus stays", async () => {
    const panel = await window.newSession();
    window.plays([run("echo five > five.txt")]);
    await panel.getByRole("textbox", { name: "Message" }).focus();
    await window.page.keyboard.type("write five");
    await keys(panel, "Enter");
    await question(panel, /Run this command/);
    await goTo(panel, /^button Sessions/);
    await keys(panel, "Escape");
    await status(panel, /you denied/);
    assert.notEqual(await focused(panel), "");
    await assert.rejects(window.read("five.txt"));
  });

  it("by names alone: each question is spoken, described, and answered by what a screen reader finds", async () => {
    const panel = await window.newSession();
    window.plays(
      [run("rm -r src && echo six > six.txt")],
      [ask],
      [write("seven.txt", "seven\n")],
      [{ text: "Everything: this, that. And more." }],
    );
    const spoken = panel.locator("[aria-live=polite]");
    await panel.getByRole("main").getByRole("textbox", { name: "Message" }).fill("do three things");
    await panel.getByRole("button", { name: "Send" }).click();

    const command = await question(panel, /Run this command/);
    await spoken.filter({ hasText: /Run this command\?.*rm -r src/ }).waitFor({ state: "attached" });
    assert.match(await command.ariaSnapshot(), /rm -r src[\s\S]*button "Delete once"[\s\S]*button "Deny"/);
    const words = panel.getByRole("textbox", { name: "Tell Rondo what to do instead" });
    await words.fill("Leave src.");
    await panel.getByRole("button", { name: /^(Deny|Send)/ }).click();

    await question(panel, /How are prices rounded/);
    await spoken.filter({ hasText: "How are prices rounded?" }).waitFor({ state: "attached" });
    const choice = panel.getByRole("radio", { name: "Half to even", exact: true });
    assert.equal(
      await choice.evaluate((one) =>
        document.getElementById(one.getAttribute("aria-describedby") ?? "")?.textContent?.trim(),
      ),
      "Sums stay nearer to the truth.",
    );
    await choice.check();
    await panel.getByRole("button", { name: "Answer" }).click();

    await question(panel, /seven\.txt/);
    await panel.getByRole("button", { name: "Allow once" }).click();
    await spoken.filter({ hasText: "Everything: this, that." }).waitFor({ state: "attached" });
    await status(panel, /Done/);
    assert.equal(await window.read("seven.txt"), "seven\n");
    await window.read("src/discount.js");
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
