import type { Provider } from "./family.ts";

export const anthropic: Provider = {
  name: "Anthropic",
  baseURL: "https://api.anthropic.com",
  keyVariable: "ANTHROPIC_API_KEY",
  // code.claude.com/docs/en/authentication
  otherKeyVariables: ["CLAUDE_CODE_OAUTH_TOKEN"],
  urlVariable: "ANTHROPIC_BASE_URL",
  keyPage: "https://platform.claude.com/settings/keys",
  creditPage: "https://platform.claude.com/settings/billing",
  // github.com/gitleaks/gitleaks config
  keyForms: { own: /^sk-ant-/ },
  defaultModel: "claude-sonnet-5-5",
  catalog: "anthropic",
  isMaker: true,
};
