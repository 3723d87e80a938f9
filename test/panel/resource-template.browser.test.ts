/** Templates of MCP resources in the list of "@": their variables are asked for in turn. */
import assert from "node:assert/strict";
import type { ResourceTemplate } from "../../src/chat/mention-search.ts";
import { message, panelWith } from "./browser.ts";
import * as f from "./fixtures.ts";
import { foundTemplate, repositoryFile } from "./mention-states.ts";
import type { PanelPage } from "./page.ts";

const type = (panel: PanelPage, text: string) => message(panel).pressSequentially(text);
const text = (panel: PanelPage) => message(panel).inputValue();
const values = (panel: PanelPage) => panel.page.getByRole("listbox", { name: /^Values of / });
const rows = async (panel: PanelPage) =>
  (await values(panel).getByRole("option").allInnerTexts()).map((row) => row.trim());

/** Opens the list, finds the template, and chooses it. */
async function chosen(before = "Why ", template: ResourceTemplate = repositoryFile): Promise<PanelPage> {
  const panel = await panelWith(f.snapshot(f.chat("T", []), f.panelState()));
  await type(panel, `${before}@repo`);
  await panel.post(foundTemplate("repo", template));
  const row = panel.page.getByRole("group", { name: "MCP resources" }).getByRole("option", { name: /A file/ });
  await row.waitFor();
  await message(panel).press("Enter");
  return panel;
}

async function press(panel: PanelPage, ...keys: string[]): Promise<string> {
  for (const key of keys) await message(panel).press(key);
  return await text(panel);
}

/** The hint that describes the message box. */
async function hint(panel: PanelPage) {
  const id = await message(panel).getAttribute("aria-describedby");
  return panel.page.locator(`[id="${id}"]`);
}

async function asked(panel: PanelPage) {
  await panel.page.waitForFunction(() => window.sent.some(({ type }) => type === "list-variable-values"));
  return (await panel.sentOf("list-variable-values")).at(-1);
}

const offer = (panel: PanelPage, variable: string, value: string, ...offered: string[]) =>
  panel.post({
    ...{ type: "variable-values", server: repositoryFile.server, uri: repositoryFile.uri },
    ...{ variable, value, values: offered },
  });

