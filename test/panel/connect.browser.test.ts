/** The panel without a model: rows and forms in place, keys that the page forgets, and nothing cut at any width. */
import assert from "node:assert/strict";
import { until } from "../timing.ts";
import { button, focused, message, panelWith } from "./browser.ts";
import { connectStates, models, there, unconnected, view } from "./connect-states.ts";
import * as f from "./fixtures.ts";

const secret = "sk-ant-api03-a-key-that-is-shown-nowhere";
const ollama = { providerID: "ollama", name: "Ollama", models: 3, needsKey: false, pull: undefined };

describe("connecting a model", () => {
  it("offers what needs no typing first, and uses it with one press", async () => {
    const panel = await panelWith(unconnected({ found: [ollama], offered: { isCopilot: true, names: ["GPT-6"] } }));
    const names = await panel.page.locator(".Connect .main > :first-child").allInnerTexts();
    assert.deepEqual(names, [
      "Ollama on this machine",
      "Models of your Copilot plan",
      "Use an API key",
      "Use another server",
      "Look around without a model",
    ]);
    await button(panel, "Use Ollama").click();
    await button(panel, "Use Models of your Copilot plan").click();
    assert.deepEqual(
      (await panel.sentOf("use-found")).map(({ providerID }) => providerID),
      ["ollama", "vscode"],
    );
    assert.equal(await panel.page.locator(".Connect .primary").count(), 1, "one blue button");
  });

  it("is read from its top in a short panel, and stays where it was scrolled to when the panel is resized", async () => {
    const panel = await panelWith(unconnected({ found: [ollama] }));
    const heading = panel.page.getByRole("heading", { name: "Connect a model" });
    const log = panel.page.getByRole("log");
    const top = () => log.evaluate((element) => element.scrollTop);
    await panel.resize({ width: 320, height: 480 });
    await until(() => log.evaluate((element) => element.scrollHeight > element.clientHeight));
    assert.equal(await top(), 0);
    assert.ok(await heading.isVisible());
    await log.evaluate((element) => element.scrollTo(0, 60));
    await panel.resize({ width: 320, height: 470 });
    await until(() => log.evaluate((element) => element.scrollHeight - element.clientHeight >= 60));
    assert.equal(await top(), 60);
    // A conversation before it was at its end.
    await panel.post(f.snapshot(f.chat("Long", [f.asked, f.rondo([f.saying(f.answer.repeat(8))])])));
    await panel.post(unconnected({ found: [ollama] }));
    await heading.waitFor();
    await until(async () => (await top()) === 0);
  });

  it("sends a pasted key once, in a field that hides it, and keeps it nowhere", async () => {
    const panel = await panelWith(unconnected());
    await button(panel, /^Use an API key/).click();
    const field = panel.page.getByRole("textbox", { name: "API key" });
    assert.equal(await field.getAttribute("type"), "password");
    assert.equal(await focused(panel), "API key");
    await panel.page.keyboard.insertText(secret);
    assert.deepEqual(
      (await panel.sentOf("check-key")).map(({ key, providerID }) => [key, providerID]),
      [[secret, ""]],
    );
    await button(panel, "Show the key").click();
    assert.equal(await field.getAttribute("type"), "text");
    await panel.post(view({ type: "accepted", models, isNewKey: true }));
    assert.equal(await field.inputValue(), "");
    assert.equal(await field.getAttribute("type"), "password");
    const kept = await panel.page.evaluate(
      () => `${sessionStorage.getItem("state")}${document.documentElement.outerHTML}`,
    );
    assert.ok(!kept.includes(secret));
    assert.equal((await panel.sentOf("check-key")).length, 1);
  });

  it("waits for Enter where a key is typed", async () => {
    const panel = await panelWith(unconnected());
    await button(panel, /^Use an API key/).click();
    await panel.page.keyboard.type("sk-ant-typed-by-hand");
    assert.equal((await panel.sentOf("check-key")).length, 0);
    await panel.page.keyboard.press("Enter");
    assert.equal((await panel.sentOf("check-key"))[0]?.key, "sk-ant-typed-by-hand");
  });

  it("begins with the model that is chosen, and sends the task that waited", async () => {
    const panel = await panelWith(unconnected());
    await message(panel).fill("Fix the rounding");
    await message(panel).press("Enter");
    await panel.page.getByText("Your task waits.").waitFor();
    assert.equal((await panel.sentOf("prompt")).length, 0);
    await button(panel, /^Use an API key/).click();
    await panel.post(view({ type: "accepted", models, isNewKey: true }));
    await panel.page.getByText("Your task is sent then.").waitFor();
    await button(panel, "All 9 models").click();
    await panel.page.getByRole("radio", { name: /Claude Opus/ }).check();
    await button(panel, "Start").click();
    assert.equal((await panel.sentOf("start-with"))[0]?.modelID, "claude-opus-5-5");
    // The key is stored before Start: the form stays until the host says that it has begun.
    await panel.post({ type: "state", state: f.panelState({ contextUsed: undefined }) });
    assert.equal(await button(panel, "Start").count(), 1);
    assert.equal((await panel.sentOf("prompt")).length, 0);
    await panel.post({ type: "connected", label: "Claude Opus 5.5" });
    assert.equal((await panel.sentOf("prompt"))[0]?.text, "Fix the rounding");
    assert.equal(await message(panel).inputValue(), "");
  });

  it("asks whose key it is where the key does not tell", async () => {
    const panel = await panelWith(unconnected());
    await button(panel, /^Use an API key/).click();
    await panel.page.keyboard.insertText("sk-0123456789abcdef");
    await panel.post(view({ type: "which", providers: there().providers }, { provider: undefined }));
    await button(panel, "DeepSeek").click();
    const [, second] = await panel.sentOf("check-key");
    assert.deepEqual([second?.key, second?.providerID], ["", "deepseek"]);
  });

  for (const [state, said, primary] of [
    [
      "connect-key-refused",
      "Anthropic refuses this key: invalid x-api-key. It may be cut off, or deleted.",
      "Check again",
    ],
    ["connect-key-no-credit", "The key works, but the account has no credit.", "Add credit"],
    ["connect-key-no-answer", "Nothing answers at api.anthropic.com.", "Check again"],
    ["connect-server-no-answer", "Nothing answers at localhost:1234. Does the server run? LM Studio:", "Check again"],
    ["connect-ollama-empty", "Ollama runs, but has no model yet.", "Run in terminal"],
  ] as const) {
    it(`ends in one blue button: ${state}`, async () => {
      const { messages, act } = connectStates[state] ?? { messages: [] };
      const panel = await panelWith(...messages);
      await act?.(panel.page, panel);
      await panel.page.getByText(said).waitFor();
      assert.deepEqual(await panel.page.locator(".Start .primary").allInnerTexts(), [primary]);
    });
  }

  it("closes with Escape, forgets what was sent, and gives the focus back to the row", async () => {
    const panel = await panelWith(unconnected());
    await button(panel, /^Use another server/).click();
    assert.equal(await focused(panel), "Address");
    await panel.page.keyboard.press("Escape");
    assert.equal(await panel.page.getByRole("group", { name: "Another server" }).count(), 0);
    assert.equal((await panel.sentOf("close-form")).length, 1);
    const name = await panel.page.evaluate(() => document.activeElement?.textContent);
    assert.match(name ?? "", /^\s*Use another server/);
  });

  it("shows every form whole at 320, 400 and 600 px", async () => {
    for (const [name, { messages, act }] of Object.entries(connectStates)) {
      const panel = await panelWith(...messages);
      await act?.(panel.page, panel);
      for (const width of [320, 400, 600]) {
        await panel.resize({ width, height: 820 });
        const beyond = await panel.page.evaluate(() =>
          [...document.querySelectorAll(".Start :is(button, input, p, h2, h3)")]
            .filter(
              (one) => one.getBoundingClientRect().right > innerWidth + 0.5 || one.scrollWidth > one.clientWidth + 1,
            )
            .filter((one) => one.tagName !== "INPUT" && getComputedStyle(one).display !== "inline")
            .map((one) => one.textContent),
        );
        assert.deepEqual(beyond, [], `${name} at ${width}`);
      }
    }
  });
});
