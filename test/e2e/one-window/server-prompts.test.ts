/** Prompts of an MCP server as commands: listed, completed, sent from the field, stopped, and refused. */
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Frame } from "playwright-core";
import { heldAnswer } from "../held-answer.ts";
import { composed, enter, message, press, said } from "../panel-actions.ts";
import { sharedWindow, type Window } from "../window.ts";

const root = path.join(import.meta.dirname, "../../..");
const everything = path.join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const hostile = path.join(root, "test/mcp/servers/hostile-offers.ts");
const configuration = {
  mcpServers: {
    everything: { command: process.execPath, args: [everything, "stdio"] },
    slow: { command: process.execPath, args: [hostile, "hang"] },
  },
};

describe("prompts of MCP servers", () => {
  let window: Window;
  let panel: Frame;
  before(async () => {
    window = await sharedWindow();
    panel = await window.panel();
    await writeFile(path.join(window.folder, ".mcp.json"), JSON.stringify(configuration));
    await press(panel, "Show servers");
    const servers = panel.getByRole("region", { name: "Servers" });
    for (const name of ["everything", "slow"]) await servers.getByRole("button", { name: `Allow ${name}` }).click();
    await panel.getByRole("button", { name: "Back to the conversation" }).click();
  });
  beforeEach(async () => {
    window = await sharedWindow();
    panel = await window.panel();
  });
  after(() => rm(path.join(window.folder, ".mcp.json"), { force: true }));

  const list = (name: RegExp | string) => panel.getByRole("listbox", { name });
  const type = (text: string) => message(panel).pressSequentially(text);

  it("T17 a prompt is chosen with its values, and what the server says goes to the model with the message", async () => {
    window.plays([{ text: "Alice it is." }]);
    await type("/everything:comp");
    await list("Commands")
      .getByRole("option", { name: /completable-prompt/, selected: true })
      .waitFor();
    await enter(panel);
    await list("Values of department").getByRole("option", { name: "Sales" }).waitFor();
    await type("Eng");
    await enter(panel);
    await list("Values of name").getByRole("option", { name: "Alice" }).click();
    await composed(panel, "/everything:completable-prompt Engineering Alice ");
    await enter(panel);
    await said(panel, "Alice it is.");
    const raw = window.requests.at(-1)?.raw ?? "";
    assert.match(raw, /Please promote Alice to the head of the Engineering team\./);
    assert.match(raw, /a prompt of the MCP server everything\./);
    // The name of the chip is in two pieces, of which the first is cut where there is no room.
    const shown = (await panel.getByRole("article", { name: "You" }).last().textContent()) ?? "";
    assert.match(shown, /everything:completable-prompt[\s\S]*\/everything:completable-prompt Engineering Alice/);

    // What the server has said opens, and cannot be changed.
    await panel
      .getByRole("article", { name: "You" })
      .last()
      .getByRole("button", { name: /everything:completable-prompt/ })
      .click();
    await window.page.locator(".tab.active", { hasText: "completable-prompt" }).waitFor();
    await window.page
      .locator(".editor-instance .view-line", { hasText: "Please promote Alice to the head of the Engineering team." })
      .first()
      .waitFor();
    await window.page.locator(".editor-instance .view-lines").first().click();
    await window.page.keyboard.type("x");
    await window.page.getByText("Cannot edit in read-only editor").first().waitFor();
    await message(panel).click();
  });

  it("T17 a command that waits in the queue is edited in place: the server is asked again", async () => {
    const { answer, release } = heldAnswer("I work on the first. ".repeat(4));
    window.plays(answer, [{ text: "Lyon it is." }]);
    await message(panel).fill("the first");
    await enter(panel);
    await said(panel, "I work on");
    await message(panel).fill("/everything:args-prompt Paris");
    await enter(panel);
    const row = panel.getByRole("list", { name: "Queue" }).getByRole("listitem");
    await row.filter({ hasText: "Paris" }).hover();
    await row.getByRole("button", { name: "Edit" }).click();
    const field = panel.getByRole("textbox", { name: "Waiting message 1" });
    // What the server refuses comes into the message box, and the queued message stays.
    await field.fill("/everything:args-prompt");
    await field.press("Enter");
    await panel.getByText("/everything:args-prompt needs the argument city.").first().waitFor();
    await composed(panel, "/everything:args-prompt");
    await message(panel).fill("");
    await row.filter({ hasText: "Paris" }).hover();
    await row.getByRole("button", { name: "Edit" }).click();
    await field.fill("/everything:args-prompt Lyon");
    await field.press("Enter");
    await row.filter({ hasText: "Lyon" }).waitFor();
    release();
    await said(panel, "Lyon it is.");
    const raw = window.requests.at(-1)?.raw ?? "";
    assert.match(raw, /What's weather in Lyon/);
    assert.doesNotMatch(raw, /Paris/);
  });

  it("T17 a server that does not answer is stopped by Escape; the message comes back and nothing is sent", async () => {
    await type("/slow:greet you");
    await enter(panel);
    await panel.getByText("Asking the MCP server slow").waitFor();
    await composed(panel, "");
    await message(panel).press("Escape");
    await composed(panel, "/slow:greet you");
    // An empty session's draft is that of the next one, too.
    await message(panel).fill("");
    await panel.getByText("Asking the MCP server slow").waitFor({ state: "detached" });
    assert.equal(window.requests.length, 0);
  });

  it("T17 V14 what is attached goes with the message that waits for a server, not with the next one", async () => {
    panel = await window.newSession();
    await type("@package.json");
    await panel.getByRole("option", { name: /package\.json/, selected: true }).waitFor();
    await enter(panel);
    const chip = panel.getByRole("button", { name: "Show package.json" });
    await chip.waitFor();
    await type("/slow:greet you");
    await enter(panel);
    await panel.getByText("Asking the MCP server slow").waitFor();
    await chip.waitFor({ state: "detached" });
    window.plays([{ text: "It is noon." }]);
    await message(panel).fill("what time is it?");
    await enter(panel);
    await said(panel, "It is noon.");
    const raw = window.requests.at(-1)?.raw ?? "";
    assert.doesNotMatch(raw, /package\.json, lines/);
    await message(panel).fill("");
    await press(panel, "Stop asking");
    await composed(panel, "/slow:greet you");
    await chip.waitFor();
    await press(panel, "Remove package.json");
    await message(panel).fill("");
  });

  it("T17 a message that waits for a server survives a reload of the window", async () => {
    await type("/slow:greet again");
    await enter(panel);
    await panel.getByText("Asking the MCP server slow").waitFor();
    await composed(panel, "");
    panel = await window.reload();
    await composed(panel, "/slow:greet again");
    await message(panel).fill("");
    assert.equal(window.requests.length, 0);
  });

  it("V14 a resource is found after @, attached and sent", async () => {
    window.plays([{ text: "The architecture is read." }]);
    await type("@resource:archit");
    await list("Mentions")
      .getByRole("option", { name: /architecture\.md/, selected: true })
      .waitFor();
    await enter(panel);
    const chips = panel.getByRole("group", { name: "Attached" });
    await chips.getByRole("button", { name: /^Show .*architecture\.md/ }).waitFor();
    await type("Read it.");
    await enter(panel);
    await said(panel, "The architecture is read.");
    assert.match(window.requests.at(-1)?.raw ?? "", /demo:\/\/resource\/static\/document\/architecture\.md/);
  });

  it("V14 a template of resources is found after @, asks for its variable, and is attached with it", async () => {
    window.plays([{ text: "Resource 12 is read." }]);
    await type("Look at @resource:dynamictext");
    await list("Mentions")
      .getByRole("option", { name: /Dynamic Text Resource.*1 value…/, selected: true })
      .waitFor();
    await enter(panel);
    await composed(panel, "Look at @resourceId=");
    await type("12");
    await list("Values of resourceId").getByRole("option", { name: "12" }).waitFor();
    await enter(panel);
    await composed(panel, "Look at ");
    const chips = panel.getByRole("group", { name: "Attached" });
    await chips.getByRole("button", { name: /^Show .*dynamic\/text\/12/ }).waitFor();
    await enter(panel);
    await said(panel, "Resource 12 is read.");
    const raw = window.requests.at(-1)?.raw ?? "";
    assert.match(raw, /demo:\/\/resource\/dynamic\/text\/12/);
    assert.match(raw, /Resource 12: This is a plaintext resource/);
  });

  it("T17 what the server refuses comes back with its sentence", async () => {
    await message(panel).fill("/everything:resource-prompt Video 1");
    await message(panel).press("Escape");
    await enter(panel);
    await panel.getByText(/The MCP server everything refused: .*Invalid resourceType: Video/).waitFor();
    await composed(panel, "/everything:resource-prompt Video 1");
    assert.equal(window.requests.length, 0);
    assert.deepEqual(window.errors, []);
    // Empty sessions share their draft.
    await message(panel).fill("");
  });
});
