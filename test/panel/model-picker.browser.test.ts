/** The picker of models: search, keys, groups, rows that come late, providers that do not answer, and connecting. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { boxes, button, focused, message, panelWith } from "./browser.ts";
import { view } from "./connect-states.ts";
import * as f from "./fixtures.ts";
import { anthropic, asking, copilot, failed, listing, many, model, ollama, openrouter } from "./model-states.ts";
import type { PanelPage, Unnumbered } from "./page.ts";

const all = [anthropic, openrouter, copilot, ollama];
const field = (panel: PanelPage) => panel.page.getByRole("combobox", { name: "Search models" });
const options = (panel: PanelPage): Locator => panel.page.getByRole("option");
const names = (panel: PanelPage) => options(panel).locator(".name > :first-child").allInnerTexts();
const picker = (panel: PanelPage) => panel.page.getByRole("dialog", { name: "Choose a model" });

async function opened(...lists: Unnumbered[]): Promise<PanelPage> {
  const panel = await panelWith(f.snapshot(f.chat("T", []), f.panelState()));
  await button(panel, /^Model: /).click();
  await panel.post(...lists);
  return panel;
}

/** Returns the option that the field names as the active one. */
async function active(panel: PanelPage): Promise<Locator> {
  const id = await field(panel).getAttribute("aria-activedescendant");
  const option = panel.page.locator(`[id="${id}"][role=option][aria-selected=true]`);
  assert.equal(await option.count(), 1);
  assert.equal(await panel.page.locator("[role=option][aria-selected=true]").count(), 1);
  return option;
}
const activeName = async (panel: PanelPage) => (await (await active(panel)).innerText()).split("\n")[0];
const top = async (panel: PanelPage, option: Locator) => (await boxes(panel, option))[0].y;

