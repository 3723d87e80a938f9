/** Each trouble with a model has one button that solves it, and one other way. */
import assert from "node:assert/strict";
import type { ConnectCheck } from "../../src/chat/connect.ts";
import type { ModelRef } from "../../src/chat/message.ts";
import { button, focused, message, panelWith } from "./browser.ts";
import { there } from "./connect-states.ts";
import * as f from "./fixtures.ts";

interface Row {
  code: string;
  message?: string;
  buttons: string[];
  /** What the first button sends, or the name of what it opens. */
  sends?: object[];
  opens?: string;
  model?: ModelRef;
}

const haiku = { providerID: "anthropic", modelID: "claude-haiku-4-5" };

const rows: Record<string, Row> = {
  "a key that is refused": {
    code: "auth",
    message: "Anthropic refused the API key: invalid x-api-key.",
    buttons: ["Set key", "Switch model", "Try again"],
    opens: "API key",
  },
  "no key": { code: "no-key", buttons: ["Set key", "Switch model", "Try again"], opens: "API key" },
  "no credit": {
    code: "quota",
    buttons: ["Add credit", "Switch model", "Try again"],
    sends: [{ type: "open-provider-page", providerID: "anthropic", page: "credit" }],
  },
  ...Object.fromEntries(
    ["overloaded", "rate-limit", "network", "server"].map((code) => [
      code,
      { code, buttons: ["Try again", "Go on with qwen3-coder:30b", "Show log"], sends: [{ type: "try-again" }] },
    ]),
  ),
  "a model that is not there": {
    code: "unknown-model",
    model: { providerID: "anthropic", modelID: "claude-haku-4-5" },
    buttons: ["Use claude-haiku-4-5", "Choose a model", "Try again"],
    sends: [{ type: "set-model", ...haiku }, { type: "try-again" }],
  },
  "a model that is like no other": {
    code: "unknown-model",
    model: { providerID: "anthropic", modelID: "nobody" },
    buttons: ["Choose a model", "Try again"],
    opens: "Model",
  },
  "no access": { code: "no-access", buttons: ["Choose a model", "Try again"], opens: "Model" },
  "a flagged message": { code: "flagged", buttons: ["Choose a model", "Try again"], opens: "Model" },
  "a full window": {
    code: "context-full",
    buttons: ["New session", "Switch model", "Try again"],
    sends: [{ type: "new-session" }],
  },
  "any other": { code: "bug", buttons: ["Try again", "Show log"], sends: [{ type: "try-again" }] },
};

function troubled({ code, message = "It failed.", model }: Row, state = f.panelState()) {
  const error = { code, message, next: "What to do." };
  return f.snapshot(f.chat("T", [f.asked, f.rondo([], { error, ...(model && { model }) })]), state);
}

describe("notices of errors", () => {
  for (const [what, row] of Object.entries(rows)) {
    it(`${what}: one button solves it`, async () => {
      const panel = await panelWith(troubled(row));
      await panel.page.setViewportSize({ width: 320, height: 700 });
      const alert = panel.page.getByRole("alert");
      const buttons = alert.getByRole("button");
      assert.deepEqual(
        (await buttons.allInnerTexts()).map((text) => text.trim()),
        row.buttons,
      );
      assert.equal(await alert.locator(".primary").count(), 1);
      assert.equal((await alert.locator(".primary").innerText()).trim(), row.buttons[0]);
      const isCut = await alert.evaluate((box) => box.scrollWidth > box.clientWidth);
      assert.ok(!isCut, "nothing is cut at 320 px");
      const before = (await panel.sent()).length;
      await buttons.first().click();
      if (row.opens) await panel.page.getByLabel(row.opens, { exact: true }).first().waitFor();
      else assert.deepEqual((await panel.sent()).slice(before), row.sends);
    });
  }

  it("takes a key in place, and tries again with it", async () => {
    const panel = await panelWith(troubled({ code: "auth", buttons: [] }));
    await button(panel, "Set key").click();
    assert.equal(await panel.page.getByRole("alert").count(), 0);
    assert.deepEqual(await panel.sentOf("open-key-form"), [{ type: "open-key-form", providerID: "anthropic" }]);
    assert.equal(await focused(panel), "API key");
    await panel.page.keyboard.press("Escape");
    assert.equal(await panel.page.evaluate(() => document.activeElement?.textContent?.trim()), "Set key");
    await button(panel, "Set key").click();
    const provider = { id: "anthropic", name: "Anthropic", hasKeyPage: true };
    const check = { type: "accepted", models: [], isNewKey: true } satisfies ConnectCheck;
    await panel.post({ type: "connect", view: { provider, masked: "", check } });
    await button(panel, "Try again").click();
    assert.equal((await panel.sentOf("try-again")).length, 1);
    await panel.page.getByRole("alert").waitFor();
  });

  it("sends nobody to a page for keys or credit that does not exist", async () => {
    for (const account of [
      undefined,
      { providerID: "ollama", name: "Ollama", takesKey: false, hasCreditPage: false },
    ]) {
      for (const code of ["auth", "quota"]) {
        const panel = await panelWith(troubled({ code, buttons: [] }, f.panelState({ account })));
        const buttons = panel.page.getByRole("alert").getByRole("button");
        assert.deepEqual(
          (await buttons.allInnerTexts()).map((text) => text.trim()),
          ["Switch model", "Try again"],
        );
      }
    }
  });

  it("has one primary button in view where a turn was cut and no model is connected", async () => {
    const state = f.panelState({ readiness: { type: "no-key", ...there() }, model: undefined, models: [] });
    const cut = f.rondo(f.work, { finish: "interrupted" });
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, cut]), state));
    const primary = panel.page.locator(".Log .primary");
    assert.equal((await primary.innerText()).trim(), "Continue");
    await message(panel).fill("Go on");
    await message(panel).press("Enter");
    const offer = panel.page.getByRole("region", { name: "Connect a model" });
    await offer.waitFor();
    assert.ok((await primary.count()) <= 1);
    assert.ok(!/primary/.test((await button(panel, "Continue").getAttribute("class")) ?? ""));
  });

  it("offers to connect a model where a session has messages and a new one cannot be sent", async () => {
    const state = f.panelState({ readiness: { type: "no-key", ...there() }, model: undefined, models: [] });
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, f.rondo(f.work)]), state));
    assert.equal(await panel.page.getByRole("region", { name: "Connect a model" }).count(), 0);
    await message(panel).fill("Go on");
    await message(panel).press("Enter");
    const offer = panel.page.getByRole("region", { name: "Connect a model" });
    await offer.getByText("Your message waits").waitFor();
    await offer.getByRole("button", { name: /^Use an API key/ }).waitFor();
    assert.deepEqual(await panel.sentOf("prompt"), []);
    await panel.post({ type: "state", state: f.panelState() }, { type: "connected", label: "Claude Sonnet 5" });
    assert.equal((await panel.sentOf("prompt"))[0]?.text, "Go on");
    assert.equal(await offer.count(), 0);
  });
});
