/** Symbols that an answer names in inline code: they are links once the host knows their definitions. */
import assert from "node:assert/strict";
import { events, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const log = (panel: PanelPage) => panel.page.getByRole("log");
const links = (panel: PanelPage) => log(panel).getByRole("link");
const answer = (text: string) => panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([f.said(text)])])));

/** Waits until the panel has asked for the symbols this many times. Returns what it asked for. */
async function asked(panel: PanelPage, times: number) {
  await panel.page.waitForFunction(
    (count) => window.sent.filter(({ type }) => type === "find-symbols").length >= count,
    times,
  );
  return await panel.sentOf("find-symbols");
}

const text =
  "`parseConfig` and `Cart.total()` in `src/cart.ts` and src/money.ts:3 use `sum`, not `npm test` or `a.json`.\n\n```ts\nparseConfig()\n```\n\n[`linked`](src/list.ts)";
const files = ["src/money.ts", "src/list.ts", "src/cart.ts", "a.json"];
const names = ["parseConfig", "Cart.total()", "sum"];

describe("symbols in an answer", () => {
  it("are looked up once, with the files that the answer names, and are no links before", async () => {
    const panel = await answer(text);
    assert.deepEqual(await asked(panel, 1), [{ type: "find-symbols", files, names }]);
    assert.deepEqual(await links(panel).allInnerTexts(), ["src/money.ts:3", "linked"]);
  });

  it("are links where the definition is known; they open it by their name", async () => {
    const panel = await answer(text);
    await asked(panel, 1);
    const place = { path: "src/cart.ts", line: 7 };
    const found = [
      { name: "Cart.total()", count: 1, ...place },
      { name: "parseConfig", count: 3, ...place },
    ];
    await panel.post({ type: "found-symbols", files, names, found });
    assert.deepEqual(await links(panel).allInnerTexts(), ["parseConfig", "Cart.total()", "src/money.ts:3", "linked"]);
    const [many, one] = [links(panel).nth(0), links(panel).nth(1)];
    assert.equal(await one.getAttribute("title"), "Open src/cart.ts at line 7");
    assert.equal(await many.getAttribute("title"), "Choose one of 3 definitions");
    for (const link of [many, one]) {
      assert.equal(await link.evaluate((element) => getComputedStyle(element).textDecorationLine), "underline");
    }
    await one.click();
    await many.press("Enter");
    assert.deepEqual(await panel.sentOf("open-symbol"), [
      { type: "open-symbol", files, name: "Cart.total()" },
      { type: "open-symbol", files, name: "parseConfig" },
    ]);
    assert.deepEqual(await panel.sentOf("open-file"), []);
    await panel.page.keyboard.press("Control+f");
    await panel.page.keyboard.type("parseConfig and");
    await panel.page.getByText("1 of 1").waitFor();
  });

  it("are text again where the definition is gone, and asked again when the panel gets the focus later", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([f.said("`parseConfig`")])])));
    await asked(panel, 1);
    const found = [{ name: "parseConfig", count: 1, path: "src/a.ts", line: 1 }];
    await panel.post({ type: "found-symbols", files: [], names: ["parseConfig"], found });
    assert.equal(await links(panel).count(), 1);
    await panel.post({ type: "found-symbols", files: [], names: ["parseConfig"], found: [] });
    assert.equal(await links(panel).count(), 0);
    assert.equal(await log(panel).locator("code").innerText(), "parseConfig");
    await panel.page.evaluate(() => {
      const later = Date.now() + 61_000;
      Date.now = () => later;
      window.dispatchEvent(new Event("focus"));
    });
    assert.equal((await asked(panel, 2)).length, 2);
  });

  it("are asked about when they come into sight, a limited number at a time, the next after an answer", async () => {
    const lines = Array.from({ length: 200 }, (_, at) => `\`symbolName${at}\``);
    const panel = await answer(lines.join("\n\n"));
    const [first] = await asked(panel, 1);
    const inSight = first?.names ?? [];
    assert.ok(inSight.length > 3 && inSight.length <= 24, `${inSight.length} names`);
    assert.ok(inSight.includes("symbolName199") && !inSight.includes("symbolName0"), inSight.join());
    await log(panel).press("Home");
    await log(panel).getByText("symbolName0", { exact: true }).waitFor();
    await panel.post({ type: "found-symbols", files: [], names: inSight, found: [] });
    const [, second] = await asked(panel, 2);
    assert.ok(second?.names.includes("symbolName0"), second?.names.join());
    assert.ok(!second?.names.some((name) => inSight.includes(name)), "what is known is not asked again");
  });

  it("are not asked about while the answer grows, and not again at once by a slow language service", async () => {
    const reply = f.rondo([f.saying("Now `parseConfig` ")]);
    const [part] = reply.parts;
    assert.ok(part);
    const busy = { type: "busy", since: f.now } as const;
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, reply], { status: busy })));
    await panel.page.clock.install();
    await panel.page.clock.runFor(2_000);
    assert.deepEqual(await panel.sentOf("find-symbols"), []);
    await panel.post(
      events(
        { type: "part", part: { ...part, type: "text", text: "Now `parseConfig` is.", time: { start: 1, end: 2 } } },
        { type: "status", status: { type: "idle" } },
      ),
    );
    await panel.page.clock.runFor(2_000);
    assert.equal((await panel.sentOf("find-symbols")).length, 1);
    await panel.post({ type: "found-symbols", files: [], names: [], found: [] });
    await panel.page.clock.runFor(4_000);
    assert.equal((await panel.sentOf("find-symbols")).length, 1);
    await panel.page.clock.runFor(2_000);
    assert.equal((await panel.sentOf("find-symbols")).length, 2);
  });
});
