/** Files that the log names: places in answers and outputs, and the lines for several calls. */
import assert from "node:assert/strict";
import { panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const output = "src/cart.ts:15:3: error: wrong\nat f (/home/dev/tinyshop/src/money.ts:8:1)\nat g (/etc/passwd.txt:1)\n";
const run = f.done("bash", { command: "npm test" }, { exitCode: 1 }, output);
const log = (panel: PanelPage) => panel.page.getByRole("log");
const links = (panel: PanelPage) => log(panel).getByRole("link");

describe("places in files", () => {
  const text =
    "Rounded in `src/cart.ts:25`, src/money.ts:31-33 and [there](src/sum.ts:3); not https://a.example/b.ts:1.\n\n```\nsrc/code.ts:1\n```\n\n- in a list: src/list.ts:7";
  it("are links in the text and the code of an answer, and open with the pointer and the keyboard", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([f.said(text)])])));
    const all = ["src/cart.ts:25", "src/money.ts:31-33", "there", "https://a.example/b.ts:1", "src/list.ts:7"];
    assert.deepEqual(await links(panel).allInnerTexts(), all);
    assert.equal(await links(panel).nth(1).getAttribute("title"), "Open src/money.ts at lines 31–33");
    await links(panel).nth(0).click();
    await links(panel).nth(1).press("Enter");
    await links(panel).nth(4).click();
    assert.deepEqual(await panel.sentOf("open-file"), [
      { type: "open-file", path: "src/cart.ts", line: 25 },
      { type: "open-file", path: "src/money.ts", line: 31, lastLine: 33 },
      { type: "open-file", path: "src/list.ts", line: 7 },
    ]);
  });

  it("become links while the answer is written, each once", async () => {
    const reply = f.rondo([f.saying("First src/a.ts:1 is wrong.\n\nThen")]);
    const part = reply.parts[0];
    assert.ok(part);
    const busy = { type: "busy", since: f.now } as const;
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, reply], { status: busy })));
    for (const text of [" src/b", ".ts:2", "3 is.", " So is src/c.ts:3.\n\nEnd"]) {
      const delta = { type: "delta", messageID: part.messageID, partID: part.id, text } as const;
      await panel.post({ type: "events", events: [delta] });
    }
    assert.deepEqual(await links(panel).allInnerTexts(), ["src/a.ts:1", "src/b.ts:23", "src/c.ts:3"]);
    assert.match(
      await log(panel).innerText(),
      /First src\/a\.ts:1 is wrong\.\s+Then src\/b\.ts:23 is\. So is src\/c\.ts:3\./,
    );
  });

  it("are links in the output of a command, and lead nowhere outside of the folder", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([run])])));
    await log(panel).locator("summary", { hasText: "npm test" }).click();
    assert.deepEqual(await links(panel).allInnerTexts(), ["src/cart.ts:15:3", "/home/dev/tinyshop/src/money.ts:8:1"]);
    await links(panel).nth(1).click();
    assert.deepEqual(await panel.sentOf("open-file"), [{ type: "open-file", path: "src/money.ts", line: 8 }]);
    assert.equal(await log(panel).locator("pre").innerText(), output.trimEnd());
  });

  it("are struck where the file does not exist, and say so; a name without a folder is then no link", async () => {
    const said = f.said("See src/cart.ts:1, old/gone.ts:2 and readme.gone:3, and [this](old/too.ts).");
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo([said])])));
    await panel.page.waitForFunction(() => window.sent.some(({ type }) => type === "check-files"));
    const asked = await panel.sentOf("check-files");
    assert.deepEqual(
      asked.map(({ paths }) => paths),
      [["src/cart.ts", "old/gone.ts", "readme.gone", "old/too.ts"]],
      "once for all",
    );
    const paths = asked[0]?.paths ?? [];
    await panel.post({ type: "checked-files", paths, missing: ["old/gone.ts", "readme.gone", "old/too.ts"] });
    assert.deepEqual(await links(panel).allInnerTexts(), ["src/cart.ts:1", "old/gone.ts:2", "this"]);
    const gone = links(panel).nth(1);
    assert.equal(await gone.evaluate((link) => getComputedStyle(link).textDecorationLine), "line-through");
    assert.equal(await gone.getAttribute("title"), "There is no file old/gone.ts");
    await gone.click();
    assert.deepEqual(await panel.sentOf("open-file"), [{ type: "open-file", path: "old/gone.ts", line: 2 }]);
    await panel.post({ type: "checked-files", paths, missing: [] });
    assert.equal(await links(panel).count(), 4, "they are there again");
    assert.equal(await log(panel).locator(".gone").count(), 0);
  });

  it("are found as text, and copied as it", async () => {
    const panel = await panelWith(
      f.snapshot(f.chat("T", [f.asked, f.rondo([f.said("In src/cart.ts:25 it is wrong.")])])),
    );
    await panel.page.keyboard.press("Control+f");
    await panel.page.keyboard.type("cart.ts:25 it");
    await panel.page.getByText("1 of 1").waitFor();
  });
});

describe("a line for several calls", () => {
  const reads = ["src/cart.ts", "src/money.ts", "src/discount.ts", "test/cart.test.ts"];
  const chat = f.chat("T", [f.asked, f.rondo([...reads.map((path) => f.readDone(path, 64)), f.said("Done.")])]);

  it("names its files, and the count keeps its room where the names are cut", async () => {
    const panel = await panelWith(f.snapshot(chat));
    const group = panel.page.getByRole("group", { name: "Read cart.ts, money.ts and 2 more", exact: true });
    await panel.resize({ width: 240, height: 600 });
    const names = await group.locator(".title > .cut").evaluate((one) => one.scrollWidth > one.clientWidth);
    const rest = await group.getByText("and 2 more").evaluate((one) => one.scrollWidth <= one.clientWidth);
    assert.deepEqual([names, rest], [true, true]);
    const right = await group.getByText("and 2 more").evaluate((one) => one.getBoundingClientRect().right);
    assert.ok(right <= 240, "it is in sight");
  });

  it("names all of them as links when it is open; a press on one does not fold it", async () => {
    const panel = await panelWith(f.snapshot(chat));
    const group = panel.page.getByRole("group", { name: "Read cart.ts, money.ts and 2 more", exact: true });
    assert.equal(await links(panel).count(), 0);
    await group.locator("summary").click();
    assert.deepEqual(await links(panel).allInnerTexts(), reads);
    await links(panel).nth(2).click();
    await links(panel).nth(3).press("Enter");
    assert.deepEqual(await panel.sentOf("open-file"), [
      { type: "open-file", path: "src/discount.ts" },
      { type: "open-file", path: "test/cart.test.ts" },
    ]);
    const toggles = group.getByRole("button", { name: "Show" });
    assert.equal(await toggles.count(), 4, "none was opened in the log");
    await toggles.first().click();
    await group.getByText("first line").waitFor();
    assert.equal(await group.getByRole("button", { name: "Fold" }).getAttribute("aria-expanded"), "true");
  });
});
