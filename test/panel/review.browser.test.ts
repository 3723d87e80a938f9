/** The review bar: rows in words, presses, keys, and where the focus goes. */
import assert from "node:assert/strict";
import type { ReviewFile } from "../../src/chat/protocol.ts";
import { button, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";
import { everyState, sixty } from "./review-states.ts";

const shown = (review: ReviewFile[]) => panelWith(f.snapshot(f.chat("T", []), f.panelState({ review })));
const bar = (panel: PanelPage) => panel.page.getByRole("region", { name: "Changes to review" });
const update = (panel: PanelPage, review: ReviewFile[]) =>
  panel.post({ type: "state", state: f.panelState({ review }) });
const decided = (review: ReviewFile[], path: string, state: "accepted" | "rejected") =>
  review.map((file) => (file.path === path ? { ...file, state, hunks: 0 } : file));
const press = (panel: PanelPage, key: string) => panel.page.keyboard.press(key);

describe("the review bar", () => {
  it("V11 has one row a file, with its state in words", async () => {
    const panel = await shown(everyState);
    const rows = await bar(panel).getByRole("listitem").allInnerTexts();
    assert.deepEqual(
      rows.map((row) => row.replace(/\s+/g, " ").trim()),
      [
        "cart.ts src/ 1 of 3 left +6 lines added −9 lines removed",
        "discount.ts src/ partly yours +2 lines added −4 lines removed",
        "checkout.ts src/ conflict +6 lines added −9 lines removed You changed lines 31–33 after Rondo did. Compare Keep mine Take Rondo's",
        "rounding.ts src/ new +31 lines added",
        "legacy.ts src/ deleted −88 lines removed",
        "money.ts src/ moved",
        "cart.test.ts test/ accepted +12 lines added −3 lines removed",
        "tax.test.ts test/ rejected +1204 lines added −377 lines removed",
      ],
    );
    assert.match(await bar(panel).innerText(), /^7 changes in 6 files/);
    assert.equal(await bar(panel).getByTitle("src/money.ts, moved from src/cents.ts").count(), 1);
  });

  it("V11 describes each row's button by the state for screen readers", async () => {
    const panel = await shown(everyState);
    const open = bar(panel).getByRole("button", { name: /^discount\.ts/ });
    const id = (await open.getAttribute("aria-describedby")) ?? "";
    assert.match((await panel.page.locator(`[id="${id}"]`).textContent()) ?? "", /partly yours\s*\+2 lines added/);
  });

  it("V11 sends what is pressed: one file, all, back, open, compare", async () => {
    const panel = await shown(everyState);
    for (const name of [
      "Accept cart.ts",
      "Reject rounding.ts",
      "Take back the acceptance of cart.test.ts",
      "Take back the rejection of tax.test.ts",
      "Compare checkout.ts",
      "Keep my lines in checkout.ts",
      "Take Rondo's lines in checkout.ts",
      "All changes in one editor",
      "Reject all",
      "Accept all",
    ]) {
      await button(panel, name).click();
    }
    await bar(panel)
      .getByRole("button", { name: /^legacy\.ts/ })
      .click();
    const at = (name: string) => `/home/dev/tinyshop/${name}`;
    assert.deepEqual(
      (await panel.sentOf("review")).map(({ action, path }) => [action, path]),
      [
        ["accept", at("src/cart.ts")],
        ["reject", at("src/rounding.ts")],
        ["undo", at("test/cart.test.ts")],
        ["undo", at("test/tax.test.ts")],
        ["compare", at("src/checkout.ts")],
        ["accept", at("src/checkout.ts")],
        ["take-agent-lines", at("src/checkout.ts")],
        ["open", undefined],
        ["reject", undefined],
        ["accept", undefined],
        ["open", at("src/legacy.ts")],
      ],
    );
  });

  it("V11 is one tab stop a control, and the arrow keys move between the rows", async () => {
    const panel = await shown(sixty);
    await button(panel, "Accept all").focus();
    await press(panel, "Tab");
    const inRow = (at: number, part: string) =>
      panel.page.evaluate(
        ([path, part]) => document.activeElement?.matches(`li[data-path="${path}"] [data-part="${part}"]`),
        [sixty[at]?.path, part] as const,
      );
    assert.ok(await inRow(0, "open"));
    await press(panel, "Tab");
    await press(panel, "Tab");
    assert.ok(await inRow(0, "accept"));
    await press(panel, "ArrowDown");
    assert.ok(await inRow(1, "accept"));
    await press(panel, "End");
    assert.ok(await inRow(59, "accept"));
    await press(panel, "ArrowUp");
    await press(panel, "Enter");
    assert.deepEqual((await panel.sentOf("review"))[0]?.path, sixty[58]?.path);
    await press(panel, "Tab");
    assert.equal(await focused(panel), "Message", "the rest of the list is one stop");
  });

  it("V11 keeps the focus in the row that was decided, then goes to the message box", async () => {
    const two = sixty.slice(0, 2);
    const panel = await shown(two);
    const first = two[0]?.path ?? "";
    await bar(panel).locator("li").first().locator('[data-part="accept"]').press("Enter");
    await update(panel, decided(two, first, "accepted"));
    await panel.page.waitForFunction(
      (path) => document.activeElement?.closest("li")?.getAttribute("data-path") === path,
      first,
    );
    await update(panel, []);
    await panel.page.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA");
    assert.equal(await focused(panel), "Message");
  });

  it("V11 leaves the focus alone while the user is elsewhere", async () => {
    const panel = await shown(sixty);
    await message(panel).focus();
    await update(panel, decided(sixty, sixty[0]?.path ?? "", "accepted"));
    await update(panel, []);
    assert.equal(await focused(panel), "Message");
  });

  it("V11 says aloud what was decided and what is left", async () => {
    const two = sixty.slice(0, 2);
    const panel = await shown(two);
    const said = async (words: RegExp) => {
      await panel.page.waitForFunction(
        (source) =>
          [...document.querySelectorAll('[aria-live="polite"], [role="status"]')].some((one) =>
            new RegExp(source).test(one.textContent ?? ""),
          ),
        words.source,
      );
    };
    const one = decided(two, two[0]?.path ?? "", "rejected");
    await update(panel, one);
    await said(/index\.ts rejected\. 2 changes left in 1 file\./);
    await update(panel, two);
    await said(/The decision on index\.ts is taken back\. 4 changes left in 2 files\./);
    await update(panel, decided(one, two[1]?.path ?? "", "accepted"));
    await said(/Nothing is left to review\./);
  });

  it("V11 is one line while a question is open, and shows the files on request", async () => {
    const chat = f.chat("T", [], { requests: [f.request()] });
    const panel = await panelWith(f.snapshot(chat, f.panelState({ review: everyState })));
    assert.equal(await bar(panel).getByRole("button").count(), 1);
    assert.match(await bar(panel).innerText(), /^7 changes in 6 files$/);
    await button(panel, "Show the files").click();
    assert.equal(await bar(panel).getByRole("listitem").count(), everyState.length);
    await button(panel, "Fold the files").click();
    assert.equal(await bar(panel).getByRole("listitem").count(), 0);
  });

  it("V11 scrolls a long list in itself, cuts folders before names, and stays in a narrow panel", async () => {
    const panel = await shown(sixty);
    await panel.page.setViewportSize({ width: 320, height: 480 });
    const list = bar(panel).getByRole("list");
    assert.ok((await list.evaluate((one) => one.clientHeight)) <= 200);
    assert.ok(await message(panel).isVisible());
    const name = bar(panel).locator("li").nth(20);
    const cuts = await name.evaluate((row) =>
      [...row.querySelectorAll(".open > .cut")].map((part) => part.scrollWidth - part.clientWidth),
    );
    assert.ok((cuts[0] ?? 9) <= 1, "the name is whole");
  });

  it("W1 a row names the other session that has changed the file, and no row of the one on screen does", async () => {
    const [own, other] = everyState;
    assert.ok(own && other);
    const state = f.panelState({ review: [own, other], reviewBy: { [other.path]: "Add gift cards" } });
    const panel = await panelWith(f.snapshot(f.chat("T", []), state));
    const rows = bar(panel).getByRole("listitem");
    assert.doesNotMatch(await rows.nth(0).innerText(), /by Add/);
    assert.match(await rows.nth(1).innerText(), /by Add gift cards/);
    await panel.page.setViewportSize({ width: 320, height: 600 });
    const box = await rows.nth(1).getByRole("button").last().boundingBox();
    assert.ok(box && box.x + box.width <= 320, "nothing sticks out");
  });
});
