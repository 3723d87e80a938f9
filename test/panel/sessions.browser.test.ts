/** The list of sessions in a real browser. */
import assert from "node:assert/strict";
import { button, focused, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const list = (query = "", sessions = f.sessions()) => ({ type: "sessions", query, sessions }) as const;
const row = (panel: PanelPage, title: string) => panel.page.getByRole("listitem").filter({ hasText: title });

async function sessions(): Promise<PanelPage> {
  const panel = await panelWith(f.snapshot(f.chat("T", [f.asked])));
  await button(panel, "Sessions").click();
  await panel.post(list());
  return panel;
}

describe("the list of sessions", () => {
  it("lets the host search after a pause in typing, and shows where the words were found", async () => {
    const panel = await sessions();
    assert.deepEqual(await panel.sentOf("list-sessions"), [{ type: "list-sessions", query: "" }]);
    await panel.page.getByRole("searchbox", { name: "Search sessions" }).pressSequentially("exact cents");
    await panel.page.waitForFunction(() => window.sent.filter((sent) => sent.type === "list-sessions").length > 1);
    assert.deepEqual((await panel.sentOf("list-sessions")).slice(1), [{ type: "list-sessions", query: "exact cents" }]);
    const match = "… rounds <b>once</b>, so the Cents of a line stay exact …";
    await panel.post(
      list(
        "exact cents",
        [...f.sessions().slice(0, 1)].map((one) => ({ ...one, match })),
      ),
    );
    const found = panel.page.locator(".Sessions .Row");
    assert.equal(await found.count(), 1);
    assert.match(await found.innerText(), /… rounds <b>once<\/b>, so the Cents of a line stay exact …/);
    assert.deepEqual(await found.locator("mark").allInnerTexts(), ["Cents", "exact"]);
    await panel.post(list("exact cents", []));
    await panel.page.getByText("Nothing has “exact cents” in title or messages.").waitFor();
  });

  it("B1 shows tokens and cost, and an unknown cost as unknown", async () => {
    const panel = await sessions();
    assert.match(await row(panel, "Move amounts").innerText(), /148 messages · \$1\.37 · 347 k tokens/);
    assert.match(await row(panel, "Test refunds").innerText(), /4 messages · cost unknown · 9\.4 k tokens/);
  });

  it("deletes on the second click, and returns to the previous position", async () => {
    const long = Array.from({ length: 20 }, () => f.rondo([f.said(f.answer)]));
    const panel = await panelWith(f.snapshot(f.chat("T", long)));
    const log = panel.page.getByRole("log");
    await panel.scrollUp(700);
    await button(panel, "Newest").waitFor();
    const top = await log.evaluate((element) => element.scrollTop);
    await button(panel, "Sessions").click();
    await panel.post(list());
    for (let at = 0; at < 5; at++) await panel.page.keyboard.press("ArrowDown");
    await panel.page.keyboard.press("Delete");
    assert.deepEqual(await panel.sentOf("delete-session"), []);
    await button(panel, "Delete for good").waitFor();
    await panel.page.keyboard.press("Delete");
    assert.deepEqual(await panel.sentOf("delete-session"), [{ type: "delete-session", id: "ses_5" }]);
    await panel.page.keyboard.press("Escape");
    assert.equal(await log.evaluate((element) => element.scrollTop), top);
  });

  it("renames in place: Enter saves the title, Escape discards it", async () => {
    const panel = await sessions();
    await row(panel, "Why is checkout").hover();
    await button(panel, "Rename Why is checkout slow on Safari?").click();
    const field = panel.page.getByRole("textbox", { name: "Title" });
    await field.fill("Slow checkout");
    await field.press("Enter");
    await panel.page.waitForFunction(() => document.activeElement?.classList.contains("Row"));
    await panel.page.keyboard.press("F2");
    await field.fill("Never mind");
    await field.press("Escape");
    assert.equal(await field.count(), 0);
    assert.deepEqual(await panel.sentOf("rename-session"), [
      { type: "rename-session", id: "ses_3", title: "Slow checkout" },
    ]);
    assert.ok(await panel.page.getByRole("region", { name: "Sessions" }).isVisible(), "Escape left the field only");
  });

  it("R6 exports in two formats, and imports", async () => {
    const panel = await sessions();
    for (const form of ["Markdown", "JSON lines"]) {
      await row(panel, "Move amounts").hover();
      await button(panel, "Export Move amounts to cents").click();
      await button(panel, form).click();
    }
    await button(panel, "Import…").click();
    assert.deepEqual((await panel.sent()).slice(2), [
      { type: "export-session", id: "ses_5", format: "markdown" },
      { type: "export-session", id: "ses_5", format: "jsonl" },
      { type: "import-session" },
    ]);
    await button(panel, "Export Move amounts to cents").focus();
    assert.equal(await focused(panel), "Export Move amounts to cents");
  });
});
