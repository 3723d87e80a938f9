/** States of the model picker. */
import type { Page } from "playwright-core";
import type { PickerGroup, PickerList, PickerModel } from "../../src/chat/model-list.ts";
import { view } from "./connect-states.ts";
import * as f from "./fixtures.ts";
import type { Unnumbered } from "./page.ts";
import type { State } from "./states.ts";

const usd = (input: number, output: number) => ({ type: "usd" as const, input, output });
const free = { type: "free" } as const;
const plan = { type: "plan" } as const;
const unknown = { type: "unknown" } as const;

export const model = (
  modelID: string,
  label: string,
  window: number | undefined,
  cost: PickerModel["cost"],
): PickerModel => ({ modelID, label, window, cost });

export const anthropic: PickerGroup = {
  ...{ id: "anthropic", providerID: "anthropic", name: "Anthropic", kind: "provider", state: { type: "listed" } },
  models: [
    model("claude-sonnet-4-5", "Claude Sonnet 4.5", 1_000_000, usd(3, 15)),
    model("claude-opus-5-5", "Claude Opus 5.5", 500_000, usd(12.5, 62.5)),
    model("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, usd(0.098, 0.4)),
  ],
};
export const copilot: PickerGroup = {
  ...{ id: "vscode/copilot", providerID: "vscode", name: "Copilot", kind: "plan", state: { type: "listed" } },
  models: [
    model("copilot/gpt-6", "GPT-6", 400_000, plan),
    model("copilot/gemini-4-pro", "Gemini 4 Pro", 2_000_000, plan),
  ],
};
export const ollama: PickerGroup = {
  ...{ id: "ollama", providerID: "ollama", name: "Ollama", kind: "found", state: { type: "listed" } },
  models: [
    model("qwen3-coder:30b", "qwen3-coder:30b", 32_768, free),
    model("gpt-oss:20b", "gpt-oss:20b", 131_072, free),
  ],
};
export const openrouter: PickerGroup = {
  ...{ id: "openrouter", providerID: "openrouter", name: "OpenRouter", kind: "provider", state: { type: "listed" } },
  models: [
    model("qwen/qwen3-max", "Qwen: Qwen3 Max", 256_000, usd(1.2, 6)),
    model("qwen/qwen3-coder-plus", "Qwen: Qwen3 Coder Plus", 1_000_000, usd(1, 5)),
    model("openai/gpt-6", "OpenAI: GPT-6", 400_000, usd(1.25, 10)),
    model("stealth/horizon", "Horizon", undefined, unknown),
  ],
};
export const asking: PickerGroup = { ...openrouter, state: { type: "asking" }, models: [] };
export const failed: PickerGroup = {
  ...openrouter,
  state: { type: "failed", problem: "OpenRouter does not answer", remedy: "ask-again" },
  models: [],
};
const refused: PickerGroup = {
  ...{ id: "my-gateway", providerID: "my-gateway", name: "My gateway", kind: "provider", models: [] },
  state: { type: "failed", problem: "My gateway refuses the key", remedy: "set-key" },
};

const unconnected: PickerList["unconnected"] = [
  { id: "qwen", name: "Qwen (Alibaba Model Studio)", models: ["Qwen3 Max", "Qwen3 Coder"], needs: { type: "key" } },
  { id: "xai", name: "xAI (Grok)", models: ["Grok 5", "Grok 5 Fast"], needs: { type: "key" } },
  {
    ...{ id: "lm-studio", name: "LM Studio", models: [] },
    needs: { type: "address", usual: "http://localhost:1234/v1" },
  },
];

function modelList(groups: PickerGroup[], change: Partial<PickerList> = {}): PickerList {
  return {
    groups,
    unconnected,
    openEnded: [
      { providerID: "openrouter", name: "OpenRouter" },
      { providerID: "anthropic", name: "Anthropic" },
    ],
    where: "on this computer",
    thinking: { level: "low", levels: ["default", "off", "low", "medium", "high"] },
    ...change,
  };
}

export const listing = (groups: PickerGroup[], change?: Partial<PickerList>): Unnumbered => ({
  type: "models",
  list: modelList(groups, change),
});

/** As many as OpenRouter has. */
export const many: PickerGroup = {
  ...openrouter,
  models: Array.from({ length: 400 }, (_, at) => {
    const id = `vendor-${at % 40}/model-${at}`;
    return model(
      id,
      `Vendor ${at % 40}: Model ${at}`,
      at % 7 === 0 ? undefined : 8_000 * (at + 8),
      usd(at / 100, at / 20),
    );
  }),
};

const all = [anthropic, openrouter, copilot, ollama];

function picker(groups: PickerGroup[], act?: (page: Page) => Promise<void>, change?: Partial<PickerList>): State {
  return {
    messages: [
      f.snapshot(f.chat("Fix the rounding in cart totals", [f.asked, f.rondo(f.work)])),
      listing(groups, change),
    ],
    async act(page) {
      await page.getByRole("button", { name: /^Model: / }).click();
      await act?.(page);
    },
  };
}
const searching = (text: string) => (page: Page) => page.getByRole("combobox", { name: "Search models" }).fill(text);

export const modelStates: Record<string, State> = {
  "models-open": picker([anthropic, copilot, ollama]),
  "models-asking": picker([anthropic, asking, copilot]),
  "models-searched": picker(all, searching("qwen")),
  "models-by-id": picker(all, searching("openai gpt")),
  "models-unconnected": picker(all, searching("grok")),
  "models-nothing": picker(all, searching("crt totl")),
  "models-typed": picker(all, searching("team-next")),
  "models-failed": picker([anthropic, failed, refused, ollama], undefined, { thinking: { level: "low", levels: [] } }),
  "models-many": picker([many], async (page) => {
    const field = page.getByRole("combobox", { name: "Search models" });
    for (let at = 0; at < 30; at++) await field.press("PageDown");
  }),
  "models-key": {
    messages: [
      ...picker(all).messages,
      view({ type: "none" }, { provider: { id: "xai", name: "xAI (Grok)", hasKeyPage: true }, masked: "" }),
    ],
    async act(page) {
      await page.getByRole("button", { name: /^Model: / }).click();
      await searching("grok")(page);
      await page.keyboard.press("Enter");
    },
  },
  "models-long": picker([
    {
      ...{
        id: "azure",
        providerID: "azure",
        name: "a-very-long-name-of-a-host.of-a-gateway.example.com:44312",
        kind: "provider",
      },
      state: { type: "listed" },
      models: Array.from({ length: 5 }, (_, at) =>
        model(
          `accounts/someone/deployments/qwen3-coder-480b-a35b-instruct-${at}`,
          `accounts/someone/deployments/qwen3-coder-480b-a35b-instruct-${at}`,
          at % 2 === 0 ? undefined : 32_000,
          at % 3 === 0 ? usd(1.25, 10) : unknown,
        ),
      ),
    },
    {
      ...{ id: "jan", providerID: "jan", name: "Jan", kind: "provider" },
      state: { type: "listed" },
      models: [model("rtl", "نموذج عربي 7B", 128_000, free), model("trick", "Claude\u202eedualC", 128_000, free)],
    },
  ]),
};
