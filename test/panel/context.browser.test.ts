/** What fills the window, piece by piece: pinned, dropped, put back (C8); and what the provider's cache holds. */
import assert from "node:assert/strict";
import type { ContextUse } from "../../src/chat/context-views.ts";
import { button, events, focused, panelWith } from "./browser.ts";
import { pieces, piecesUse } from "./context-states.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const region = (panel: PanelPage, name: string) => panel.page.getByRole("region", { name, exact: true });
const names = (panel: PanelPage, list: string) => region(panel, list).locator(".name").allInnerTexts();

/** Opens the page with this use. */
async function opened(use: ContextUse = piecesUse): Promise<PanelPage> {
  const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo(f.work)])));
  await button(panel, /^Context: /).click();
  await panel.post({ type: "context", use });
  await region(panel, "Largest").waitFor();
  return panel;
}

/** As the host answers: some pieces have changed. */
const changed = (change: Record<string, Partial<ContextUse["pieces"][number]>>): ContextUse => ({
  ...piecesUse,
  pieces: pieces.map((piece) => ({ ...piece, ...change[piece.name] })),
});

describe("C8 pieces of the context", () => {
  it("C8 are listed by size, pinned ones apart, dropped ones with Put back; all are a press away", async () => {
    const panel = await opened();
    assert.deepEqual(await names(panel, "Pinned"), ["cart.ts", "“Leave the test as it is.”"]);
    const few = await names(panel, "Largest");
    assert.deepEqual(few.slice(0, 3), ["npm test", "schema.generated.ts", "vite.dev/guide"]);
    assert.equal(few.length, 5);
    const dropped = region(panel, "Largest").getByRole("listitem").nth(1);
    assert.equal(
      await dropped.locator(".name").evaluate((one) => getComputedStyle(one).textDecorationLine),
      "line-through",
    );
    assert.deepEqual(await dropped.getByRole("button").allInnerTexts(), ["Put back"]);
    await region(panel, "Largest").getByRole("button", { name: "All", exact: true }).click();
    assert.equal((await names(panel, "Largest")).length, 7);
    assert.match(await region(panel, "Largest").innerText(), /32 smaller ones are not listed/);
    assert.match(await region(panel, "Context").innerText(), /costs about \$0\.02 more, once/);
  });

  it("C8 what was dropped stays in sight however small it is, and a drop that costs nothing names no cost", async () => {
    const small = "“I look at the test and at what it tests.”";
    const panel = await opened({ ...changed({ [small]: { dropped: true } }), dropCost: { usd: 0 } });
    assert.ok((await names(panel, "Largest")).includes(small));
    const text = await region(panel, "Context").innerText();
    assert.match(text, /leaves with the next request/);
    assert.doesNotMatch(text, /more, once/);
  });

  it("C8 a press tells the host; the focus goes with the row to the other list, and to Put back", async () => {
    const panel = await opened();
    const pin = region(panel, "Largest").getByRole("button", { name: "Pin npm test" });
    assert.equal(await pin.getAttribute("aria-pressed"), "false");
    await pin.press("Enter");
    await panel.post({ type: "context", use: changed({ "npm test": { pinned: true } }) });
    assert.deepEqual(await names(panel, "Pinned"), ["npm test", "cart.ts", "“Leave the test as it is.”"]);
    assert.equal(await focused(panel), "Pin npm test");
    await panel.page.keyboard.press("Enter");
    await panel.post({ type: "context", use: changed({}) });
    assert.equal(
      await region(panel, "Largest")
        .getByRole("button", { name: "Pin npm test" })
        .evaluate((one) => one === document.activeElement),
      true,
    );
    await panel.page.keyboard.press("Tab");
    await panel.page.keyboard.press("Enter");
    await panel.post({ type: "context", use: changed({ "npm test": { dropped: true } }) });
    assert.equal(await focused(panel), "Put back npm test");
    await panel.page.keyboard.press("Enter");
    await panel.post({ type: "context", use: changed({}) });
    assert.equal(await focused(panel), "Drop npm test");
    const partID = "prt_npm test";
    assert.deepEqual(
      await panel.sentOf("change-piece"),
      (["pin", "unpin", "drop", "put-back"] as const).map((change) => ({ type: "change-piece", partID, change })),
    );
  });

  it("C8 keep only what is pinned: it says what that drops, and all comes back at once; the focus stays in the page", async () => {
    const panel = await opened();
    const keep = button(panel, "Keep only what is pinned");
    assert.match(await region(panel, "Context").innerText(), /Drops 37 pieces, 29 k tokens, from the next request on/);
    assert.equal(await button(panel, "Put all back").count(), 0, "one has its own");
    await keep.press("Enter");
    const dropped = pieces.map((piece) => (piece.pinned || !piece.droppable ? piece : { ...piece, dropped: true }));
    const none = { count: 0, tokens: 0 };
    const after = { ...piecesUse, pieces: dropped, waiting: { count: 38, tokens: 41_200 }, loose: none };
    await panel.post({ type: "context", use: after });
    assert.equal(await keep.evaluate((one) => one === document.activeElement), true);
    assert.equal(await keep.getAttribute("aria-disabled"), "true");
    const status = region(panel, "Context").getByRole("status").first();
    assert.match(
      await status.innerText(),
      /^38 pieces, 41 k tokens, leave with the next request\. That request costs about/,
    );
    assert.equal((await names(panel, "Largest")).length, 5, "so many do not crowd the page");
    await keep.press("Enter");
    await button(panel, "Put all back").press("Enter");
    await panel.post({ type: "context", use: changed({}) });
    assert.equal(await focused(panel), "Drop npm test");
    assert.deepEqual(
      await panel.sentOf("change-pieces"),
      (["keep-pinned", "put-back"] as const).map((change) => ({ type: "change-pieces", change })),
    );
  });

  it("C8 keep only what is pinned waits for the turn, for a pin, and for the other window; it says so", async () => {
    const panel = await opened();
    const keep = button(panel, "Keep only what is pinned");
    const described = async () =>
      await keep.evaluate((one) => (one.ariaDescribedByElements ?? [])[0]?.textContent?.trim());
    const unpinned = pieces.filter(({ pinned }) => !pinned);
    await panel.post({ type: "context", use: { ...piecesUse, pieces: unpinned } });
    assert.equal(await described(), "Pin first what is to stay");
    await keep.press("Enter");
    await panel.post({ type: "context", use: { ...piecesUse, locked: true } });
    assert.equal(await described(), "Not while the session runs elsewhere");
    await keep.press("Enter");
    await panel.post({ type: "context", use: piecesUse });
    await panel.post(events({ type: "status", status: { type: "busy", since: Date.now() } }));
    assert.equal(await described(), "After this turn");
    await keep.press("Enter");
    assert.deepEqual(await panel.sentOf("change-pieces"), []);
  });

  it("C8 the fixed parts say what they are and open where they are changed; that they change with a new session", async () => {
    const panel = await opened();
    await button(panel, "Rules: AGENTS.md").press("Enter");
    assert.deepEqual(await panel.sentOf("open-file"), [{ type: "open-file", path: "/home/ada/shop/AGENTS.md" }]);
    const rows = panel.page.getByRole("table", { name: "Tokens by part" }).getByRole("rowheader");
    assert.match(
      (await rows.first().innerText()).replaceAll("\n", " "),
      /^System prompt.*What Rondo and the agent tell/,
    );
    assert.equal(await rows.first().getByRole("button").count(), 0);
    assert.match(
      await region(panel, "Context").innerText(),
      /stay as they are until a new session or a compaction\. The model is told/,
    );
    await button(panel, "Tools: github (MCP)").press("Enter");
    await region(panel, "Servers").waitFor();
  });

  it("C8 the host counts again when a piece changes in whichever window", async () => {
    const panel = await opened();
    const before = (await panel.sentOf("show-context")).length;
    const piece = { messageID: "msg_1", pinned: true, dropped: null };
    await panel.post(events({ type: "piece", partID: "prt_1", piece }));
    assert.equal((await panel.sentOf("show-context")).length, before + 1);
  });

  it("C8 the message that is answered cannot be dropped, and in a session of another window nothing; the button says why", async () => {
    const panel = await opened();
    await region(panel, "Largest").getByRole("button", { name: "All", exact: true }).click();
    const needed = button(panel, "Drop “Round once, at the end.”");
    assert.equal(await needed.getAttribute("aria-disabled"), "true");
    assert.match((await needed.getAttribute("title")) ?? "", /answers this message/);
    await needed.press("Enter");
    await panel.post({ type: "context", use: { ...piecesUse, locked: true } });
    await button(panel, "Pin cart.ts").press("Enter");
    await button(panel, "Drop npm test").press("Enter");
    await button(panel, "Put back schema.generated.ts").press("Enter");
    assert.deepEqual(await panel.sentOf("change-piece"), []);
    assert.match(await region(panel, "Context").innerText(), /runs in another window or process/);
  });

  it("C8 names of files show their invisible characters", async () => {
    const panel = await opened(changed({ "npm test": { name: "a\u202eb.ts" } }));
    assert.ok(
      (await names(panel, "Largest"))[0]?.includes("202e") || (await names(panel, "Largest"))[0]?.includes("202E"),
    );
  });
});

