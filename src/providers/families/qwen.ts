import { budgetOf } from "../shared/thinking.ts";
import { commonRules } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";

export const qwen: ProviderFamily = {
  name: "Qwen (Alibaba Model Studio)",
  baseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  host: /(^|\.)aliyuncs\.com$/,
  keyVariable: "DASHSCOPE_API_KEY",
  urlVariable: "DASHSCOPE_BASE_URL",
  keyPage: "https://modelstudio.console.alibabacloud.com/?tab=dashboard#/api-key",
  keyForms: { likely: /^sk-/ },
  defaultModel: "qwen3.8-max",
  catalog: { models: "qwen-token-plan", takes: /^qwen/ },
  isMaker: true,
  chatRules: (model) => ({
    ...commonRules(model),
    // Hybrid models; models that always think refuse the switch (help.aliyun.com deep-thinking).
    thinking(level, { thinking }) {
      if (level === "default" || /qwq|-thinking/.test(model)) return {};
      const budget = budgetOf(thinking);
      return level === "off"
        ? { enable_thinking: false }
        : { enable_thinking: true, ...(budget !== undefined && { thinking_budget: budget }) };
    },
    takesPDFs: false,
  }),
};