describe("templates of MCP resources", () => {
  it("V14 ask for their variables in turn, with the values of the server, and are attached then", async () => {
    const panel = await chosen();
    assert.equal(await text(panel), "Why @owner=");
    assert.deepEqual(await panel.sentOf("attach-mention"), []);
    assert.match(
      await (await hint(panel)).innerText(),
      /A file of a repository\s+github[\s\S]*The server says: Reads one file/,
    );
    assert.deepEqual(await (await hint(panel)).locator("b").allInnerTexts(), ["{owner}"]);
    const { server, uri } = repositoryFile;
    assert.deepEqual(await asked(panel), {
      ...{ type: "list-variable-values", server, uri, variable: "owner", value: "", given: {} },
    });
    await offer(panel, "owner", "", "microsoft", "rondo-dev");
    assert.deepEqual(await rows(panel), ["microsoft", "rondo-dev"]);
    assert.equal(await press(panel, "ArrowDown", "Enter"), "Why @repo=");
    assert.deepEqual(await (await hint(panel)).locator("b").allInnerTexts(), ["rondo-dev", "{repo}"]);
    await type(panel, "ro");
    await panel.page.waitForFunction(() =>
      window.sent.some((sent) => sent.type === "list-variable-values" && sent.value === "ro"),
    );
    assert.deepEqual((await asked(panel))?.given, { owner: "rondo-dev" });
    await offer(panel, "repo", "ro", "rondo", "robot");
    await values(panel).getByRole("option", { name: "rondo" }).click();
    assert.equal(await text(panel), "Why @path=");
    await type(panel, "src/a b.ts");
    assert.equal(await press(panel, "Enter"), "Why ");
    assert.deepEqual(await panel.sentOf("attach-mention"), [
      {
        type: "attach-mention",
        mention: {
          ...{ kind: "filled-template", server, uri },
          values: { owner: "rondo-dev", repo: "rondo", path: "src/a b.ts" },
        },
      },
    ]);
    assert.deepEqual(await panel.sentOf("prompt"), []);
    assert.equal(await message(panel).getAttribute("aria-describedby"), null);
  });

  it("V14 a required value waits for words; one that may be left out does not", async () => {
    const panel = await chosen("");
    assert.equal(await press(panel, "Enter", "Tab"), "@owner=", "nothing is written yet");
    await type(panel, "a");
    assert.equal(await press(panel, "Tab"), "@repo=");
    await type(panel, "b");
    assert.equal(await press(panel, "Enter"), "@path=");
    assert.match(await (await hint(panel)).innerText(), /Value of path, may be left out/);
    assert.equal(await press(panel, "Enter"), "");
    const [sent] = await panel.sentOf("attach-mention");
    assert.deepEqual(sent?.mention.kind === "filled-template" && sent.mention.values, { owner: "a", repo: "b" });
  });

  it("V14 Escape closes the values, then goes back to the list; the words around stay", async () => {
    const panel = await chosen("Why ");
    await offer(panel, "owner", "", "microsoft");
    await type(panel, "micro");
    assert.deepEqual(await rows(panel), ["microsoft"]);
    assert.equal(await press(panel, "Escape"), "Why @owner=micro");
    assert.equal(await values(panel).count(), 0);
    assert.equal(await (await hint(panel)).count(), 1, "what is to be written is still said");
    assert.equal(await press(panel, "Enter"), "Why @repo=", "the closed list chooses nothing");
    assert.equal(await press(panel, "Escape"), "Why @repo");
    await panel.post(foundTemplate("repo", repositoryFile));
    await panel.page.getByRole("listbox", { name: "Mentions" }).waitFor();
    assert.deepEqual(await panel.sentOf("attach-mention"), []);
  });

  it("V14 a text that is taken back, or left, is a text; the cursor may come back to it", async () => {
    const panel = await chosen("");
    await type(panel, "mi");
    await press(panel, "Home");
    assert.equal(await message(panel).getAttribute("aria-describedby"), null);
    await press(panel, "End");
    assert.equal(await (await hint(panel)).count(), 1);
    await press(panel, "Backspace", "Backspace", "Backspace");
    assert.equal(await message(panel).getAttribute("aria-describedby"), null);
    await type(panel, "=x");
    assert.equal(await message(panel).getAttribute("aria-describedby"), null, "it is over");
    await press(panel, "Enter");
    assert.deepEqual(
      (await panel.sentOf("prompt")).map((sent) => sent.text),
      ["@owner=x"],
    );
  });

  it("V14 values of another variable, server or address are not offered", async () => {
    const panel = await chosen("");
    await offer(panel, "repo", "", "wrong");
    assert.equal(await values(panel).count(), 0);
    await panel.post({
      ...{ type: "variable-values", server: "other", uri: repositoryFile.uri, variable: "owner", value: "" },
      values: ["wrong"],
    });
    assert.equal(await values(panel).count(), 0);
  });

  it("V14 hostile names and values are shown as text", async () => {
    const claim = "<img src=x onerror=window.ran=1>\u202E";
    const panel = await chosen("", { ...repositoryFile, server: claim, description: claim });
    const shown = "<img src=x onerror=window.ran=1>[U+202E]";
    const said = await (await hint(panel)).innerText();
    assert.equal(said.split(shown).length, 3, said);
    await panel.post({
      ...{ type: "variable-values", server: claim, uri: repositoryFile.uri, variable: "owner", value: "" },
      values: [claim],
    });
    assert.deepEqual(await rows(panel), [shown]);
    assert.equal(await panel.page.locator(".Composer img").count(), 0);
  });
});
