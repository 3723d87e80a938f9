/** The list of "/": the panel's own commands, and those that are prompts. */
import assert from "node:assert/strict";
import { until } from "../timing.ts";
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
    assert.deepEqual(all.slice(-6), [
      ...["/review", "/changelog", "/frontend:component", "/weather:forecast", "/weather:now", "/tidy"],
    ]);
    assert.match(
      await list(panel).innerText(),
      /Built in[\s\S]*Of this workspace[\s\S]*Prompts of MCP servers[\s\S]*Yours/,
    );
    const changelog = list(panel).getByRole("option", { name: /changelog/ });
    assert.match(await changelog.innerText(), /<version>[\s\S]*\.rondo\/commands\/changelog\.md[\s\S]*Write the entry/);
    assert.equal(await focused(panel), "Message");
  });

  it("are found by letters anywhere in their names; paths and later slashes open no list", async () => {
    const panel = await opened();
    await type(panel, "/co");
    assert.deepEqual(await names(panel), ["/compact", "/commit", "/context", "/cost", "/frontend:component"]);
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

  it("that take no words keep those that follow them, and say so", async () => {
    const panel = await opened();
    const text = "/new Split the module\nand test it";
    await message(panel).fill(text);
    await message(panel).press("Enter");
    await panel.page.getByText("/new takes no arguments.").waitFor();
    assert.equal(await message(panel).inputValue(), text);
    assert.deepEqual(await panel.sentOf("new-session"), []);
    assert.deepEqual(await prompts(panel), []);
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

  it("/plan alone only changes the mode, and sends nothing that is attached", async () => {
    const panel = await opened();
    const file = { mime: "text/plain", filename: "a.txt", url: "file:///a.txt" };
    await panel.post({ type: "state", state: f.panelState({ attachments: [file] }) });
    await type(panel, "/plan ");
    await message(panel).press("Enter");
    assert.deepEqual(await panel.sentOf("set-mode"), [{ type: "set-mode", mode: "plan" }]);
    assert.deepEqual(await prompts(panel), []);
    await type(panel, "/plan Later");
    await message(panel).press("Alt+Enter");
    assert.deepEqual(
      (await panel.sentOf("prompt")).map(({ text, when }) => [text, when]),
      [["Later", "after-turn"]],
    );
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

  it("/compact takes what to keep, and /commit asks for a commit message", async () => {
    const panel = await opened();
    await type(panel, "/compact the names of tables");
    await message(panel).press("Enter");
    await type(panel, "/compact");
    await message(panel).press("Escape");
    await message(panel).press("Enter");
    assert.deepEqual(
      (await panel.sentOf("compact")).map(({ keep }) => keep),
      ["the names of tables", undefined],
    );
    await type(panel, "/commit");
    await message(panel).press("Enter");
    assert.equal((await panel.sentOf("write-commit-message")).length, 1);
    assert.deepEqual(await prompts(panel), []);
  });

  it("/cost says what the session and today have cost, and what is not known", async () => {
    const panel = await opened({ cost: { session: 0.42, today: 1.2, partial: true, estimated: false } });
    await type(panel, "/cost");
    await message(panel).press("Enter");
    const notice = panel.page.getByText("This session has cost at least $0.42, all sessions of today at least $1.20.");
    await notice.waitFor();
    await panel.page.getByText("The price of some replies is not known.").waitFor();
  });

  it("of an MCP server name it, and mark what it says as its claim", async () => {
    const panel = await opened();
    await type(panel, "/wea");
    assert.deepEqual(await names(panel), ["/weather:forecast", "/weather:now"]);
    const forecast = list(panel).getByRole("option", { name: /forecast/ });
    assert.match(
      await forecast.innerText(),
      /<city> \[state\][\s\S]*MCP server weather[\s\S]*The server says: The forecast of the next days/,
    );
    await type(panel, "ther:n");
    await message(panel).press("Enter");
    assert.deepEqual(await prompts(panel), ["/weather:now"]);
  });

  it("whose required argument is missing say so before they are sent, and keep the text", async () => {
    const panel = await opened();
    for (const text of ["/weather:forecast", "/weather:forecast state=NY"]) {
      await message(panel).fill(text);
      await message(panel).press("Escape");
      await message(panel).press("Enter");
      await panel.page.getByText("/weather:forecast needs the argument city.").waitFor();
      await panel.page.getByText("Write it after the name: /weather:forecast <city> [state]").waitFor();
      assert.equal(await message(panel).inputValue(), text);
    }
    assert.deepEqual(await prompts(panel), []);
  });

  const values = (panel: PanelPage) => panel.page.getByRole("listbox", { name: /^Values of / });
  const rows = async (panel: PanelPage) =>
    (await values(panel).getByRole("option").allInnerTexts()).map((text) => text.trim());
  const bold = async (panel: PanelPage) => (await panel.page.locator(".Composer p b").allInnerTexts()).join(" ");
  const offer = (panel: PanelPage, argument: string, value: string, ...values: string[]) =>
    panel.post({ type: "argument-values", command: "weather:forecast", argument, value, values });

  it("offer the values of the argument in turn, which is bold; the server is asked with what is written", async () => {
    const panel = await opened();
    await type(panel, "/weather:forecast ");
    assert.equal(await bold(panel), "<city>");
    await panel.page.getByText("The server says: Name of the city").waitFor();
    await until(async () => (await panel.sentOf("list-values")).length === 1);
    const [asked] = await panel.sentOf("list-values");
    assert.deepEqual([asked?.argument, asked?.value, asked?.given], ["city", "", {}]);
    await offer(panel, "city", "", "Berlin", "New York");
    await values(panel).waitFor();
    assert.deepEqual(await rows(panel), ["Berlin", "New York"]);
    await type(panel, "new");
    assert.deepEqual(await rows(panel), ["New York"]);
    await message(panel).press("Enter");
    assert.equal(await message(panel).inputValue(), '/weather:forecast "New York" ');
    assert.equal(await bold(panel), "[state]");
    await offer(panel, "state", "", "NY", "NJ");
    await values(panel).waitFor();
    // An argument that may be left out is: Enter sends.
    assert.equal(await message(panel).getAttribute("aria-activedescendant"), null);
    await message(panel).press("Enter");
    assert.deepEqual(await prompts(panel), ['/weather:forecast "New York"']);
  });

  it("values can be moved to and left alone: Up and Down choose, Escape closes, a written one is sent", async () => {
    const panel = await opened();
    await type(panel, "/weather:forecast Bern ");
    await offer(panel, "state", "", "NY", "NJ");
    await values(panel).waitFor();
    await message(panel).press("ArrowUp");
    assert.match((await values(panel).locator("[aria-selected=true]").innerText()) ?? "", /NJ/);
    await message(panel).press("Escape");
    assert.equal(await values(panel).count(), 0);
    await type(panel, "N");
    assert.equal(await values(panel).count(), 0);
    await message(panel).fill("");
    await type(panel, "/weather:forecast Bern N");
    await offer(panel, "state", "N", "NY", "NJ");
    await values(panel).waitFor();
    await message(panel).press("Tab");
    assert.equal(await message(panel).inputValue(), "/weather:forecast Bern NY ");
    await message(panel).fill("/weather:forecast Bern NY");
    await offer(panel, "state", "NY", "NY", "NYC");
    await values(panel).waitFor();
    await message(panel).press("Enter");
    assert.deepEqual(await prompts(panel), ["/weather:forecast Bern NY"]);
  });

  it("values of another argument, or that come too late, are not offered", async () => {
    const panel = await opened();
    await type(panel, "/weather:forecast B");
    await offer(panel, "state", "B", "Bavaria");
    await offer(panel, "city", "X", "Xanten");
    await panel.post({ type: "argument-values", command: "other", argument: "city", value: "B", values: ["Bonn"] });
    assert.equal(await values(panel).count(), 0);
  });

  it("/model and /mode offer their values, and choose the one that is picked or written", async () => {
    const panel = await opened();
    await type(panel, "/model ");
    assert.equal(await bold(panel), "[model]");
    assert.deepEqual(
      await rows(panel),
      f.panelState().models.map(({ label }) => label),
    );
    await type(panel, "hai");
    await message(panel).press("Enter");
    const chosen = async () => (await panel.sentOf("set-model")).map(({ modelID }) => modelID);
    assert.deepEqual(await chosen(), ["claude-haiku-4-5"]);
    await message(panel).fill(`/model ${f.qwen.modelID}`);
    await message(panel).press("Escape");
    await message(panel).press("Enter");
    assert.deepEqual(await chosen(), ["claude-haiku-4-5", f.qwen.modelID]);
    await message(panel).fill("/model gpt-9");
    await message(panel).press("Enter");
    await panel.page.getByText("There is no model gpt-9.").waitFor();
    assert.equal(await message(panel).inputValue(), "/model gpt-9");
    await message(panel).fill("/mode acc");
    await message(panel).press("Enter");
    assert.deepEqual(
      (await panel.sentOf("set-mode")).map(({ mode }) => mode),
      ["acceptEdits"],
    );
    assert.deepEqual(await prompts(panel), []);
  });

  it("of a server that is asked can be stopped by the button and by Escape", async () => {
    const panel = await opened({ asking: "weather" });
    await panel.page.getByText("Asking the MCP server weather").waitFor();
    await panel.page.getByRole("button", { name: "Stop asking" }).click();
    await message(panel).press("Escape");
    assert.equal((await panel.sentOf("stop-asking")).length, 2);
  });

  it("the active one is named to screen readers", async () => {
    const panel = await opened();
    await type(panel, "/co");
    await message(panel).press("ArrowDown");
    const id = await message(panel).getAttribute("aria-activedescendant");
    const option = list(panel).locator(`[id="${id}"][aria-selected=true]`);
    assert.match(await option.innerText(), /\/commit/);
  });
});