describe("the model picker", () => {
  it("asks when it opens and not before, has the focus, and stops asking when it closes; the draft stays", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", []), f.panelState()));
    await message(panel).fill("Half a thought");
    assert.deepEqual(await panel.sentOf("show-models"), []);
    await button(panel, /^Model: /).press("Enter");
    assert.equal((await panel.sentOf("show-models")).length, 1);
    assert.equal(await focused(panel), "Search models");
    await panel.page.keyboard.type("a");
    await panel.page.keyboard.press("Escape");
    assert.equal(await picker(panel).count(), 0);
    assert.equal((await panel.sentOf("hide-models")).length, 1);
    assert.equal(await focused(panel), "Model: Claude Sonnet 4.5");
    assert.equal(await message(panel).inputValue(), "Half a thought");
    await panel.page.keyboard.press("Enter");
    await panel.page.getByRole("heading", { level: 1 }).click();
    assert.equal(await picker(panel).count(), 0, "a press elsewhere closes it");
    assert.deepEqual(await panel.sentOf("set-model"), []);
  });

  it("groups models by provider, with window and price; what is not known is said, never 0", async () => {
    const panel = await opened(listing([...all, { ...openrouter, id: "none", name: "None", models: [] }]));
    assert.deepEqual(await panel.page.getByRole("group").evaluateAll((all) => all.map((one) => one.ariaLabel)), [
      "Anthropic",
      "OpenRouter",
      "Copilot",
      "Found on this computer: Ollama",
    ]);
    const facts = (name: string) => options(panel).filter({ hasText: name }).locator(".price").innerText();
    const words = async (name: string) => (await facts(name)).replace(/\s+/g, " ").trim();
    assert.equal(
      await words("Claude Sonnet"),
      ", chosen, window 1 M , price 3 / 15 dollars in / out per million tokens",
    );
    assert.equal(await words("Gemini 4 Pro"), ", window 2 M , price plan");
    assert.equal(await words("gpt-oss"), ", window 128 k , price free");
    assert.equal(await words("Horizon"), ", window unknown , price unknown");
    const heading = panel.page.locator(".heading", { hasText: "Anthropic" });
    assert.equal(await heading.innerText(), "Anthropic\nwindow · $ in / out per million");
    const columns = await options(panel).evaluateAll((rows) =>
      rows.map((row) => [".window", ".cost"].map((one) => row.querySelector(one)?.getBoundingClientRect().right)),
    );
    for (const column of [0, 1]) assert.equal(new Set(columns.map((ends) => ends[column])).size, 1, "one right edge");
  });

  it("has the chosen model ticked, active and in view, however far down it is", async () => {
    const chosen = { ...f.panelState().models[0], providerID: "openrouter", modelID: "vendor-10/model-250" };
    const panel = await panelWith(
      f.snapshot(
        f.chat("T", []),
        f.panelState({ model: { ...chosen, label: "M", group: "G", price: undefined, images: undefined } }),
      ),
    );
    await button(panel, /^Model: /).click();
    await panel.post(listing([many]));
    const option = await active(panel);
    assert.match(await option.innerText(), /^Vendor 10: Model 250\n, chosen, window/);
    assert.ok(await option.locator(".codicon-check").isVisible());
    const [row, list] = await boxes(panel, option, panel.page.getByRole("listbox"));
    assert.ok(row.y >= list.y && row.y + row.height <= list.y + list.height);
  });

  it("finds names, IDs and providers by words in any order and without their signs, and marks the letters", async () => {
    const panel = await opened(listing(all));
    const marks = async () => (await options(panel).locator(".hit").allInnerTexts()).join("|");
    for (const [text, found, marked] of [
      ["sonnet", ["Claude Sonnet 4.5"], "Sonnet"],
      ["45 CLAUDE", ["Claude Sonnet 4.5", "Claude Haiku 4.5"], "Claude|4.5|Claude|4.5"],
      ["openrouter gpt", ["OpenAI: GPT-6"], "GPT"],
      ["stealth", ["Horizon"], "stealth"],
      ["gpt6", ["OpenAI: GPT-6", "GPT-6"], "GPT-6|GPT-6"],
      ["qwen3 coder", ["Qwen: Qwen3 Coder Plus", "qwen3-coder:30b", "Qwen (Alibaba Model Studio)…"], undefined],
    ] as const) {
      await field(panel).fill(text);
      assert.deepEqual(await names(panel), found, text);
      if (marked !== undefined) assert.equal(await marks(), marked, text);
      assert.equal(await activeName(panel), found[0]);
    }
    await panel.page.getByRole("status").filter({ hasText: "2 of 11 · also finds providers and IDs" }).waitFor();
  });

  it("says that nothing is found, and offers an ID that no list has with each provider, the chosen one's first", async () => {
    const panel = await opened(listing(all));
    await field(panel).fill("crt totl");
    await picker(panel).getByText("Nothing is called “crt totl”.").waitFor();
    assert.equal(await field(panel).getAttribute("aria-expanded"), "false");
    await field(panel).press("Enter");
    await field(panel).fill("team-next");
    assert.deepEqual(
      (await options(panel).allInnerTexts()).map((text) => text.replace(/\s+/g, " ")),
      ["team-next with Anthropic", "team-next with OpenRouter"],
    );
    await field(panel).press("ArrowDown");
    await field(panel).press("Enter");
    assert.deepEqual(await panel.sentOf("set-model"), [
      { type: "set-model", providerID: "openrouter", modelID: "team-next" },
    ]);
  });

  it("moves by arrows, Home, End and pages, around the ends, and chooses by Enter or a click", async () => {
    const panel = await opened(listing(all));
    for (const [key, name] of [
      ["ArrowDown", "Claude Opus 5.5"],
      ["ArrowUp", "Claude Sonnet 4.5"],
      ["ArrowUp", "gpt-oss:20b"],
      ["ArrowDown", "Claude Sonnet 4.5"],
      ["End", "gpt-oss:20b"],
      ["PageUp", "Claude Haiku 4.5"],
      ["Home", "Claude Sonnet 4.5"],
      ["PageDown", "Gemini 4 Pro"],
    ] as const) {
      await field(panel).press(key);
      assert.equal(await activeName(panel), name, key);
    }
    assert.equal(await focused(panel), "Search models");
    await field(panel).press("Enter");
    assert.equal(await picker(panel).count(), 0);
    assert.equal(await focused(panel), "Model: Claude Sonnet 4.5");
    await button(panel, /^Model: /).click();
    await options(panel).filter({ hasText: "Horizon" }).click();
    assert.deepEqual(await panel.sentOf("set-model"), [
      { type: "set-model", providerID: "vscode", modelID: "copilot/gemini-4-pro" },
      { type: "set-model", providerID: "openrouter", modelID: "stealth/horizon" },
    ]);
  });

  it("fills in what comes late at its place: the active row stays under the eye, and no other row moves past it", async () => {
    const before = { ...anthropic, models: anthropic.models.slice(1) };
    const panel = await opened(listing([before, asking, copilot]));
    await panel.page.getByText("Asking OpenRouter…", { exact: true }).first().waitFor();
    await field(panel).fill("g");
    await field(panel).fill("");
    await field(panel).press("End");
    assert.equal(await activeName(panel), "Gemini 4 Pro");
    const was = await top(panel, await active(panel));
    const partial = { ...many, state: asking.state, models: many.models.slice(0, 40) };
    for (const next of [partial, many]) {
      await panel.post(listing([anthropic, next, copilot, ollama]));
      assert.equal(await activeName(panel), "Gemini 4 Pro");
      assert.equal(await top(panel, await active(panel)), was);
    }
    assert.equal(await panel.page.getByText("Asking OpenRouter…").count(), 0);
    await field(panel).press("ArrowUp");
    await field(panel).press("ArrowUp");
    assert.equal(await activeName(panel), "Vendor 39: Model 399");
    await field(panel).press("Enter");
    assert.equal((await panel.sentOf("set-model"))[0]?.modelID, "vendor-39/model-399");
  });

  it("keeps what Enter would take while late rows join a search", async () => {
    const panel = await opened(listing([asking, copilot]));
    await field(panel).fill("gpt");
    assert.equal(await activeName(panel), "GPT-6");
    await panel.post(listing([anthropic, openrouter, copilot]));
    assert.deepEqual(await names(panel), ["OpenAI: GPT-6", "GPT-6"]);
    await field(panel).press("Enter");
    assert.equal((await panel.sentOf("set-model"))[0]?.providerID, "vscode");
  });

  it("says who does not answer, and asks again by click or by keys", async () => {
    const panel = await opened(listing([anthropic, failed, ollama]));
    const row = options(panel).filter({ hasText: "OpenRouter does not answer" });
    await row.getByText("Try again").click();
    for (let at = 0; at < 3; at++) await field(panel).press("ArrowDown");
    assert.match((await activeName(panel)) ?? "", /^OpenRouter does not answer/);
    await field(panel).press("Enter");
    const again = { type: "ask-provider", providerID: "openrouter" };
    assert.deepEqual(await panel.sentOf("ask-provider"), [again, again]);
    await panel.post(listing([anthropic, asking, ollama]));
    assert.equal(await row.count(), 0);
    await panel.post(listing([anthropic, openrouter, ollama]));
    assert.equal(await picker(panel).count(), 1);
    assert.ok((await names(panel)).includes("Horizon"));
  });

  it("connects a provider in place: what was searched and the draft come back after Escape, and nothing is sent", async () => {
    const panel = await panelWith(f.snapshot(f.chat("T", []), f.panelState()));
    await message(panel).fill("Half a thought");
    await button(panel, /^Model: /).click();
    await panel.post(listing(all));
    await field(panel).fill("grok");
    assert.equal(await activeName(panel), "xAI (Grok)…");
    await field(panel).press("Enter");
    assert.deepEqual(await panel.sentOf("open-key-form"), [{ type: "open-key-form", providerID: "xai" }]);
    assert.equal(await focused(panel), "API key");
    await panel.page.keyboard.press("Escape");
    assert.equal(await focused(panel), "Search models");
    assert.equal(await field(panel).inputValue(), "grok");
    await field(panel).press("Enter");
    await panel.page.keyboard.insertText("xai-0123456789abcdef");
    assert.equal((await panel.sentOf("check-key"))[0]?.providerID, "xai");
    const models = [{ modelID: "grok-5", label: "Grok 5", price: "$2 / $10" }];
    const provider = { id: "xai", name: "xAI (Grok)", hasKeyPage: true };
    await panel.post(view({ type: "accepted", models, isNewKey: true }, { provider, masked: "" }));
    assert.equal(await panel.page.getByText("Your task is sent then.").count(), 0);
    await button(panel, "Start").click();
    await panel.post({ type: "connected", label: "Grok 5" });
    assert.equal(await picker(panel).count(), 0);
    assert.equal(await focused(panel), "Message");
    assert.deepEqual(
      [await message(panel).inputValue(), await panel.sentOf("prompt"), await panel.sentOf("start-with")],
      ["Half a thought", [], [{ type: "start-with", modelID: "grok-5" }]],
    );
  });

  it("opens the forms for a key, and for a server that was not found, at its usual address", async () => {
    const panel = await opened(listing([anthropic]));
    await field(panel).fill("lm studio");
    assert.match((await (await active(panel)).innerText()).replace(/\s+/g, " "), /LM Studio… not found here/);
    await field(panel).press("Enter");
    assert.equal(await focused(panel), "Address");
    assert.equal(await panel.page.getByLabel("Address").inputValue(), "http://localhost:1234/v1");
    await panel.page.keyboard.press("Escape");
    await field(panel).fill("");
    for (const [name, title] of [
      ["Use an API key…", "API key"],
      ["Use another server…", "Another server"],
    ] as const) {
      await button(panel, name).click();
      await panel.page.getByRole("group", { name: title }).waitFor();
      await panel.page.keyboard.press("Escape");
    }
    await field(panel).press("Escape");
    assert.equal(await picker(panel).count(), 0);
  });

  it("draws only the rows near the view of 400, tells how many there are, and filters them at once", async () => {
    const panel = await opened(listing([anthropic, many]));
    const drawn = () => panel.page.locator(".list .Item").count();
    assert.ok((await drawn()) < 40, `${await drawn()} rows`);
    const [first] = await options(panel).all();
    assert.deepEqual(
      [await first?.getAttribute("aria-posinset"), await first?.getAttribute("aria-setsize")],
      ["1", "403"],
    );
    await field(panel).press("End");
    assert.equal(await activeName(panel), "Vendor 39: Model 399");
    assert.ok(await (await active(panel)).isVisible());
    assert.ok((await drawn()) < 40);
    await panel.page.getByRole("listbox").hover();
    await panel.page.mouse.wheel(0, -4000);
    assert.equal(await (await active(panel)).count(), 1, "the active row is drawn where it is not in sight");
    const ms = await field(panel).evaluate(async (input) => {
      if (!(input instanceof HTMLInputElement)) throw new Error("no field");
      const start = performance.now();
      for (const text of ["m", "mo", "mod", "mode", "model", "model39"]) {
        input.value = text;
        input.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      }
      return (performance.now() - start) / 6;
    });
    assert.ok(ms < 150, `${ms} ms a letter`);
    assert.deepEqual((await names(panel)).slice(0, 2), ["Vendor 39: Model 39", "Vendor 30: Model 390"]);
  });

  it("sets how much the chosen model thinks, and stays open; models that do not think have no such row", async () => {
    const panel = await opened(listing(all));
    const group = panel.page.getByRole("radiogroup", { name: "Thinking" });
    assert.deepEqual(
      await group.getByRole("radio").evaluateAll((all) => all.map((one) => one.closest("label")?.innerText)),
      ["Default", "Off", "Low", "Medium", "High"],
    );
    await group.getByRole("radio", { name: "Low", checked: true }).focus();
    await panel.page.keyboard.press("ArrowRight");
    assert.deepEqual(await panel.sentOf("set-thinking"), [{ type: "set-thinking", level: "medium" }]);
    await panel.post(listing(all, { thinking: { level: "medium", levels: ["default", "low", "medium"] } }));
    assert.equal(await group.getByRole("radio").count(), 3);
    await group.getByRole("radio", { name: "Medium", checked: true }).waitFor();
    await panel.post(listing(all, { thinking: { level: "medium", levels: [] } }));
    assert.equal(await group.count(), 0);
    assert.equal(await picker(panel).count(), 1);
  });

  it("asks anew after the panel has missed a message", async () => {
    const panel = await opened(listing(all));
    panel.skip();
    await panel.post(listing(all));
    await panel.post(f.snapshot(f.chat("T", [])));
    assert.equal((await panel.sentOf("show-models")).length, 2);
  });

  it("shows names of servers as text: no markup, no hidden characters, and never wider than the panel", async () => {
    const trick = [
      "<img src=x onerror=alert(1)>",
      "Claude\u202eedualC",
      "zero\u200bwidth",
      "line\nbreak",
      "w".repeat(5_000),
    ];
    const group = { ...openrouter, models: trick.map((name, at) => model(`id-${at}`, name, 1000, { type: "free" })) };
    const panel = await opened(listing([{ ...group, name: "Evil\u202eprovider" }]));
    await panel.resize({ width: 240, height: 480 });
    const shown = await names(panel);
    assert.equal(shown[0], trick[0]);
    assert.deepEqual([shown[1], shown[2]], ["Claude[U+202E]edualC", "zero[U+200B]width"]);
    assert.equal(await panel.page.locator("[role=option] img").count(), 0);
    assert.ok(await picker(panel).evaluate((box) => box.scrollWidth <= box.clientWidth));
    const heights = await options(panel).evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
    assert.equal(new Set(heights).size, 1);
    assert.match(await panel.page.locator(".heading").innerText(), /Evil\[U\+202E\]provider/);
  });

  it("reaches every part by Tab, and Escape closes from each of them", async () => {
    const panel = await opened(listing(all));
    const reached: (string | undefined)[] = [];
    for (let at = 0; at < 4; at++) {
      await panel.page.keyboard.press("Tab");
      reached.push(
        await panel.page.evaluate(() =>
          (document.activeElement?.closest("label") ?? document.activeElement)?.textContent?.trim(),
        ),
      );
    }
    assert.deepEqual(reached, ["Low", "Use an API key…", "Use another server…", "Set window and price…"]);
    await panel.page.keyboard.press("Escape");
    assert.equal(await picker(panel).count(), 0);
    assert.equal(await focused(panel), "Model: Claude Sonnet 4.5");
  });
});
