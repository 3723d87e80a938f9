/** A window without an API key, in a workspace with hostile settings. */
import assert from "node:assert/strict";
import { hostileSettings } from "./hostile-settings.ts";
import { message, question, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const key = "sk-ant-a-key-that-nobody-may-see";

describe("without a key", () => {
  let window: Window;
  before(async () => {
    window = await openWindow({ key: false, files: { ".vscode/settings.json": JSON.stringify(hostileSettings) } });
  });
  after(() => window?.close());

  it("says how to connect a model, regardless of the workspace's settings", async () => {
    const panel = await window.panel();
    await panel.getByRole("heading", { name: "Connect a model" }).waitFor();
    await status(panel, /No model connected/);
    assert.ok(await panel.getByRole("button", { name: "Mode: Ask first" }).isVisible());
  });

  it("keeps a task that cannot be sent yet, and says what it waits for", async () => {
    const panel = await window.panel();
    await say(panel, "hello without a key");
    await panel.getByText("Your task waits.").waitFor();
    assert.equal(await message(panel).inputValue(), "hello without a key");
    assert.equal(window.requests.length, 0);
  });

  it("stores a key as a secret in the panel, and sends the task that has waited", async () => {
    const panel = await window.panel();
    window.plays([{ text: "I run it." }, { call: { name: "bash", input: { command: "touch seen.txt" } } }]);
    await panel.getByRole("button", { name: /^Use an API key/ }).click();
    await panel.getByRole("textbox", { name: "API key" }).fill(key);
    await panel.getByText("Anthropic accepts this key.").waitFor();
    await panel.getByRole("button", { name: "Start", exact: true }).click();
    await said(panel, "I run it.");
    assert.equal(window.requests.at(-1)?.headers["x-api-key"], key);
    assert.match(window.requests.at(-1)?.raw ?? "", /hello without a key/);
  });

  it("asks despite rules and a mode of the workspace's settings, and runs none of their hooks", async () => {
    const panel = await window.panel();
    await (await question(panel, /command/)).press("Escape");
    await status(panel, /you denied/);
    await assert.rejects(window.read("seen.txt"));
    await assert.rejects(window.read("hooked.txt"));
  });

  it("never shows the key: not in the page, the panel, the logs, the record or the settings", async () => {
    const panel = await window.panel();
    assert.ok(!(await window.page.content()).includes(key));
    assert.ok(!(await panel.content()).includes(key));
    const fields = await panel
      .locator("input, textarea")
      .evaluateAll((all) => all.map((one) => ("value" in one ? one.value : "")));
    assert.ok(!fields.includes(key));
    const kept = await window.kept("data");
    assert.ok(
      [...kept.keys()].some((file) => file.endsWith(".jsonl")),
      "the record is among them",
    );
    assert.deepEqual(
      [...kept].filter(([, text]) => text.includes(key)).map(([file]) => file),
      [],
    );
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
