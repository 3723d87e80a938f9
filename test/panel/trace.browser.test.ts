/** The trace page: its steps and calls, and its messages to the host. */
import assert from "node:assert/strict";
import { button, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { trace } from "./trace-states.ts";

describe("the trace page", () => {
  const open = async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked])));
    await panel.post({ type: "show-trace" });
    return { panel, page: panel.page.getByRole("region", { name: "Trace", exact: true }) };
  };
  const sentTypes = async (panel: Awaited<ReturnType<typeof open>>["panel"]) =>
    (await panel.sent()).map(({ type }) => type).filter((type) => type.endsWith("-trace"));

  it("K1 shows each step with time to first byte, tokens, cache share, cost and retries", async () => {
    const { panel, page } = await open();
    await panel.post({ type: "trace", trace });
    assert.ok(await page.getByText("first byte 0.8 s · 12 k in · 97 % cached · 312 out · $0.01 · 1 retry").isVisible());
    assert.ok(await page.getByText("3 steps · 36 k tokens in · at least $0.02").isVisible());
  });

  it("K1 shows each call with its question, deciding rule and waiting time, including subagents", async () => {
    const { panel, page } = await open();
    await panel.post({ type: "trace", trace });
    assert.ok(
      await page.getByText("asked: Run this command? · waited 3.6 s · Asks because no rule allows it.").isVisible(),
    );
    assert.ok(await page.getByText("8 ms").isVisible());
    assert.ok(await page.getByText("Search total(").isVisible());
  });

  it("requests the trace while it is open, and exports it", async () => {
    const { panel, page } = await open();
    await panel.post({ type: "trace", trace });
    await page.getByRole("button", { name: "Export JSON…" }).click();
    await button(panel, "Back to the conversation").click();
    assert.deepEqual(await sentTypes(panel), ["show-trace", "export-trace", "hide-trace"]);
  });

  it("says that there is no trace yet", async () => {
    const { panel, page } = await open();
    await panel.post({ type: "trace", trace: { ...trace, turns: [] } });
    assert.ok(await page.getByText("Nothing to show yet. Send a message.").isVisible());
  });
});
