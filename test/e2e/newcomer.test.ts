/** A newcomer's way from an empty profile to the first answer, with each kind of model, counted in clicks. */
import assert from "node:assert/strict";
import path from "node:path";
import type { Frame, Locator } from "playwright-core";
import { type Answer, type ModelServer, type ReceivedRequest, startModelServer } from "../model-server.ts";
import { type ModelHost, startOllama } from "./model-hosts.ts";
import { message, said } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const mostClicks = 4;

/** Providers by the keys that they give. `choice`: for keys that do not tell whose they are. `name`: a model to type. */
const clouds: { id: string; key: string; choice?: string; name?: string }[] = [
  { id: "anthropic", key: "sk-ant-api03-newcomer-0123456789AA" },
  { id: "openai", key: "sk-proj-newcomer-0123456789" },
  { id: "openrouter", key: "sk-or-v1-newcomer-0123456789" },
  { id: "gemini", key: "AIzaNewcomer0123456789" },
  { id: "xai", key: "xai-newcomer-0123456789" },
  { id: "groq", key: "gsk_newcomer0123456789" },
  { id: "cerebras", key: "csk-newcomer0123456789" },
  { id: "zai", key: "0123456789abcdef0123456789abcdef.newcomer1" },
  { id: "bedrock", key: "ABSKnewcomer0123456789", name: "anthropic.claude-sonnet-5-5" },
  { id: "deepseek", key: "sk-0123456789abcdef0123456789abcdef", choice: "DeepSeek" },
  { id: "moonshot", key: "sk-moonshot0123456789", choice: "Moonshot (Kimi)" },
  { id: "qwen", key: "sk-qwen0123456789", choice: "Qwen (Alibaba Model Studio)" },
  { id: "mistral", key: "0123456789newcomer0123456789abcd", choice: "Mistral" },
  { id: "azure", key: "azure0123456789newcomer012345678", choice: "Azure OpenAI", name: "my-deployment" },
];

const off = { ollama: "", "lm-studio": "", "llama-cpp": "", vllm: "", jan: "" };
const task = "Say where the totals are rounded";

/** Answers as the provider of the path would: its key is the one that was given out, unless it says otherwise. */
function answer({ path: asked, headers }: ReceivedRequest): Answer {
  const key = String(headers["x-api-key"] ?? headers["api-key"] ?? headers.authorization ?? "").replace(/^Bearer /, "");
  const [, id] = asked.split("/");
  if (key.includes("poor")) {
    const message = "Your credit balance is too low to access the API.";
    return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } };
  }
  if (key !== clouds.find((one) => one.id === id)?.key) {
    return {
      status: 401,
      body: { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } },
    };
  }
  return [{ text: `The answer of ${id}.` }];
}

