/** Each kind of question of a session, answered by keyboard alone, and by what a screen reader says alone. */
import assert from "node:assert/strict";
import path from "node:path";
import type { Frame, Locator } from "playwright-core";
import { providers } from "../../src/providers/providers.ts";
import type { Answer } from "../model-server.ts";
import { until } from "../timing.ts";
import { question, said, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const run = (command: string) => ({ call: { name: "bash", input: { command } } });
const write = (file_path: string, content: string) => ({ call: { name: "write", input: { file_path, content } } });
const fetchPage = { call: { name: "web_fetch", input: { url: "https://example.com/prices", prompt: "The prices" } } };
const echo = { call: { name: "mcp__everything__echo", input: { message: "hello there" } } };
const look = { call: { name: "glob", input: { pattern: "*.none" } } };
const asked = {
  question: "How are prices rounded?",
  header: "Rounding",
  options: [{ label: "Half up" }, { label: "Half to even", description: "Sums stay nearer to the truth." }],
};
const ask = { call: { name: "ask_user", input: { questions: [asked] } } };

/** The steps of a turn with one question of each kind about a call; the deletion's reply reaches the budget. */
const steps = (command: string, file: string): Answer[] => [
  [run(command)],
  [ask],
  [write(file, "new\n")],
  [fetchPage],
  [echo],
  { blocks: [run(`rm ${file}`)], usage: { input: 20_000, output: 100 } },
  [look],
  [look],
  [look],
  [{ text: "All is answered." }],
];
const plan: Answer[] = [[{ text: "1. Raise the rate." }], [{ text: "It is built." }]];

/** Most presses of the Tab key to any control. */
const mostTabs = 60;

const root = path.join(import.meta.dirname, "../..");
const everything = path.join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");

describe("everybody answers the questions of a session", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({
      width: 900,
      settings: {
        "rondo.mcpServers": { everything: { command: process.execPath, args: [everything, "stdio"] } },
        "rondo.prices": { [providers.anthropic.defaultModel ?? ""]: { input: 100, output: 100 } },
        "rondo.maxBudgetUsd": 1,
      },
    });
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

  /** Returns what has the focus, once something has it. */
  async function settled(panel: Frame, dropped: string): Promise<string> {
    // Where its control goes, the focus is given to the nearest one with the frames after that.
    const kept = () => panel.waitForFunction(() => !document.hasFocus() || document.activeElement !== document.body);
    await kept().catch(() => assert.fail(dropped));
    return await focused(panel);
  }

  async function keys(panel: Frame, ...pressed: string[]): Promise<void> {
    for (const key of pressed) {
      await window.page.keyboard.press(key);
      await settled(panel, `${key} drops the focus`);
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

  it("by keyboard alone: each kind of question, and the focus stays where it was", async () => {
    const { page } = window;
    const panel = await window.panel();
    /** The message box, or the next question, which takes the focus from a message box that is not in use. */
    const boxOrNext = /^(textarea|alertdialog) /;
    const answered = async (card: Locator, place: RegExp) => {
      await card.waitFor({ state: "detached" });
      let at = await settled(panel, "the answer drops the focus");
      // It may go on, from the control beside one that is gone to the message box that gets its text.
      await until(async () => {
        at = await focused(panel);
        return place.test(at);
      }).catch(() => assert.match(at, place));
    };
    await window.open("README.md");
    await page.locator(".monaco-editor.focused").waitFor();
    await page.keyboard.press("Control+Alt+J");
    await panel.waitForFunction(() => document.hasFocus() && document.activeElement?.tagName === "TEXTAREA");
    window.plays(...steps("echo one > one.txt", "two.txt"));
    await page.keyboard.type("do many things");
    await keys(panel, "Enter");

    // From the message box.
    const command = await question(panel, /Run this command/);
    await keys(panel, "Control+Enter");
    await answered(command, boxOrNext);

    const choices = await question(panel, /How are prices rounded/);
    await goTo(panel, /^radio /);
    await keys(panel, "ArrowDown", "Enter");
    await answered(choices, boxOrNext);

    // From the log.
    const edit = await question(panel, /two\.txt/);
    await goTo(panel, /^log Conversation/);
    await keys(panel, "Control+Enter");
    await answered(edit, /^log Conversation/);

    // Words in the field deny.
    const webPage = await question(panel, /^Fetch/);
    await goTo(panel, /Tell Rondo what to do instead/);
    await page.keyboard.type("Not that page.");
    await keys(panel, "Enter");
    await answered(webPage, boxOrNext);

    // By its button.
    const mcp = await question(panel, /echo/);
    await goTo(panel, /^button Allow once/);
    await keys(panel, "Enter");
    await answered(mcp, boxOrNext);

    // From the card.
    const budget = await question(panel, /has cost/);
    await goTo(panel, /^radio /);
    await keys(panel, "ArrowRight", "Control+Enter");
    await answered(budget, boxOrNext);

    // From the header.
    const deletion = await question(panel, /Run this command/);
    await goTo(panel, /^button Sessions/);
    await keys(panel, "Control+Enter");
    await answered(deletion, /^button Sessions/);

    const loop = await question(panel, /repeats itself/);
    await goTo(panel, /^textarea Say what Rondo misses/);
    await page.keyboard.type("There are none.");
    await keys(panel, "Enter");
    await answered(loop, /^textarea Message/);
    await said(panel, "All is answered.");
    await status(panel, /Done/);

    assert.equal(await window.read("one.txt"), "one\n");
    await assert.rejects(window.read("two.txt"), "it was written and deleted");
    const told = window.requests.at(-1)?.raw ?? "";
    for (const words of ["Half to even", "Not that page.", "Echo: hello there", "There are none."])
      assert.ok(told.includes(words), words);

    window.plays(...plan);
    await goTo(panel, /^button Mode: /);
    await keys(panel, "Enter", "3");
    await panel.getByRole("button", { name: "Mode: Plan" }).waitFor();
    await goTo(panel, /^textarea Message/);
    await page.keyboard.type("plan it");
    await keys(panel, "Enter");
    const ready = await question(panel, /The plan is ready/);
    await keys(panel, "Control+Enter");
    await answered(ready, /^textarea Message/);
    await said(panel, "It is built.");
    await status(panel, /Done/);

    await goTo(panel, /^button Restore to here/);
    await keys(panel, "Enter");
    const restore = panel.getByRole("dialog", { name: /^Restore to/ });
    await restore.getByRole("button", { name: /^Restore the conversation|^Restore \d/ }).waitFor();
    await keys(panel, "Control+Enter");
    await panel.getByRole("group", { name: "Restored" }).waitFor();
    await answered(restore, /^textarea Message/);
  });

  it("by names alone: each question is spoken, described, and answered by what a screen reader finds", async () => {
    const panel = await window.newSession();
    const spoken = async (words: string | RegExp) => {
      await panel.locator("[aria-live=polite]").filter({ hasText: words }).waitFor({ state: "attached" });
    };
    const press = (name: string | RegExp) => panel.getByRole("button", { name }).click();
    const fill = (name: string, words: string) => panel.getByRole("textbox", { name }).fill(words);
    window.plays(...steps("rm -r src && echo six > six.txt", "seven.txt"));
    await panel.getByRole("main").getByRole("textbox", { name: "Message" }).fill("do many things");
    await press("Send");

    const command = await question(panel, /Run this command/);
    await spoken(/Run this command\?.*rm -r src/);
    assert.match(await command.ariaSnapshot(), /rm -r src[\s\S]*button "Delete once"[\s\S]*button "Deny"/);
    await fill("Tell Rondo what to do instead", "Leave src.");
    await press(/^Deny/);

    await question(panel, /How are prices rounded/);
    await spoken("How are prices rounded?");
    const choice = panel.getByRole("radio", { name: "Half to even", exact: true });
    assert.equal(
      await choice.evaluate((one) =>
        document.getElementById(one.getAttribute("aria-describedby") ?? "")?.textContent?.trim(),
      ),
      "Sums stay nearer to the truth.",
    );
    await choice.check();
    await press("Answer");

    await question(panel, /seven\.txt/);
    await spoken(/seven\.txt/);
    await press("Allow once");

    const webPage = await question(panel, /^Fetch/);
    await spoken(/Fetch https/);
    assert.match(await webPage.getByRole("region", { name: "Preview" }).innerText(), /example\.com/);
    await fill("Tell Rondo what to do instead", "Not that page.");
    await press(/^Deny/);

    const mcp = await question(panel, /echo/);
    await spoken(/echo/);
    assert.match(await mcp.getByRole("region", { name: "Preview" }).innerText(), /hello there/);
    await press("Allow once");

    await question(panel, /has cost/);
    await spoken(/has cost/);
    const further = panel.getByRole("radiogroup", { name: "Go on until" });
    await further.getByRole("radio", { name: "No limit" }).check({ force: true });
    await press("Continue");

    const deletion = await question(panel, /Run this command/);
    await spoken(/rm seven\.txt/);
    await deletion
      .getByRole("list", { name: "Why it asks" })
      .getByText(/deletes/)
      .waitFor();
    await press("Delete once");

    await question(panel, /repeats itself/);
    await spoken(/repeats itself/);
    await fill("Say what Rondo misses", "There are none.");
    await press("Send hint");
    await spoken("All is answered.");
    await status(panel, /Done/);

    await assert.rejects(window.read("seven.txt"), "it was written and deleted");
    await window.read("src/discount.js");
    const told = window.requests.at(-1)?.raw ?? "";
    for (const words of ["Leave src.", "Half to even", "Not that page.", "Echo: hello there", "There are none."])
      assert.ok(told.includes(words), words);

    window.plays(...plan);
    await press(/^Mode: /);
    await panel.getByRole("menuitemradio", { name: /^Plan/ }).click();
    await panel.getByRole("button", { name: "Mode: Plan" }).waitFor();
    await fill("Message", "plan it");
    await press("Send");
    await question(panel, /The plan is ready/);
    await spoken(/The plan is ready/);
    await press("Start building");
    await spoken("It is built.");
    await status(panel, /Done/);

    await panel.getByRole("button", { name: "Restore to here…" }).first().focus();
    await panel.getByRole("button", { name: "Restore to here…" }).first().click();
    const restore = panel.getByRole("dialog", { name: /^Restore to/ });
    await restore.getByRole("radio", { name: "Conversation only" }).check({ force: true });
    await restore.getByRole("button", { name: "Restore the conversation" }).click();
    await panel.getByRole("group", { name: "Restored" }).waitFor();
    await settled(panel, "the restore drops the focus");
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