describe("C8 the provider's cache", () => {
  const text = async (cache: ContextUse["cache"]) => {
    const panel = await opened({ ...piecesUse, cache });
    return await region(panel, "Cache").innerText();
  };
  const cache = piecesUse.cache ?? assert.fail();
  const now = Date.now();

  it("C8 tells what the last request read and wrote, and when it expires", async () => {
    const renewed = { type: "renewed", ms: 300_000 } as const;
    const shown = await text({ ...cache, at: now, lifetime: renewed });
    assert.match(
      shown,
      /read 40,960 of its 42,110 tokens \(97 %\) from the provider's cache, and wrote 1,020 into it\./,
    );
    assert.match(shown, /It expires at \d\d:\d\d, 5 minutes after its last use\. Each request restarts that time\./);
    assert.match(await text({ ...cache, at: now - 301_000, lifetime: renewed }), /It expired at \d\d:\d\d/);
  });

  it("C8 says of other providers what they document, and nothing else", async () => {
    const idle = { type: "idle", fromMs: 300_000, toMs: 600_000, atMostMs: 3_600_000 } as const;
    assert.match(
      await text({ ...cache, at: now, lifetime: idle }),
      /after 5 to 10 minutes without use, and after 1 hour at most/,
    );
    assert.match(
      await text({ ...cache, at: now, lifetime: { type: "at-most", ms: 86_400_000 } }),
      /keeps it for 24 hours at most/,
    );
    assert.doesNotMatch(await text({ ...cache, lifetime: undefined }), /expire|keeps|clears/);
    assert.match(await text({ ...cache, read: 0, written: 0 }), /used no cache, as far as the provider reports\.$/);
  });
});
