/** A hostile reply may look plain, but the log goes on, and Stop works while it streams. */
import assert from "node:assert/strict";
import { stopwatch } from "../timing.ts";
import { events, panelBrowser, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { hostileMarkdown } from "./hostile-markdown.ts";
import type { PanelPage } from "./page.ts";

/** Generous for slow machines: without limits the cases take minutes, or end the panel. */
const maxMs = 10_000;
const pieces = 20;

/** Adds a message to the log, and waits until it is drawn. */
async function assertGoesOn(panel: PanelPage): Promise<void> {
  const { info, parts } = f.rondo([f.said("The next message.")]);
  const elapsed = stopwatch();
  await panel.post(
    events({ type: "message", message: info }, ...parts.map((part) => ({ type: "part", part }) as const)),
  );
  await panel.page.getByRole("log").getByText("The next message.", { exact: true }).waitFor();
  assert.ok(elapsed() < maxMs, "the panel stood still");
  assert.deepEqual(panel.errors, []);
}

describe("hostile Markdown in the panel", function () {
  this.timeout(180_000);
  // The browser's start does not count.
  before(async () => {
    await panelBrowser();
  });

  for (const [name, text] of hostileMarkdown) {
    it(`${name}: the log goes on`, async () => {
      const elapsed = stopwatch();
      const panel = await panelWith(
        f.snapshot(f.chat("x", [f.you(text), f.rondo([f.thought(text, 1), f.said(text)])])),
      );
      await assertGoesOn(panel);
      assert.ok(elapsed() < maxMs, "the panel stood still");
    });

    it(`${name}, in pieces: Stop works, and the log goes on`, async () => {
      const reply = f.rondo([f.saying("")]);
      const [part] = reply.parts;
      assert.ok(part);
      const busy = { status: { type: "busy", since: 0 } } as const;
      const panel = await panelWith(f.snapshot(f.chat("x", [f.you("x"), reply], busy)));
      const { messageID, id: partID } = part;
      const elapsed = stopwatch();
      const length = Math.ceil(text.length / pieces);
      for (let at = 0; at < text.length; at += length) {
        await panel.post(events({ type: "delta", messageID, partID, text: text.slice(at, at + length) }));
        if (at !== length * (pieces / 2)) continue;
        await panel.page.getByRole("button", { name: "Stop", exact: true }).click();
        assert.equal((await panel.sentOf("stop")).length, 1);
      }
      await assertGoesOn(panel);
      assert.ok(elapsed() < 2 * maxMs, "the panel stood still");
    });
  }

  it("blocks around a hostile one are still Markdown", async () => {
    const text = `# Before\n\n${">".repeat(5000)}\n\n**after**`;
    const panel = await panelWith(f.snapshot(f.chat("x", [f.rondo([f.said(text)])])));
    await panel.page.getByRole("heading", { name: "Before" }).waitFor();
    await panel.page.locator("strong", { hasText: "after" }).waitFor();
  });

  it("a step and a message that cannot be drawn are plain text, and the log goes on", async () => {
    // No host sends these; they stand for any fault of a component.
    const broken = { path: "a", added: 1, removed: 1, patch: 5 as never };
    const call = f.tool("edit", {
      status: "running",
      input: { file_path: "<img src=x>" },
      start: 0,
      metadata: { diffs: [broken] },
    });
    const messages = [f.rondo([f.said("One"), call]), f.you("Two"), f.rondo([f.said(5 as never)]), f.you("Three")];
    const panel = await panelWith(f.snapshot(f.chat("x", messages)));
    await panel.page.getByText("One", { exact: true }).waitFor();
    await panel.page.getByText("This step cannot be drawn").waitFor();
    // What the model has sent stands there as text, escaped.
    await panel.page.getByText('"file_path": "<img src=x>"').waitFor();
    await panel.page.getByText("This message cannot be drawn").first().waitFor();
    await panel.page.getByText("Three", { exact: true }).waitFor();
    await assertGoesOn(panel);
  });
});
