/** The list of "/": the panel's own commands, and those that are prompts. */
import assert from "node:assert/strict";
import { focused, message, panelWith } from "./browser.ts";
import { commands } from "./command-states.ts";
import * as f from "./fixtures.ts";
import type { PanelPage } from "./page.ts";

const opened = (state: Parameters<typeof f.panelState>[0] = {}) =>
  panelWith(f.snapshot(f.chat("T", [f.asked]), f.panelState({ commands, ...state })));
const type = (panel: PanelPage, text: string) => message(panel).pressSequentially(text);
const list = (panel: PanelPage) => panel.page.getByRole("listbox", { name: "Commands" });
const names = async (panel: PanelPage) =>
  (await list(panel).getByRole("option").locator("code:first-child").allInnerTexts()).map((text) => text.trim());
const prompts = async (panel: PanelPage) => (await panel.sentOf("prompt")).map(({ text }) => text);

describe("commands", () => {
  it("are offered as soon as a message begins with a slash, Rondo's own first, each with its source", async () => {
    const panel = await opened();
    await type(panel, "/");
    const all = await names(panel);
    assert.deepEqual(all.slice(0, 3), ["/new", "/sessions", "/compact"]);
    assert.deepEqual(all.slice(-4), ["/review", "/changelog", "/frontend:component", "/tidy"]);
    assert.match(await list(panel).innerText(), /Built in[\s\S]*Of this workspace[\s\S]*Yours/);
    const changelog = list(panel).getByRole("option", { name: /changelog/ });
    assert.match(await changelog.innerText(), /<version>[\s\S]*\.rondo\/commands\/changelog\.md[\s\S]*Write the entry/);
    assert.equal(await focused(panel), "Message");
  });

  it("are found by letters anywhere in their names; paths and later slashes open no list", async () => {
    const panel = await opened();
    await type(panel, "/co");
    assert.deepEqual(await names(panel), ["/compact", "/context", "/cost", "/frontend:component"]);
    for (const text of ["/etc/hosts", "see /co", "/zzz"]) {
      await message(panel).fill("");
      await type(panel, text);
      assert.equal(await list(panel).count(), 0, text);
    }
  });

  it("without arguments run by Enter, and are not sent", async () => {
    const panel = await opened();
    await type(panel, "/new");
    await message(panel).press("Enter");
    assert.equal((await panel.sentOf("new-session")).length, 1);
    assert.deepEqual(await prompts(panel), []);
    assert.equal(await message(panel).inputValue(), "");
    await type(panel, "/exp");
    await message(panel).press("Enter");
    assert.deepEqual(
      (await panel.sentOf("export-session")).map(({ format }) => format),
      ["markdown"],
    );
    await type(panel, "/cont");
    await message(panel).press("Enter");
    await panel.page.getByRole("region", { name: "Context" }).waitFor();
  });

  it("that is named wholly comes before longer names", async () => {
    const panel = await opened();
    await type(panel, "/mode");
    assert.deepEqual(await names(panel), ["/mode", "/model"]);
    await message(panel).press("Enter");
    await panel.page.getByRole("menu", { name: "Mode" }).waitFor();
  });

  it("are read anew each time that the list opens", async () => {
    const panel = await opened();
    await type(panel, "/co then /co");
    await message(panel).fill("");
    await type(panel, "/ti");
    assert.equal((await panel.sentOf("list-commands")).length, 2);
    await panel.post({ type: "state", state: f.panelState({ commands: [] }) });
    assert.equal(await list(panel).count(), 0);
  });

  it("with arguments wait for them; Tab writes the name of any; Escape closes the list and keeps the text", async () => {
    const panel = await opened();
    await type(panel, "/chan");
    await message(panel).press("Enter");
    assert.equal(await message(panel).inputValue(), "/changelog ");
    assert.equal(await list(panel).count(), 0);
    await type(panel, "1.2");
    await message(panel).press("Enter");
    assert.deepEqual(await prompts(panel), ["/changelog 1.2"]);
    await type(panel, "/tid");
    await message(panel).press("Tab");
    assert.equal(await message(panel).inputValue(), "/tidy ");
    await message(panel).fill("");
    await type(panel, "/ti");
    await message(panel).press("Escape");
    assert.equal(await list(panel).count(), 0);
    assert.equal(await message(panel).inputValue(), "/ti");
    assert.deepEqual(await panel.sentOf("stop"), []);
  });

  it("of the workspace run by Enter and by a press where they expect no arguments", async () => {
    const panel = await opened();
    await type(panel, "/tidy");
    await message(panel).press("Enter");
    await type(panel, "/ti");
    await list(panel).getByRole("option", { name: /tidy/ }).click();
    assert.deepEqual(await prompts(panel), ["/tidy", "/tidy"]);
  });

  it("/plan changes the mode first and sends the task", async () => {
    const panel = await opened();
    await type(panel, "/plan Split the module");
    await message(panel).press("Enter");
    const sent = (await panel.sent()).filter(({ type }) => type === "set-mode" || type === "prompt");
    assert.deepEqual(
      sent.map((one) => (one.type === "set-mode" ? one.mode : one.type === "prompt" ? one.text : "")),
      ["plan", "Split the module"],
    );
  });

  it("/cost says what the session and today have cost, and what is not known", async () => {
    const panel = await opened({ cost: { session: 0.42, today: 1.2, partial: true, estimated: false } });
    await type(panel, "/cost");
    await message(panel).press("Enter");
    const notice = panel.page.getByText("This session has cost at least $0.42, all sessions of today at least $1.20.");
    await notice.waitFor();
    await panel.page.getByText("The price of some replies is not known.").waitFor();
  });

  it("the active one is named to screen readers", async () => {
    const panel = await opened();
    await type(panel, "/co");
    await message(panel).press("ArrowDown");
    const id = await message(panel).getAttribute("aria-activedescendant");
    const option = list(panel).locator(`[id="${id}"][aria-selected=true]`);
    assert.match(await option.innerText(), /\/context/);
  });
});
