/** The tools of an answer: to copy it, to fork after it, and what it took. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { answered, answeredChat, preview } from "./answer-states.ts";
import { boxes, events, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { sendEarlier, withTail } from "./long-log.ts";
import type { PanelPage } from "./page.ts";

const toolbars = (panel: PanelPage) => panel.page.getByRole("toolbar", { name: "This answer" });
const isSeen = (toolbar: Locator) => toolbar.evaluate((element) => getComputedStyle(element).opacity === "1");

describe("the tools of an answer", () => {
  it("are in sight at the newest answer, and at others when the pointer or the focus is there; nothing moves", async () => {
    const panel = await panelWith(f.snapshot(answeredChat()));
    const [first, newest] = [toolbars(panel).first(), toolbars(panel).last()];
    assert.equal(await toolbars(panel).count(), 2);
    assert.deepEqual([await isSeen(first), await isSeen(newest)], [false, true]);
    const question = panel.page.getByText("Leave the test as it is.");
    const before = await boxes(panel, question);
    await panel.page.getByText("The sum is one cent too high.").hover();
    assert.ok(await isSeen(first));
    assert.deepEqual(await boxes(panel, question), before);
    await panel.page.mouse.move(0, 0);
    await first.getByRole("button", { name: "Copy answer" }).focus();
    assert.ok(await isSeen(first));
    await message(panel).focus();
    assert.ok(!(await isSeen(first)));
  });

  it("cover no text, in the narrowest panel either", async () => {
    const panel = await panelWith(f.snapshot(answeredChat()));
    for (const width of [320, 240]) {
      await panel.resize({ width, height: 600 });
      for (const [at, text] of ["The sum is one cent too high.", "is gone."].entries()) {
        const shown = panel.page.locator("p", { hasText: text }).last();
        const [words, tools] = await boxes(panel, shown, toolbars(panel).nth(at));
        assert.ok(tools.y >= words.y + words.height, `${text} at ${width}`);
      }
      const next = panel.page.getByRole("article", { name: "You" }).nth(1);
      const [tools, message] = await boxes(panel, toolbars(panel).first(), next);
      assert.ok(tools.y + tools.height <= message.y, `the next message at ${width}`);
    }
  });

  it("are one stop of the Tab key, and the arrow keys go from one to the next", async () => {
    const panel = await panelWith(f.snapshot(answeredChat()));
    const { keyboard } = panel.page;
    const newest = toolbars(panel).last();
    assert.equal(await newest.locator("button[tabindex='0']").count(), 1);
    await newest.getByRole("button", { name: "Copy answer" }).focus();
    await keyboard.press("ArrowRight");
    assert.equal(await focused(panel), "Answer again…");
    await keyboard.press("End");
    assert.ok(await newest.getByRole("button", { name: /time and cost/ }).evaluate((one) => one.matches(":focus")));
    await keyboard.press("ArrowRight");
    assert.equal(await focused(panel), "Copy answer");
    await keyboard.press("ArrowLeft");
    await keyboard.press("ArrowLeft");
    assert.equal(await focused(panel), "Fork after this answer");
    await keyboard.press("Tab");
    await keyboard.press("Shift+Tab");
    assert.equal(await focused(panel), "Fork after this answer", "the Tab key comes back to it");
    await keyboard.press("Home");
    await keyboard.press("Enter");
    assert.equal((await panel.sentOf("copy")).length, 1);
  });

  it("copy the Markdown of the answer, and fork after its last message", async () => {
    const panel = await panelWith(f.snapshot(answeredChat()));
    const newest = toolbars(panel).last();
    await newest.getByRole("button", { name: "Copy answer" }).click();
    const [copied] = await panel.sentOf("copy");
    assert.match(
      copied?.text ?? "",
      /^I look at the test and at what it tests\.\n\nThe test is right\. .* `src\/discount\.ts:41`\./s,
    );
    await newest.getByRole("button", { name: "Fork after this answer" }).click();
    assert.deepEqual(await panel.sentOf("fork-after"), [
      { type: "fork-after", messageID: answered.at(-1)?.info.id ?? "" },
    ]);
  });

  it("are not there while the answer is written", async () => {
    const chat = answeredChat();
    const panel = await panelWith(f.snapshot({ ...chat, status: { type: "busy", since: f.now } }));
    assert.equal(await toolbars(panel).count(), 1);
    await panel.post(events({ type: "status", status: { type: "idle" } }));
    assert.equal(await toolbars(panel).count(), 2);
  });
});

describe("what an answer took", () => {
  const table = (panel: PanelPage) => panel.page.getByRole("table", { name: "Time, tokens and cost of this answer" });
  const cells = (panel: PanelPage) =>
    table(panel)
      .getByRole("row")
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent).join("|")));

  it("is one line, and a table on demand", async () => {
    const panel = await panelWith(f.snapshot(answeredChat()));
    const line = toolbars(panel).last().getByRole("button", { name: "12 s · $0.03" });
    assert.equal(await line.getAttribute("aria-expanded"), "false");
    assert.equal(await table(panel).count(), 0);
    await line.click();
    assert.deepEqual(await cells(panel), [
      "Step|Time|Input|Output|Cost",
      "Model (2 replies)|8.5 s|3 k|1.2 k|$0.03",
      "Read from cache||36 k||",
      "Written to cache||9 k||",
      "6 tool calls|3.4 s|||",
      "This answer|12 s|48 k|1.2 k|$0.03",
    ]);
    await line.click();
    assert.equal(await table(panel).count(), 0);
  });

  it("B1 says that the cost is unknown where a price is", async () => {
    const [one, two] = answered;
    assert.ok(one?.info.role === "assistant" && two?.info.role === "assistant");
    const unpriced = (entry: typeof one, info: typeof one.info) => {
      const { cost: _, ...rest } = info;
      return { ...entry, info: rest };
    };
    const none = [unpriced(one, one.info), unpriced(two, two.info)];
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, ...none])));
    await toolbars(panel).getByRole("button", { name: "12 s · cost unknown" }).click();
    assert.doesNotMatch((await cells(panel)).join(), /\$/);
    assert.match((await cells(panel)).at(-1) ?? "", /\|unknown$/);
    const some = await panelWith(f.snapshot(f.chat("T", [f.asked, one, unpriced(two, two.info)])));
    await toolbars(some).getByRole("button", { name: "12 s · at least $0.02" }).waitFor();
  });
});

describe("answering again", () => {
  const dialog = (panel: PanelPage) => panel.page.getByRole("dialog", { name: "Answer again?" });
  const again = (panel: PanelPage) => toolbars(panel).last().getByRole("button", { name: "Answer again…" });
  const confirm = (panel: PanelPage) => dialog(panel).getByRole("button", { name: /^Answer again/ });
  const messageID = preview().messageID;

  it("asks first what becomes of the changes, and puts back those that are Rondo's alone", async () => {
    const panel = await panelWith(f.snapshot(answeredChat()));
    await again(panel).click();
    assert.deepEqual(await panel.sentOf("preview-restore"), [{ type: "preview-restore", messageID }]);
    assert.equal(await confirm(panel).getAttribute("aria-disabled"), "true", "it is not known yet what has changed");
    await panel.post(preview());
    assert.match(await dialog(panel).innerText(), /3 files have changed since your message\. This answer goes\./);
    const back = dialog(panel).getByRole("radio", { name: "Put the files back first" });
    assert.ok(await back.isChecked());
    await dialog(panel)
      .getByText("cart.ts, discount.ts as before. You can undo this. 1 file that changed otherwise stays.")
      .waitFor();
    await confirm(panel).click();
    assert.equal(await dialog(panel).count(), 0);
    assert.deepEqual(await panel.sentOf("answer-again"), [
      { type: "answer-again", messageID, paths: ["src/cart.ts", "src/discount.ts"] },
    ]);
    assert.deepEqual(await panel.sentOf("set-model"), []);
  });

  it("keeps the changes, with another model, by the keyboard", async () => {
    const panel = await panelWith(f.snapshot(answeredChat()));
    const { keyboard } = panel.page;
    await again(panel).press("Enter");
    await panel.post(preview());
    await dialog(panel).getByRole("radio", { name: "Put the files back first" }).press("ArrowDown");
    await dialog(panel).getByRole("button", { name: "Model: Claude Sonnet 4.5" }).press("Enter");
    const menu = panel.page.getByRole("menu", { name: "Model" });
    const [box] = await boxes(panel, menu);
    assert.ok(box.y >= 0 && box.height > 80, "the menu is in sight");
    await keyboard.press("Escape");
    assert.equal(await menu.count(), 0);
    assert.equal(await dialog(panel).count(), 1, "Escape closed the menu alone");
    await keyboard.press("Enter");
    await keyboard.press("c");
    await keyboard.press("Enter");
    await dialog(panel).getByRole("button", { name: "Model: Claude Haiku 4.5" }).waitFor();
    await keyboard.press("Control+Enter");
    const sent = (await panel.sent()).slice(-2);
    assert.deepEqual(sent, [
      { type: "set-model", providerID: "anthropic", modelID: "claude-haiku-4-5" },
      { type: "answer-again", messageID, paths: [] },
    ]);
  });

  it("finds a model that the menu does not have in the picker", async () => {
    const panel = await panelWith(f.snapshot(answeredChat()));
    await again(panel).click();
    await panel.post(preview());
    await dialog(panel)
      .getByRole("button", { name: /^Model: / })
      .click();
    await panel.page.getByRole("menuitem", { name: "Another model…" }).click();
    await panel.page.getByRole("dialog", { name: "Choose a model" }).waitFor();
    await panel.page.keyboard.press("Escape");
    assert.equal(await dialog(panel).count(), 1);
    await panel.post({ type: "state", state: f.panelState({ model: f.qwen }) });
    await dialog(panel).getByRole("button", { name: "Model: qwen3-coder:30b" }).waitFor();
    await confirm(panel).click();
    assert.deepEqual(await panel.sentOf("set-model"), [], "the picker has chosen it");
  });

  it("needs no choice where nothing has changed, and can be cancelled", async () => {
    const panel = await panelWith(f.snapshot(answeredChat()));
    await again(panel).click();
    await panel.post(preview([]));
    assert.equal(await dialog(panel).getByRole("radio").count(), 0);
    assert.match(await dialog(panel).innerText(), /No files have changed/);
    await panel.page.keyboard.press("Escape");
    assert.equal(await dialog(panel).count(), 0);
    assert.deepEqual(await panel.sentOf("answer-again"), []);
    assert.equal(await focused(panel), "Answer again…");
  });

  it("says what else goes with an earlier answer, and can keep the changes of a checkpoint that is gone", async () => {
    const panel = await panelWith(f.snapshot(answeredChat()));
    await toolbars(panel).first().getByRole("button", { name: "Answer again…" }).click();
    await dialog(panel).getByText("This answer goes, and 1 later message of yours with what followed.").waitFor();
    await panel.post({ type: "notice", message: "This checkpoint has been deleted.", next: "", fix: "none" });
    await dialog(panel).getByRole("radio", { name: "Keep the changes" }).check();
    await confirm(panel).click();
    const [sent] = await panel.sentOf("answer-again");
    assert.notEqual(sent?.messageID, messageID);
    assert.deepEqual(sent?.paths, []);
  });

  it("cannot be pressed while a turn runs", async () => {
    const chat = answeredChat();
    const more = [...chat.messages, f.you("And now?")];
    const panel = await panelWith(f.snapshot({ ...chat, messages: more, status: { type: "busy", since: f.now } }));
    assert.ok(await again(panel).isDisabled());
    assert.equal(await toolbars(panel).last().locator("button[tabindex='0']").count(), 1);
  });

  it("waits for the user's message, if it is among those that are not here yet", async () => {
    const steps = Array.from({ length: 90 }, (_, at) => f.rondo([f.said(`Step ${at}.`)]));
    const chat = f.chat("T", [f.asked, ...steps]);
    const panel = await withTail(chat);
    await again(panel).click();
    assert.equal(await dialog(panel).count(), 0);
    await sendEarlier(panel, chat);
    await dialog(panel).waitFor();
    assert.deepEqual(await panel.sentOf("preview-restore"), [{ type: "preview-restore", messageID: f.asked.info.id }]);
    assert.equal(await toolbars(panel).count(), 1, "one answer, one toolbar");
  });
});
