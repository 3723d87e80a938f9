/** Whose key a key is, by its form. */
import type { ProviderID } from "../providers.ts";

/**
 * Forms of keys that no other provider uses: github.com/gitleaks/gitleaks config (Anthropic, OpenAI, Bedrock, Google,
 * GitHub), trufflesecurity/trufflehog detectors (Groq, xAI, Cerebras, OpenRouter).
 */
const forms: readonly [RegExp, ProviderID][] = [
  [/^sk-ant-/, "anthropic"],
  [/^sk-or-/, "openrouter"],
  [/^sk-(proj|svcacct|admin|None)-|^sk-\w+T3BlbkFJ/, "openai"],
  [/^gsk_/, "groq"],
  [/^xai-/, "xai"],
  [/^csk-/, "cerebras"],
  [/^(AIza|AQ\.)/, "gemini"],
  [/^(ABSK|bedrock-api-key-)/, "bedrock"],
  [/^(github_pat_|gh[pousr]_)/, "github-models"],
  [/^ya29\./, "vertex"],
  [/^[0-9a-f]{32}\.[A-Za-z0-9]{8,}$/, "zai"],
];

/** Providers whose keys look alike. Others may have such keys, too. */
const likely: readonly [RegExp, readonly ProviderID[]][] = [
  [/^sk-/, ["deepseek", "moonshot", "qwen", "openai"]],
  [/^[A-Za-z0-9]{32}$/, ["mistral", "azure"]],
];

/** Returns the provider, or those that it may be, the likely ones first; empty: any. */
export function ownerOfKey(key: string): ProviderID | readonly ProviderID[] {
  const form = forms.find(([pattern]) => pattern.test(key));
  return form?.[1] ?? likely.find(([pattern]) => pattern.test(key))?.[1] ?? [];
}

/** Returns the beginning and the end of a key, with dots for the rest. */
export function maskKey(key: string): string {
  const [start = ""] = /^(sk-[a-z]+-|[a-z]{2,4}[-_])/i.exec(key) ?? [];
  const shown = key.length - start.length >= 12 ? 3 : 0;
  return `${start}${"•".repeat(12)}${shown > 0 ? key.slice(-shown) : ""}`;
}