describe("a newcomer", () => {
  let window: Window;
  let first: Window;
  let server: ModelServer;
  let ollama: ModelHost;
  let panel: Frame;
  let clicks = 0;
  const press = async (target: Locator) => {
    clicks += 1;
    await target.click();
  };
  const row = (name: RegExp) => panel.getByRole("button", { name });

  before(async () => {
    server = await startModelServer(answer);
    ollama = await startOllama("The answer of Ollama.");
    const base = server.url.replace("127.0.0.1", "0.0.0.0");
    window = await openWindow({
      key: false,
      settings: {
        "rondo.localServers": off,
        "rondo.providers": Object.fromEntries(
          clouds.map(({ id }) => [
            id,
            { baseUrl: `${base}/${id}${id === "bedrock" || id === "anthropic" ? "" : "/v1"}` },
          ]),
        ),
      },
    });
    first = window;
    for (const { id } of clouds) server.facts[`/${id}/v1/models`] = { data: [{ id: "the-only-model" }] };
  });
  after(async () => {
    await first?.close();
    await server?.stop();
    await ollama?.stop();
  });
  beforeEach(async () => {
    window = await window.withEmptyProfile();
    panel = await window.panel();
    await panel.getByRole("heading", { name: "Connect a model" }).waitFor();
    clicks = 0;
  });

  for (const { id, key, choice, name } of clouds) {
    it(`has the first answer of ${id} after ${choice ? 3 : 2} clicks, with a key that is pasted`, async () => {
      await message(panel).fill(task);
      await press(row(/^Use an API key/));
      await window.page.keyboard.insertText(key);
      if (choice) await press(panel.getByRole("button", { name: choice, exact: true }));
      await panel.getByText("accepts this key.").waitFor();
      if (name) await panel.getByRole("textbox", { name: "Name of the model" }).fill(name);
      await press(panel.getByRole("button", { name: "Start", exact: true }));
      await said(panel, `The answer of ${id}.`);
      assert.equal(clicks, choice ? 3 : 2);
      assert.ok(clicks <= mostClicks);
      const asked = server.requests.filter((one) => one.path.startsWith(`/${id}/`) && one.raw.includes(task));
      assert.ok(asked.length > 0, "the task that was written first was sent");
    });
  }

  it("has the first answer of another server after 3 clicks, without a key", async () => {
    await press(row(/^Use another server/));
    await window.page.keyboard.insertText(ollama.url);
    await press(panel.getByRole("button", { name: "Check", exact: true }));
    await panel.getByText("The server answers.").waitFor();
    await press(panel.getByRole("button", { name: "Start", exact: true }));
    await panel.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA");
    await window.page.keyboard.insertText(task);
    await window.page.keyboard.press("Enter");
    await said(panel, "The answer of Ollama.");
    assert.equal(clicks, 3);
  });

  it("reads the provider's words about a key that is refused, and corrects it in place", async () => {
    await press(row(/^Use an API key/));
    await window.page.keyboard.insertText("sk-ant-api03-wrong-0123456789");
    const alert = panel.getByRole("alert").filter({ hasText: "refuses this key" });
    await alert.waitFor();
    assert.match(await alert.innerText(), /Anthropic refuses this key: invalid x-api-key\. It may be cut off/);
    assert.ok(await panel.getByRole("button", { name: "Open Anthropic's keys" }).isVisible());
    assert.equal(await panel.getByRole("button", { name: "Start", exact: true }).count(), 0);
    await panel.getByRole("textbox", { name: "API key" }).fill(clouds[0]?.key ?? "");
    await panel.getByRole("button", { name: "Check again" }).click();
    await panel.getByText("Anthropic accepts this key.").waitFor();
  });

  it("is told of an account without credit, with the way to add some", async () => {
    await press(row(/^Use an API key/));
    await window.page.keyboard.insertText("sk-ant-api03-poor-0123456789");
    await panel.getByRole("alert").filter({ hasText: "The key works, but the account has no credit" }).waitFor();
    assert.ok(await panel.getByRole("button", { name: "Add credit" }).isVisible());
  });

  it("is told where nothing answers, and what may be wrong", async () => {
    await press(row(/^Use another server/));
    await window.page.keyboard.insertText("http://127.0.0.1:9/v1");
    await window.page.keyboard.press("Enter");
    await panel.getByRole("alert").filter({ hasText: "Nothing answers at 127.0.0.1:9." }).waitFor();
    assert.ok(await panel.getByRole("button", { name: "Check again" }).isVisible());
    await press(panel.getByRole("button", { name: "Add a key" }));
    await panel.getByRole("textbox", { name: "Key of the server" }).waitFor();
  });

  it("looks around in a recorded session, for which nothing is sent", async () => {
    const before = server.requests.length;
    await press(row(/^Look around without a model/));
    await said(panel, "This was a recorded session");
    assert.equal(server.requests.length, before);
  });

  it("opens the chat by a key from anywhere, also from a terminal, and writes at once", async () => {
    await window.command("Terminal: Create New Terminal");
    const terminal = window.page.locator(".terminal.xterm textarea").first();
    await terminal.waitFor({ state: "attached" });
    await terminal.focus();
    await window.page.keyboard.press("Control+Alt+J");
    await panel.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Message");
    await window.page.keyboard.type("written at once");
    assert.equal(await message(panel).inputValue(), "written at once");
  });

  it("finds the walkthrough: three steps with pictures", async () => {
    // VS Code leaves the pictures out of a narrow page.
    await window.page.setViewportSize({ width: 2000, height: 900 });
    await window.command("Welcome: Open Walkthrough...");
    await window.page
      .locator(".quick-input-list .monaco-list-row", { hasText: "Get started with Rondo" })
      .first()
      .click();
    const page = window.page.locator(".gettingStartedContainer");
    for (const title of ["Connect a model", "You decide", "Review"]) {
      await page
        .getByRole("heading", { name: title, exact: true })
        .or(page.getByText(title, { exact: true }))
        .first()
        .waitFor();
    }
    const picture = page.locator("img[alt^='The panel of Rondo']");
    await picture.waitFor();
    await window.page.waitForFunction(
      (image) => image instanceof HTMLImageElement && image.naturalWidth > 0,
      await picture.elementHandle(),
    );
    await window.page.screenshot({ path: path.join("out", "e2e-walkthrough.png") });
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});
