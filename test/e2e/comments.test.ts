/** Comments on lines and on changes: written in the editor, sent to the model, answered in the thread; and told rejects. */
import assert from "node:assert/strict";
import { until } from "../timing.ts";
import { answer, choose, press, question, said, say, status } from "./panel-actions.ts";
import { clickUntil, openWindow, type Window } from "./window.ts";

const edit = (old_string: string, new_string: string) => ({
  call: { name: "edit", input: { file_path: "src/discount.js", old_string, new_string } },
});

describe("comments in the editor", () => {
  let window: Window;
  before(async () => {
    window = await openWindow();
  });
  after(() => window?.close());

  const thread = () => window.page.locator(".review-widget").last();
  const box = () => thread().locator(".comment-form .monaco-editor");
  const lens = (title: string) => window.page.locator(".codelens-decoration a", { hasText: title }).first();
  const raw = () => window.requests.at(-1)?.raw ?? "";

  async function write(words: string): Promise<void> {
    await box().click();
    await window.page.keyboard.type(words);
  }

  it("V2 Comment above a change opens a box; Send Now sends place, lines and change; the answer stands in the thread", async () => {
    const panel = await window.panel();
    window.plays([edit("rate: 0.15", "rate: 0.2")], [{ text: "The rate is raised." }]);
    await say(panel, "raise the discount");
    await answer(panel, "Allow once", /Edit/);
    await said(panel, "The rate is raised.");
    await window.open("src/discount.js");
    await clickUntil(lens("Comment"), () => box().isVisible());
    await write("Only a little, please.");
    window.plays([edit("rate: 0.2", "rate: 0.16")], [{ text: "It is **0.16** now." }]);
    await thread()
      .getByRole("button", { name: /^Send Now/ })
      .click();
    await answer(panel, "Allow once", /Edit/);
    await thread().getByText("0.16").waitFor();
    await thread().getByText("Only a little, please.").waitFor();
    assert.match(raw(), /Comment 1 on src\/discount\.js, line \d+\. What stands there now:.*rate: 0\.2/);
    assert.match(raw(), /part of this change of yours, at line \d+.*- .*rate: 0\.15.*\+ .*rate: 0\.2/);
    assert.match(raw(), /The user writes:\\n\\nOnly a little, please\./);
    assert.match(await window.read("src/discount.js"), /rate: 0\.16/);
    const own = panel.getByRole("article", { name: "You" }).last();
    await own.getByRole("button", { name: /^src\/discount\.js, line/ }).waitFor();
    assert.doesNotMatch(await own.innerText(), /What stands there|The user writes/);
  });

  it("V2 comments on any line wait in the panel, and go out with the next message; each has its answer", async () => {
    const panel = await window.panel();
    await window.open("src/cart.js");
    await window.page.keyboard.press("Control+Home");
    await window.command("Comments: Add Comment on Current Selection");
    await write("Who uses this?");
    await thread().getByRole("button", { name: "Send with the Review" }).click();
    const waiting = panel.getByRole("group", { name: /^Comments that are sent/ });
    await waiting.getByRole("button", { name: "Comment on src/cart.js, line 1", exact: true }).waitFor();
    assert.equal(window.requests.length, 4, "nothing was sent yet");
    window.plays([{ text: "Comment 2: Nobody does." }]);
    await say(panel, "and look at this");
    await thread().getByText("Nobody does.").waitFor();
    await waiting.waitFor({ state: "detached" });
    assert.match(raw(), /and look at this.*Comment 2 on src\/cart\.js, line 1/);
  });

  it("V2 threads are there again after a reload, with their answers", async () => {
    await window.reload();
    for (const [file, words] of [
      ["src/cart.js", "Nobody does."],
      ["src/discount.js", "Only a little, please."],
    ] as const) {
      await window.open(file);
      const found = window.page.locator(".review-widget").getByText(words).first();
      // The command expands the threads that are there, which come after the file.
      await until(async () => {
        await window.command("Comments: Expand All Comments");
        return await found.isVisible();
      });
    }
  });

  it("V1 a rejected change is told with the next message, also after a reload, and the file needs no reading", async () => {
    await window.open("src/discount.js");
    const panel = await window.panel();
    // The decision is made once the file is saved, which VS Code reports after it has written it.
    const decided = panel.getByRole("button", { name: "Take back the rejection of discount.js" });
    await clickUntil(lens("Reject"), () => decided.isVisible());
    assert.match(await window.read("src/discount.js"), /rate: 0\.15/);
    const again = await window.reload();
    window.plays([edit("rate: 0.15", "rate: 0.14")], [{ text: "Lowered." }]);
    await say(again, "lower it then");
    await again.getByRole("alertdialog").or(again.getByText("Lowered.")).first().waitFor();
    assert.deepEqual(await again.getByRole("group", { name: /fail/i }).allInnerTexts(), []);
    await answer(again, "Allow once", /Edit/);
    await said(again, "Lowered.");
    const told = window.requests.at(-2)?.raw ?? "";
    assert.match(told, /lower it then.*Rejected in src\/discount\.js, and undone:.*- .*rate: 0\.16.*\+ .*rate: 0\.15/);
    assert.equal(raw().split("Rejected in src/discount.js").length - 1, 1, "told once");
    assert.match(await window.read("src/discount.js"), /rate: 0\.14/);
  });

  it("V2 lines of a plan take comments in its document; the card sends them", async () => {
    const panel = await window.newSession();
    await choose(panel, "Mode", "Plan");
    window.plays([{ text: "# Plan\n\n1. Round once.\n2. Test." }]);
    await say(panel, "plan it");
    const card = await question(panel, /plan/i);
    await card.getByRole("button", { name: /Open as a document/ }).click();
    await window.page.locator(".tab.active", { hasText: "Plan.md" }).waitFor();
    await window.page.locator(".view-line", { hasText: "Round once" }).click();
    await window.command("Comments: Add Comment on Current Selection");
    await write("Half up.");
    await thread().getByRole("button", { name: "Send with the Review" }).click();
    await card.getByRole("button", { name: "Build now" }).waitFor();
    window.plays([{ text: "Comment 1: So be it.\n\n# Plan\n\n1. Round half up." }]);
    await press(panel, "Send 1 comment");
    await said(panel, "Round half up.");
    await status(panel, /waiting for you/i);
    assert.match(raw(), /Comment 1 on your plan, line 3:.*1\. Round once\..*Half up\./);
    await thread().getByText("So be it.").waitFor();
  });
});
