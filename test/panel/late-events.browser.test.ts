/** Events that come when their element is gone, and frames that nobody needs. */
import assert from "node:assert/strict";
import { button, events, message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { longChat } from "./long-session.ts";
import { modelStates } from "./model-states.ts";
import type { PanelPage } from "./page.ts";

/** Scrolls all that can, and presses a key or a button in the same task: the events of the scrolls come after that. */
async function scrollAndPress(panel: PanelPage, press: { key: string } | { button: string }): Promise<number> {
  const scrolled = await panel.page.evaluate((press) => {
    const all = [...document.querySelectorAll<HTMLElement>("*")];
    const places = all.filter((element) => {
      const before = element.scrollTop;
      element.scrollTop += before > 0 ? -20 : 20;
      return element.scrollTop !== before;
    });
    if ("key" in press) {
      document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: press.key, bubbles: true }));
    } else document.querySelector<HTMLElement>(`[aria-label="${press.button}"]`)?.click();
    return places.filter((element) => element.matches("[role=listbox], [role=log], .details")).length;
  }, press);
  await panel.page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  return scrolled;
}

describe("late events", () => {
  it("a list of models that scrolls while it is closed", async () => {
    const state = modelStates["models-many"];
    assert.ok(state);
    const panel = await panelWith(...state.messages);
    await state.act?.(panel.page, panel);
    assert.ok((await scrollAndPress(panel, { key: "Escape" })) > 0);
    assert.equal(await panel.page.getByRole("listbox").count(), 0);
  });

  it("a log and a card that scroll while another page is opened", async () => {
    const request = f.request({ preview: f.command({ command: `${"echo some words &&\n".repeat(60)}true` }) });
    const chat = longChat({ turns: 2, steps: 20, outputCharacters: 100 });
    const panel = await panelWith(f.snapshot({ ...chat, requests: [request] }));
    await panel.page.getByRole("alertdialog").waitFor();
    assert.equal(await scrollAndPress(panel, { button: "Sessions" }), 2);
    assert.equal(await panel.page.getByRole("log").count(), 0);
  });

  it("asks for a frame when it draws, not for each piece of streamed text", async () => {
    const reply = f.rondo([f.saying("")]);
    const [part] = reply.parts;
    assert.ok(part);
    const status = { type: "busy", since: Date.now() } as const;
    const panel = await panelWith(f.snapshot(f.chat("T", [f.asked, reply], { status })));
    const { page } = panel;
    await message(panel).focus();
    await page.evaluate(() => {
      const ask = window.requestAnimationFrame.bind(window);
      const asked = { frames: 0 };
      Object.assign(window, { asked });
      window.requestAnimationFrame = (callback) => {
        asked.frames++;
        return ask(callback);
      };
    });
    const delta = { type: "delta", messageID: reply.info.id, partID: part.id, text: "some words " } as const;
    await page.keyboard.press("x");
    await panel.post(...new Array(30).fill(events(delta)));
    await page.getByRole("log").getByText("some words some words").waitFor();
    const frames = await page.evaluate(() => Reflect.get(Reflect.get(window, "asked"), "frames"));
    assert.ok(frames < 10, `${frames} frames`);
    assert.equal(await button(panel, "Stop").count(), 1);
  });
});
