/** The review bar: rows in words, presses, keys, and where the focus goes. */
import assert from "node:assert/strict";
import type { ReviewFile } from "../../src/chat/review-views.ts";
import { until } from "../timing.ts";
import { boxes, button, focused, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";
import { everyState, sixty, thousand } from "./review-states.ts";

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
      "Keep mine in checkout.ts",
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
    await panel.resize({ width: 320, height: 480 });
    const list = bar(panel).getByRole("list");
    assert.ok((await list.evaluate((one) => one.clientHeight)) <= 200);
    assert.ok(await message(panel).isVisible());
    const name = bar(panel).locator("li").nth(10);
    const [cutOff = 9, folder = 0] = await name.evaluate((row) =>
      [...row.querySelectorAll(".open > .cut")].map((part) => {
        const whole = document.createRange();
        whole.selectNodeContents(part);
        return whole.getBoundingClientRect().width - part.getBoundingClientRect().width;
      }),
    );
    assert.ok(cutOff < 0.02, `the name is whole, without an ellipsis: ${cutOff} px are cut off`);
    assert.ok(folder > 5, "the folder is cut");
  });

  describe("of a thousand files", () => {
    const list = (panel: PanelPage) => bar(panel).getByRole("list");
    const rows = (panel: PanelPage) => bar(panel).getByRole("listitem");
    /** Returns the rows in sight by their places in the list, and whether they leave a gap between them. */
    const inSight = (panel: PanelPage) =>
      list(panel).evaluate((ul) => {
        const frame = ul.getBoundingClientRect();
        const boxes = [...ul.querySelectorAll("li[data-path]")].map((row) => ({
          at: Number(row.getAttribute("aria-posinset")),
          ...{ top: row.getBoundingClientRect().top, bottom: row.getBoundingClientRect().bottom },
        }));
        const seen = boxes.filter(({ top, bottom }) => bottom > frame.top + 1 && top < frame.bottom - 1);
        // The list has some space below its last row.
        const isWhole =
          (seen[0]?.top ?? 1e9) <= frame.top + 1 &&
          (seen.at(-1)?.bottom ?? 0) >= frame.bottom - 8 &&
          seen.every(({ top }, index) => Math.abs(top - (seen[index - 1]?.bottom ?? top)) <= 1);
        return { places: seen.map(({ at }) => at), isWhole };
      });
    const scrollTo = async (panel: PanelPage, share: number) => {
      await list(panel).evaluate((ul, share) => {
        ul.scrollTop = share * (ul.scrollHeight - ul.clientHeight);
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      }, share);
    };
    const focusedRow = (panel: PanelPage) =>
      panel.page.evaluate(() => document.activeElement?.closest("li")?.getAttribute("aria-posinset"));

    it("V11 only those in sight are drawn, each with its place among all", async () => {
      const panel = await shown(thousand);
      assert.ok((await rows(panel).count()) < 60);
      const first = rows(panel).first();
      assert.deepEqual(
        [await first.getAttribute("aria-posinset"), await first.getAttribute("aria-setsize")],
        ["1", "1000"],
      );
      assert.match(await bar(panel).innerText(), /^2,000 changes in 1,000 files/);
    });

    it("V11 wherever it is scrolled to, its rows are there, in order and without gaps, narrow and wide", async () => {
      const panel = await shown(thousand);
      for (const width of [300, 480]) {
        await panel.resize({ width, height: 820 });
        for (const share of [0, 0.013, 0.5, 0.501, 1, 0.25]) {
          await scrollTo(panel, share);
          const { places, isWhole } = await inSight(panel);
          assert.ok(isWhole, `${width} px, ${share}: ${places}`);
          assert.deepEqual(
            places,
            places.map((_, index) => (places[0] ?? 0) + index),
          );
          if (share === 0) assert.equal(places[0], 1);
          if (share === 1) assert.equal(places.at(-1), 1000);
          if (share === 0.5) assert.ok(Math.abs((places[0] ?? 0) - 500) < 20, `half-way: ${places}`);
        }
      }
    });

    it("V11 the last row is in sight at the end of the list, also where rows near it are higher than the first ones", async () => {
      const panel = await shown(thousand);
      await panel.resize({ width: 480, height: 820 });
      const heights = () =>
        rows(panel).evaluateAll((all) => all.map((row) => Math.round(row.getBoundingClientRect().height)));
      await until(async () => (await heights())[4] === 54);
      await scrollTo(panel, 1);
      assert.equal((await inSight(panel)).places.at(-1), 1000);
      assert.equal((await heights()).at(-1), 80, "a longer name wraps");
    });

    it("V11 End, Home and the arrows reach rows that were not drawn, and bring them into sight", async () => {
      const panel = await shown(thousand);
      await rows(panel).first().locator('[data-part="accept"]').focus();
      for (const [key, place] of Object.entries({ End: 1000, ArrowUp: 999, Home: 1, ArrowDown: 2 })) {
        await press(panel, key);
        await panel.page.waitForFunction(
          (place) => document.activeElement?.closest("li")?.getAttribute("aria-posinset") === place,
          `${place}`,
        );
        assert.equal(await panel.page.evaluate(() => document.activeElement?.getAttribute("data-part")), "accept");
        assert.ok((await inSight(panel)).places.includes(place), `${key}: ${place} is in sight`);
      }
      for (let i = 0; i < 40; i++) await press(panel, "ArrowDown");
      assert.equal(await focusedRow(panel), "42");
      assert.ok((await inSight(panel)).places.includes(42));
      await press(panel, "Enter");
      assert.deepEqual((await panel.sentOf("review"))[0]?.path, thousand[41]?.path);
    });

    it("V11 a row that is scrolled away keeps the focus, and Tab comes back to it", async () => {
      const panel = await shown(thousand);
      await rows(panel).nth(2).locator('[data-part="reject"]').focus();
      await scrollTo(panel, 0.8);
      assert.equal(await focusedRow(panel), "3");
      assert.ok((await inSight(panel)).isWhole);
      await message(panel).focus();
      await press(panel, "Shift+Tab");
      assert.equal(await focusedRow(panel), "3");
      assert.ok((await inSight(panel)).places.includes(3), "the focus is in sight");
    });

    it("V11 a decision keeps the place and the focus; after a question the list is whole again", async () => {
      const panel = await shown(thousand);
      await scrollTo(panel, 0.5);
      const { places } = await inSight(panel);
      const at = (places[3] ?? 0) - 1;
      await list(panel)
        .locator(`li[aria-posinset="${at + 1}"] [data-part="accept"]`)
        .press("Enter");
      const path = thousand[at]?.path ?? "";
      await update(panel, decided(thousand, path, "accepted"));
      await panel.page.waitForFunction(
        (path) => document.activeElement?.closest("li")?.getAttribute("data-path") === path,
        path,
      );
      assert.ok((await inSight(panel)).places.includes(at + 1));
      await panel.post({ type: "events", events: [{ type: "asked", request: f.request() }] });
      assert.equal(await rows(panel).count(), 0);
      await button(panel, "Show the files").click();
      assert.ok((await inSight(panel)).isWhole);
      await button(panel, "Fold the files").click();
      await button(panel, "Show the files").click();
      assert.ok((await inSight(panel)).isWhole);
    });

    it("V11 shrinks to a few files without an empty place", async () => {
      const panel = await shown(thousand);
      await scrollTo(panel, 1);
      await update(panel, thousand.slice(0, 30));
      await scrollTo(panel, 1);
      const { places, isWhole } = await inSight(panel);
      assert.ok(isWhole);
      assert.equal(places.at(-1), 30);
    });
  });

  it("W1 a row names the other session that has changed the file, and no row of the one on screen does", async () => {
    const [own, other] = everyState;
    assert.ok(own && other);
    const state = f.panelState({ review: [own, other], reviewBy: { [other.path]: "Add gift cards" } });
    const panel = await panelWith(f.snapshot(f.chat("T", []), state));
    const rows = bar(panel).getByRole("listitem");
    assert.doesNotMatch(await rows.nth(0).innerText(), /by Add/);
    assert.match(await rows.nth(1).innerText(), /by Add gift cards/);
    await panel.resize({ width: 320, height: 600 });
    const [box] = await boxes(panel, rows.nth(1).getByRole("button").last());
    assert.ok(box.x + box.width <= 320, "nothing sticks out");
  });
});
