/** Modes in the panel (spec U1, U2): the button, the strip and the menu, at every width and in every theme. */
import assert from "node:assert/strict";
import { boxes, button, panelBrowser, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { modeEnd, modeStates, reviewer } from "./mode-states.ts";
import type { PanelPage, Theme } from "./page.ts";

const themes: Theme[] = ["dark", "light", "hc", "hcl"];
const widths = [240, 320, 400, 600];

/** Whether the element lies inside of the panel, and shows its text whole. */
async function isWhole(panel: PanelPage, selector: string): Promise<boolean> {
  return await panel.page.locator(selector).evaluate((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    return width > 0 && left >= 0 && right <= innerWidth && element.scrollWidth <= element.clientWidth + 1;
  });
}

describe("modes", () => {
  for (const [state, word, leave] of [
    ["mode-bypass", "Bypass", "End now"],
    ["mode-bypass-busy", "Bypass", "End now"],
    ["mode-plan", "Plan", "Build instead"],
  ] as const) {
    it(`U2 ${state}: word, colour and strip are there at every width and in every theme`, async () => {
      const { messages } = modeStates[state] ?? assert.fail();
      for (const theme of themes) {
        for (const width of widths) {
          const panel = await (await panelBrowser()).open({ theme, width, height: 480 });
          await panel.post(...messages);
          const where = `${theme}, ${width} px`;
          const picker = panel.page.getByRole("button", { name: new RegExp(`^Mode: ${word}`) });
          assert.match(await picker.innerText(), new RegExp(word), where);
          assert.ok(await isWhole(panel, "button.mode > .cut:not(.agent)"), `the word is whole: ${where}`);
          const colours = await picker.evaluate((element) => {
            const { backgroundColor, borderTopWidth, borderTopColor, color } = getComputedStyle(element);
            return { backgroundColor, borderTopWidth, borderTopColor, color };
          });
          if (word === "Plan") assert.equal(colours.borderTopWidth, "1px", where);
          else assert.notEqual(colours.backgroundColor, "rgba(0, 0, 0, 0)", where);
          assert.ok(await panel.page.getByRole("note", { name: `Mode ${word}` }).isVisible(), where);
          assert.ok(await isWhole(panel, ".ModeStrip"), where);
          await button(panel, leave).click({ trial: true });
          for (const name of [picker, button(panel, state === "mode-bypass-busy" ? "Stop" : "Send")]) {
            const [box] = await boxes(panel, name);
            assert.ok(box.x >= 0 && box.x + box.width <= width, `in sight: ${where}`);
          }
          panel.close();
        }
      }
    });
  }

  it("U1 the strip of Bypass says what asks and until when, and ends it; that of Plan goes back to the mode before", async () => {
    const bypass = f.panelState({ mode: "bypassPermissions", modeEndsAt: modeEnd, buildMode: "acceptEdits" });
    const panel = await panelWith(f.snapshot(f.chat("T", []), bypass));
    const strip = panel.page.getByRole("note", { name: "Mode Bypass" });
    assert.match(await strip.innerText(), /Nothing asks but protected files\.\s+Until 15:42\./);
    await panel.post({ type: "state", state: { ...bypass, sandboxed: true } });
    assert.match(await strip.innerText(), /Nothing asks but protected files and leaving the sandbox\.\s+Until 15:42\./);
    await button(panel, "End now").click();
    await panel.post({ type: "state", state: f.panelState({ mode: "plan", buildMode: "acceptEdits" }) });
    await button(panel, "Build instead").click();
    const edits = { type: "set-mode", mode: "acceptEdits" } as const;
    assert.deepEqual(await panel.sentOf("set-mode"), [edits, edits]);
    await panel.post({ type: "state", state: f.panelState({ mode: "acceptEdits" }) });
    assert.equal(await panel.page.locator(".ModeStrip").count(), 0, "other modes need no strip");
  });

  it("U2 the menu has four sentences with keys, Bypass below a line with a sign, and the agents", async () => {
    const state = f.panelState({ agents: reviewer, buildMode: "acceptEdits", bypassMinutes: 30 });
    const panel = await panelWith(f.snapshot(f.chat("T", []), state));
    await button(panel, "Mode: Ask first").click();
    const items = panel.page.getByRole("menuitemradio");
    assert.equal(await items.count(), 6);
    const keys = await items.evaluateAll((all) => all.map((item) => item.getAttribute("aria-keyshortcuts")));
    assert.deepEqual(keys, ["1", "2", "3", "4", null, null]);
    const bypass = panel.page.getByRole("menuitemradio", { name: /^Bypass/ });
    assert.match(
      await bypass.innerText(),
      /protected files.*sandbox.*Deny rules.*30 minutes, then Accept edits again/s,
    );
    assert.ok(await bypass.evaluate((element) => element.previousElementSibling?.tagName === "HR"));
    assert.ok(await bypass.locator(".codicon-warning.warn").isVisible());
    await panel.page.keyboard.press("4");
    await button(panel, "Mode: Ask first").click();
    await panel.page.getByRole("menuitemradio", { name: /^reviewer/ }).click();
    assert.deepEqual(await panel.sentOf("set-mode"), [{ type: "set-mode", mode: "bypassPermissions" }]);
    assert.deepEqual(await panel.sentOf("set-agent"), [{ type: "set-agent", name: "reviewer" }]);
  });
});
