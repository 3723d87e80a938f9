/** The panel without a model, and each state of the forms that connect one. */
import type { Connectable, ConnectCheck, ConnectView } from "../../src/chat/connect.ts";
import * as f from "./fixtures.ts";
import type { Unnumbered } from "./page.ts";
import type { State } from "./states.ts";

const providers = [
  ...[
    { id: "anthropic", name: "Anthropic" },
    { id: "openai", name: "OpenAI" },
  ],
  ...[
    { id: "azure", name: "Azure OpenAI" },
    { id: "gemini", name: "Gemini" },
    { id: "openrouter", name: "OpenRouter" },
  ],
  ...[
    { id: "xai", name: "xAI" },
    { id: "deepseek", name: "DeepSeek" },
    { id: "moonshot", name: "Moonshot" },
  ],
  ...[
    { id: "qwen", name: "Qwen" },
    { id: "mistral", name: "Mistral" },
    { id: "groq", name: "Groq" },
  ],
];

const pull = { command: "ollama pull qwen3-coder:30b", size: "19 GB", memory: "24 GB" };
const ollama = { providerID: "ollama", name: "Ollama", models: 3, needsKey: false, pull };

/** Nothing is found, and nothing is being looked for. */
export function there(change: Partial<Connectable> = {}): Connectable {
  return {
    sought: ["Ollama, LM Studio, llama.cpp, vLLM", "Jan"],
    ...{ found: [], where: "on this machine", isLooking: false, offered: undefined, canSignIn: false, providers },
    ...change,
  };
}

export function unconnected(change: Partial<Connectable> = {}): Unnumbered {
  const nothing = { model: undefined, models: [], contextUsed: undefined, starters: [] };
  return f.snapshot(f.chat("", []), f.panelState({ readiness: { type: "no-key", ...there(change) }, ...nothing }));
}

const anthropic = { id: "anthropic", name: "Anthropic", hasKeyPage: true };

export function view(check: ConnectCheck, change: Partial<ConnectView> = {}): Unnumbered {
  return { type: "connect", view: { provider: anthropic, masked: "sk-ant-••••••••••••3fQ", check, ...change } };
}

export const models = [
  { modelID: "claude-sonnet-5-5", label: "Claude Sonnet 5.5", price: "$2 / $10" },
  { modelID: "claude-opus-5-5", label: "Claude Opus 5.5", price: "$4 / $20" },
  { modelID: "claude-haiku-5-5", label: "Claude Haiku 5.5", price: "$0.1 / $0.5" },
  ...["a", "b", "c", "d", "e", "f"].map((one) => ({ modelID: `claude-${one}`, label: `claude-${one}`, price: "" })),
];

/** The messages come after the form is open, as in the real panel. */
const withForm = (row: string, ...later: Unnumbered[]): State => ({
  messages: [unconnected()],
  act: async (page) => {
    await page.getByRole("button", { name: row }).click();
    // The snapshot is the first message.
    await page.evaluate(async (messages) => {
      for (const [at, message] of messages.entries()) window.postMessage({ ...message, seq: at + 2 }, "*");
      await new Promise((done) => setTimeout(done));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }, later);
  },
});

const key = (...later: Unnumbered[]) => withForm("Use an API key", ...later);
const server = (...later: Unnumbered[]) => withForm("Use another server", ...later);

export const connectStates: Record<string, State> = {
  "connect-found": {
    messages: [
      unconnected({
        found: [ollama],
        offered: { isCopilot: true, names: ["GPT-6", "Claude Sonnet 5", ...Array.from({ length: 10 }, String)] },
      }),
    ],
  },
  "connect-looking": { messages: [unconnected({ isLooking: true })] },
  "connect-nothing": { messages: [unconnected({ canSignIn: true })] },
  "connect-key": key(),
  "connect-key-checking": key(view({ type: "checking" })),
  "connect-key-which": key(view({ type: "which", providers }, { provider: undefined, masked: "sk-••••••••••••e4a" })),
  "connect-key-accepted": key(view({ type: "accepted", models, isNewKey: true })),
  "connect-key-refused": key(view({ type: "refused", said: "invalid x-api-key" })),
  "connect-key-no-credit": key(view({ type: "no-credit", said: "" })),
  "connect-key-no-answer": key(view({ type: "no-answer", host: "api.anthropic.com", hint: "" })),
  "connect-key-address": key(
    view(
      { type: "address", example: "https://NAME.openai.azure.com/openai/v1" },
      { provider: { id: "azure", name: "Azure OpenAI", hasKeyPage: true } },
    ),
  ),
  "connect-server": server(),
  "connect-server-no-answer": server(
    view(
      { type: "no-answer", host: "localhost:1234", hint: "LM Studio: Developer, then Start Server." },
      { provider: undefined, masked: "" },
    ),
  ),
  "connect-server-key": server(
    view({ type: "wants-key", said: "No API key provided" }, { provider: undefined, masked: "" }),
  ),
  "connect-server-accepted": server(
    view({ type: "accepted", models: [], isNewKey: false }, { provider: undefined, masked: "" }),
  ),
  "connect-ollama-empty": {
    messages: [unconnected({ found: [{ ...ollama, models: 0 }] })],
    act: (page) => page.getByRole("button", { name: /^Ollama/ }).click(),
  },
  "connect-asked": {
    messages: [unconnected({ found: [ollama] })],
    act: async (page) => {
      await page.getByRole("textbox", { name: "Message" }).fill("Fix the rounding in cart totals");
      await page.getByRole("textbox", { name: "Message" }).press("Enter");
    },
  },
  "connect-done": {
    messages: [
      f.snapshot(f.chat("", []), f.panelState({ contextUsed: 0 })),
      { type: "connected", label: "Claude Sonnet 5.5" },
    ],
  },
  "connect-untrusted": {
    messages: [
      f.snapshot(f.chat("", []), f.panelState({ trusted: false, contextUsed: 0, starters: f.starters.slice(2) })),
    ],
  },
};
