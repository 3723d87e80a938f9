/** Select Model… and Set API Key… with several providers at once: Anthropic, a gateway with a key, and a local Ollama. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { until } from "../timing.ts";
import { type ModelHost, startGateway, startOllama } from "./model-hosts.ts";
import { choose, enter, message, said, say, status } from "./panel-actions.ts";
import { environmentKey, openWindow, type Window } from "./window.ts";

const key = "sk-gateway-a-key-that-nobody-may-see";
const off = { "lm-studio": "", "llama-cpp": "", vllm: "", jan: "" };

function row(window: Window, text: string | RegExp): Locator {
  return window.page.locator(".quick-input-list .monaco-list-row", { hasText: text });
}

/** Opens "Select Model…" and waits until all servers have answered or failed. */
async function openPicker(window: Window): Promise<void> {
  await window.command("Rondo: Select Model…");
  await answered(window);
}

async function answered(window: Window): Promise<void> {
  await window.page.locator(".quick-input-title", { hasText: "Select Model" }).waitFor();
  await window.page.locator(".quick-input-widget .monaco-progress-container.done").waitFor({ state: "attached" });
}

const fieldOf = (window: Window) => window.page.locator(".quick-input-widget input");

describe("several providers", () => {
  let window: Window;
  let ollama: ModelHost;
  let gateway: ModelHost;
  before(async () => {
    ollama = await startOllama("Hello from Ollama.");
    gateway = await startGateway(key, "Hello from the gateway.");
    window = await openWindow({
      settings: {
        "rondo.localServers": { ...off, ollama: ollama.url },
        "rondo.providers": { "my-gateway": { name: "My gateway", baseUrl: `${gateway.url}/v1` } },
      },
    });
  });
  after(async () => {
    await window?.close();
    await ollama?.stop();
    await gateway?.stop();
  });

  it("asks no server for its models before the picker opens", async () => {
    const panel = await window.panel();
    await panel.getByRole("button", { name: "Model: Claude Sonnet 5.5" }).waitFor();
    window.plays([{ text: "Hello from Claude." }]);
    await say(panel, "first prompt");
    await said(panel, "Hello from Claude.");
    await status(panel, /Done/);
    assert.deepEqual([...ollama.requests, ...gateway.requests], []);
  });

  it("shows all of them in one picker, with window, price, what is unknown, and who needs a key", async () => {
    await openPicker(window);
    // Each list comes when its server has answered.
    for (const last of ["qwen3:8b", "needs a key"]) await row(window, last).waitFor();
    const rows = await window.page.locator(".quick-input-list .monaco-list-row").allInnerTexts();
    const text = rows.join("\n").replaceAll("\u00a0", " ");
    assert.match(text, /Claude Sonnet 5\.5/);
    assert.match(text, /qwen3:8b\s*33k window · price unknown/);
    assert.match(text, /Ollama on the remote machine \(.+\)/);
    assert.match(text, /My gateway/);
    assert.match(text, /127\.0\.0\.1:\d+ needs a key/);
    assert.doesNotMatch(text, /embed/);
    assert.ok(ollama.requests.length > 0);
    await window.page.screenshot({ path: "out/e2e-picker.png" });
  });

  it("answers with a model that was found, in the same conversation; the panel shows which", async () => {
    await row(window, "qwen3:8b").click();
    const panel = await window.panel();
    await panel.getByRole("button", { name: "Model: qwen3:8b" }).waitFor();
    const before = ollama.requests.length;
    await say(panel, "second prompt");
    await said(panel, "Hello from Ollama.");
    await status(panel, /Done/);
    const asked = ollama.requests.slice(before).find(({ body }) => body.includes("second prompt"));
    assert.match(asked?.body ?? "", /first prompt[\s\S]*Hello from Claude\.[\s\S]*second prompt/);
  });

  it("lists each provider in Set API Key… with its address and where its key is from", async () => {
    await window.command("Rondo: Set API Key…");
    const field = fieldOf(window).first();
    const shown = async (name: string) => {
      await field.fill(name);
      return (await row(window, name).first().innerText()).replaceAll("\u00a0", " ");
    };
    assert.match(await shown("Anthropic"), /key from ANTHROPIC_API_KEY[\s\S]*http:\/\/127\.0\.0\.1:\d+/);
    assert.match(await shown("Mistral"), /https:\/\/api\.mistral\.ai\/v1 · Mistral Large/);
    assert.match(await shown("Azure"), /address not set/);
    await field.fill("");
    await window.page.screenshot({ path: "out/e2e-set-key.png" });
    assert.match(await shown("My gateway"), /http:\/\/127\.0\.0\.1:\d+\/v1/);
  });

  it("stores a key, which is used at once: for the list and for the next prompt", async () => {
    await row(window, "My gateway").click();
    const secret = window.page.locator(".quick-input-widget input[type=password]");
    await secret.fill(key);
    await secret.press("Enter");
    await window.page.getByRole("button", { name: "Select Model…" }).click();
    await answered(window);
    const large = row(window, "Team Large");
    await large.waitFor();
    assert.match(
      (await large.innerText()).replaceAll("\u00a0", " "),
      /1M window · \$2 \/ \$10 per million tokens · team\/large/,
    );
    await row(window, "team-small").waitFor();
    await large.click();
    const panel = await window.panel();
    await panel.getByRole("button", { name: "Model: Team Large" }).waitFor();
    await say(panel, "third prompt");
    await said(panel, "Hello from the gateway.");
    await status(panel, /Done/);
    const asked = gateway.requests.find(({ body }) => body.includes("third prompt"));
    assert.equal(asked?.headers.authorization, `Bearer ${key}`);
    assert.match(asked?.body ?? "", /"model":"team\/large"/);
  });

  it("chooses another provider's model, and how much it thinks, in the panel's picker by keys alone; the draft stays", async () => {
    const panel = await window.panel();
    const field = panel.getByRole("combobox", { name: "Search models" });
    const option = (name: RegExp) => panel.getByRole("option", { name });
    await message(panel).fill("fourth prompt");
    await panel.getByRole("button", { name: "Model: Team Large" }).focus();
    const { keyboard } = window.page;
    await keyboard.press("Enter");
    await option(/^Team Large.*, chosen.*1 M.*2 \/ 10/)
      .and(panel.locator("[aria-selected=true]"))
      .waitFor();
    await keyboard.type("sonnet");
    await option(/^Claude Sonnet 5\.5/)
      .first()
      .waitFor();
    await keyboard.press("Enter");
    await panel.getByRole("button", { name: "Model: Claude Sonnet 5.5" }).waitFor();
    assert.equal(await message(panel).inputValue(), "fourth prompt");
    window.plays([{ text: "Claude again." }]);
    await enter(panel);
    await said(panel, "Claude again.");
    assert.match(window.requests.at(-1)?.raw ?? "", /Hello from Ollama\.[\s\S]*Hello from the gateway\./);
    assert.doesNotMatch(window.requests.at(-1)?.raw ?? "", /"effort":"high"/);
    await status(panel, /Done/);

    await panel.getByRole("button", { name: "Model: Claude Sonnet 5.5" }).focus();
    await keyboard.press("Enter");
    await panel.getByRole("radio", { name: "Default", checked: true }).waitFor();
    await keyboard.press("Tab");
    await keyboard.press("ArrowLeft");
    await panel.getByRole("radio", { name: "High", checked: true }).waitFor();
    await keyboard.press("Escape");
    window.plays([{ text: "Claude thinks." }]);
    await say(panel, "think of it");
    await said(panel, "Claude thinks.");
    assert.match(window.requests.at(-1)?.raw ?? "", /"effort":"high"/);
    await status(panel, /Done/);

    await panel.getByRole("button", { name: "Model: Claude Sonnet 5.5" }).focus();
    await keyboard.press("Enter");
    await panel.getByRole("group", { name: /^Found on the remote machine \(.+\): Ollama$/ }).waitFor();
    await panel
      .getByRole("group", { name: "My gateway" })
      .getByRole("option", { name: /^team-small.*unknown.*unknown/ })
      .waitFor();
    await keyboard.type("gateway small");
    assert.equal(await panel.getByRole("option").count(), 1);
    await keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    await keyboard.press("Enter");
    await keyboard.type("qwen");
    await option(/^qwen3:8b.*32 k.*free/).waitFor();
    const before = ollama.requests.length;
    await keyboard.press("Enter");
    await panel.getByRole("button", { name: "Model: qwen3:8b" }).waitFor();
    await say(panel, "a prompt in between");
    await until(() => ollama.requests.slice(before).some(({ body }) => body.includes("a prompt in between")));
    await panel.getByRole("log", { name: "Conversation" }).getByText("Hello from Ollama.").nth(1).waitFor();
    await status(panel, /Done/);
  });

  it("takes a model by an ID that no list has", async () => {
    await openPicker(window);
    await fieldOf(window).first().fill("team-next");
    await row(window, "with My gateway").click();
    const panel = await window.panel();
    await panel.getByRole("button", { name: "Model: team-next" }).waitFor();
  });

  it("deletes a key: the next request is refused, and the panel says what to do", async () => {
    await window.command("Rondo: Set API Key…");
    await fieldOf(window).first().fill("My gateway");
    const entry = row(window, "My gateway");
    await row(window, "key stored").waitFor();
    await entry.hover();
    await entry.getByRole("button", { name: "Delete the stored key" }).click();
    await row(window, "key stored").waitFor({ state: "detached" });
    await window.page.keyboard.press("Escape");
    const panel = await window.panel();
    await say(panel, "fifth prompt");
    const alert = panel.getByRole("alert").filter({ hasText: "My gateway refused the API key" });
    await alert.getByRole("button", { name: "Set key" }).waitFor();
    const asked = gateway.requests.filter(({ body }) => body.includes("fifth prompt"));
    assert.ok(asked.length > 0 && asked.every(({ headers }) => headers.authorization !== `Bearer ${key}`));
  });

  it("moves a key from the environment to secret storage by its button; the next request uses that one", async () => {
    await window.command("Rondo: Set API Key…");
    await fieldOf(window).first().fill("Anthropic");
    const entry = row(window, "Anthropic").first();
    await row(window, "key from ANTHROPIC_API_KEY").waitFor();
    await entry.hover();
    await entry.getByRole("button", { name: "Move the key to VS Code's secret storage" }).click();
    await row(window, "key from ANTHROPIC_API_KEY").waitFor({ state: "detached" });
    await row(window, "key stored").waitFor();
    const told = window.page.locator(".notification-toast", {
      hasText: "Remove ANTHROPIC_API_KEY from your environment",
    });
    await told.waitFor();
    assert.equal(await entry.getByRole("button", { name: "Move the key to VS Code's secret storage" }).count(), 0);
    await window.page.keyboard.press("Escape");
    const panel = await window.newSession();
    await choose(panel, "Model", "Claude Sonnet 5.5");
    window.plays([{ text: "Claude with the stored key." }]);
    await say(panel, "sixth prompt");
    await said(panel, "Claude with the stored key.");
    assert.equal(window.requests.at(-1)?.headers["x-api-key"], environmentKey);
    // Without the stored key the environment's is used again, so it was the stored one until now.
    await window.command("Rondo: Set API Key…");
    await fieldOf(window).first().fill("Anthropic");
    await row(window, "key stored").waitFor();
    await entry.hover();
    await entry.getByRole("button", { name: "Delete the stored key" }).click();
    await row(window, "key from ANTHROPIC_API_KEY").waitFor();
    await window.page.keyboard.press("Escape");
  });

  it("never shows the key: not in the page, the panel, the logs, the record or the settings", async () => {
    const panel = await window.panel();
    assert.ok(!(await window.page.content()).includes(key));
    assert.ok(!(await panel.content()).includes(key));
    const kept = await window.kept("data");
    assert.deepEqual(
      [...kept].filter(([, text]) => text.includes(key)).map(([file]) => file),
      [],
    );
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});

describe("no model but a local server's", () => {
  let window: Window;
  let ollama: ModelHost;
  before(async () => {
    ollama = await startOllama("Hello from Ollama.");
    window = await openWindow({ key: false, settings: { "rondo.localServers": { ...off, ollama: ollama.url } } });
  });
  after(async () => {
    await window?.close();
    await ollama?.stop();
  });

  it("is offered by the start page, and used when the user chooses its model", async () => {
    const panel = await window.panel();
    const offer = panel.getByRole("button", { name: "Use Ollama" });
    await offer.waitFor();
    await panel.getByText(/^Ollama on the remote machine \(.+\)/).waitFor();
    await panel.getByText("1 model · free, nothing leaves that machine").waitFor();
    await window.page.screenshot({ path: "out/e2e-start.png" });
    await offer.click();
    await panel.getByRole("button", { name: "Model: qwen3:8b" }).waitFor();
    await say(panel, "hello");
    await said(panel, "Hello from Ollama.");
    await status(panel, /Done/);
  });

  it("stays chosen after a reload, which asks no server", async () => {
    const before = ollama.requests.length;
    const panel = await window.reload();
    await panel.getByRole("button", { name: "Model: qwen3:8b" }).waitFor();
    assert.deepEqual(ollama.requests.slice(before), []);
    await say(panel, "after the reload");
    await panel.getByRole("log").getByText("Hello from Ollama.").nth(1).waitFor();
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
