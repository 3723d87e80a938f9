/**
 * Writes src/providers/catalog/models.json: what is known of the models of each provider, from the data of
 * `@earendil-works/pi-ai` (a development dependency, MIT). `--check` changes nothing and fails when the file is not
 * current, when a price differs from that in `@pydantic/genai-prices`, when a provider's default model is missing, or
 * when the catalogue has a newer one of its line.
 *
 * Only the data of pi-ai is read. Its own dependencies (the SDKs of AWS and Google, more than 100 packages) are replaced
 * in `overrides` of package.json by the small one that it has anyway, so that `npm ci` takes two seconds more, not
 * thirty.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { compareVersions, lineOf } from "../src/providers/catalog/lines.ts";
import { providers } from "../src/providers/families/families.ts";

const root = path.resolve(import.meta.dirname, "..");
const target = path.join(root, "src/providers/catalog/models.json");
const data = path.join(root, "node_modules/@earendil-works/pi-ai/dist/providers/data");

/** The providers that have a source; without a source of prices, prices of 0 stand for a subscription. */
const sources = Object.fromEntries(
  Object.entries(providers).flatMap(([id, { catalog }]) => {
    if (catalog === undefined) return [];
    return [[id, typeof catalog === "string" ? { models: catalog, prices: catalog, takes: undefined } : catalog]];
  }),
);

/** Differences between the two sources that have a reason. @type {Record<string, string>} */
const exceptions = {
  "azure/o4-mini": "0.275 is rounded to 0.28 there",
  "azure/deepseek-v4-pro": "Azure's own price; the other source has that of DeepSeek",
  "mistral/mistral-small-latest": "the name now stands for Mistral Small 4; the other source has Small 3.2",
};

/** @typedef {{inputTokensAbove?: number, input: number, output: number, cacheRead: number, cacheWrite: number}} Cost */
/**
 * @typedef {{
 *   type: string, id: string, name: string, api: string, reasoning: boolean, input: string[],
 *   cost: Cost & {tiers?: Cost[]}, contextWindow: number, maxTokens: number,
 *   thinkingLevelMap?: Record<string, string | null>, compat?: Record<string, unknown>,
 *   promptCache?: {short: number, long: number},
 * }} PiModel
 */

/** @returns {PiModel[]} */
function readModels(/** @type {string} */ name) {
  const byAPI = Object.values(JSON.parse(readFileSync(path.join(data, `${name}.json`), "utf8")));
  return byAPI.flatMap((models) => Object.values(models)).filter(({ type }) => type === "chat");
}

/** @type {Record<string, CatalogEntry["api"]>} */
const apis = {
  "anthropic-messages": "messages",
  "openai-responses": "responses",
  "azure-openai-responses": "responses",
};

/** @param {PiModel} model @returns {CatalogEntry["api"]} */
function apiOf({ api, id }) {
  // Bedrock has endpoints of its own for both; pi-ai uses the older one for all.
  if (/(^|\.)anthropic\./.test(id)) return "messages";
  return /(^|\.)openai\.gpt-\d/.test(id) ? "responses" : (apis[api] ?? "chat");
}

/** @typedef {NonNullable<CatalogEntry["flags"]>[number]} Flag */
/** Flags by the names of pi-ai, where they have the value given. @type {Record<string, [Flag, boolean]>} */
const flags = {
  forceAdaptiveThinking: ["adaptiveThinking", true],
  supportsMidConvoSystemMessages: ["systemMessages", true],
  supportsMidConvoToolChanges: ["toolChanges", true],
  supportsMidConvoToolAdditions: ["toolAdditions", true],
  supportsAdditionalTools: ["toolAdditions", true],
  supportsMidConvoEffort: ["effortChanges", true],
  supportsOpenAIGrammarTools: ["grammarTools", true],
  supportsExplicitPromptCacheMode: ["explicitCache", true],
  requiresReasoningContentOnAssistantMessages: ["requiresReasoningContent", true],
  supportsDeveloperRole: ["noDeveloperRole", false],
  supportsTemperature: ["noTemperature", false],
};

function flagsOf(/** @type {PiModel} */ { compat = {}, reasoning, thinkingLevelMap }) {
  const found = Object.entries(flags).filter(([name, [, value]]) => compat[name] === value);
  const names = found.map(([, [name]]) => name);
  if (reasoning && thinkingLevelMap?.["off"] === null) names.push("alwaysThinks");
  return [...new Set(names)].sort();
}

/** Efforts that the model takes, in the provider's words. Without a table pi-ai means the three usual ones. */
function effortsOf(/** @type {PiModel} */ { reasoning, api, compat = {}, thinkingLevelMap: table }) {
  if (!reasoning || (api === "openai-completions" && compat["supportsReasoningEffort"] === false)) return [];
  if (!table && (api !== "openai-responses" || compat["forceAdaptiveThinking"])) return [];
  const usual = ["low", "medium", "high"];
  return ["minimal", ...usual, "xhigh", "max"].flatMap((level) => {
    const value = table?.[level] === undefined ? (usual.includes(level) ? level : null) : table[level];
    return value === null ? [] : [value];
  });
}

/** Prices as [input, output, cache read, cache write, cache write that lasts an hour]. */
function priceOf(/** @type {PiModel} */ model, /** @type {Cost} */ { input, output, cacheRead, cacheWrite }) {
  // Where nothing is said of the cache, its tokens cost as much as others.
  const numbers = [input, output, cacheRead || input, cacheWrite || input];
  // Anthropic: twice the price of input (platform.claude.com, prompt caching).
  return model.promptCache || /(^|\.)anthropic\./.test(model.id) ? [...numbers, round(2 * input)] : numbers;
}

const round = (/** @type {number} */ number) => Number(number.toPrecision(6));

/** @param {string} provider @param {PiModel} model @returns {CatalogEntry} */
function entryOf(provider, model) {
  const { name, cost, contextWindow, maxTokens, input, reasoning } = model;
  const tiers = cost.tiers?.filter(({ inputTokensAbove = 0 }) => inputTokensAbove <= windowOf(model)) ?? [];
  const isPriced = cost.input > 0 || cost.output > 0;
  const window = windowOf(model);
  const efforts = effortsOf(model);
  const marks = flagsOf(model);
  const api = apiOf(model);
  const images = input.includes("image");
  return {
    label: name.replace(/ \(latest\)$/, ""),
    window,
    // OpenAI takes 128,000 tokens less than the window (its pages on each model from GPT-5 on).
    ...(/(^|\.)gpt-[5-9]/.test(model.id) && !/chat|spark/.test(model.id) && { inputLimit: window - 128_000 }),
    // A model that may answer with its whole window is given a part of it.
    output: Math.min(maxTokens, Math.floor(contextWindow / 2)),
    ...(isPriced && { price: priceOf(model, cost) }),
    ...(isPriced &&
      tiers.length > 0 && { tiers: tiers.map((tier) => [tier.inputTokensAbove ?? 0, ...priceOf(model, tier)]) }),
    ...(images && { images }),
    // Chat Completions has no place for PDFs that all servers know.
    ...(images && api !== "chat" && provider !== "xai" && { pdfs: true }),
    ...(reasoning && { reasoning }),
    ...(efforts.length > 0 && { efforts }),
    api,
    ...(marks.length > 0 && { flags: marks }),
  };
}

/** pi-ai ends the window where the prices double; the servers take as much as from the models without that mark. */
function windowOf(/** @type {PiModel} */ { contextWindow, cost }) {
  return contextWindow === 272_000 && cost.tiers ? 1_050_000 : contextWindow;
}

/** @typedef {import("../src/providers/catalog/catalog-file.ts").CatalogEntry} CatalogEntry */
/** @typedef {import("../src/providers/catalog/catalog-file.ts").CatalogFile} CatalogFile */

/** @returns {Record<string, Record<string, CatalogEntry>>} */
function makeCatalog() {
  const gemini = new Map(readModels("google").map((model) => [model.id, model]));
  /** @type {Record<string, Record<string, CatalogEntry>>} */
  const catalog = {};
  for (const [provider, { models: name, takes }] of Object.entries(sources)) {
    const models = readModels(name).filter(({ id }) => !takes || takes.test(id));
    const entries = models.map((model) => {
      const same = provider === "vertex" ? gemini.get(model.id) : undefined;
      // pi-ai knows of the higher prices for long contexts on Google's other address only; they hold on both.
      const isSamePrice = same?.cost.input === model.cost.input && same.cost.tiers;
      const found = isSamePrice ? { ...model, cost: same.cost } : model;
      return /** @type {const} */ ([model.id, entryOf(provider, found)]);
    });
    const known = Object.fromEntries(entries);
    // Deployments are named by their users: only what differs from OpenAI's own is kept.
    const differing = entries.filter(
      ([id, entry]) => JSON.stringify(catalog["openai"]?.[id]) !== JSON.stringify(entry),
    );
    catalog[provider] = provider === "azure" ? Object.fromEntries(differing) : known;
  }
  return catalog;
}

const { version } = JSON.parse(
  readFileSync(path.join(root, "node_modules/@earendil-works/pi-ai/package.json"), "utf8"),
);

/** One line for each model, so that changes can be read. @param {CatalogFile["models"]} catalog */
function write(catalog) {
  const written =
    `by scripts/catalog.mjs from the data of @earendil-works/pi-ai ${version} (MIT; see NOTICE). ` +
    "Do not edit; run `npm run catalog`.";
  const models = Object.entries(catalog).map(([provider, entries]) => {
    const lines = Object.entries(entries).map(([id, entry]) => `${JSON.stringify(id)}:${JSON.stringify(entry)}`);
    return `${JSON.stringify(provider)}:{\n${lines.join(",\n")}\n}`;
  });
  return `{"written":${JSON.stringify(written)},\n"models":{\n${models.join(",\n")}\n}}\n`;
}

/** @typedef {number | {base: number, tiers: {start: number, price: number}[]} | undefined} Listed */

/** Compares with the prices of the other source. @returns {string[]} */
function differences(/** @type {Record<string, Record<string, CatalogEntry>>} */ catalog) {
  const { calcPrice } = createRequire(import.meta.url)("@pydantic/genai-prices");
  // DeepSeek's price depends on the hour; the catalogue has the higher one, which a budget is safe with.
  const timestamp = new Date();
  timestamp.setUTCHours(2);
  const problems = [];
  const unused = new Set(Object.keys(exceptions));
  for (const [provider, models] of Object.entries(catalog)) {
    const providerId = sources[provider]?.prices;
    if (providerId === undefined) continue;
    for (const [id, { price, tiers = [], window }] of Object.entries(models)) {
      const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, id, { providerId, timestamp });
      // It also answers with a similar model of another name.
      if (!price || found?.model.id !== id) continue;
      const listed = /** @type {Record<string, Listed>} */ (found.model_price);
      const names = ["input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok"];
      const differing = names.filter((name, at) => {
        const other = listed[name];
        if (other === undefined) return false;
        const base = typeof other === "object" ? other.base : other;
        const higher = typeof other === "object" ? other.tiers.filter(({ start }) => start < window) : [];
        // 271,999 there and 272,000 here mean the same.
        const isSame = (/** @type {number} */ start) =>
          tiers.some(([above = 0, ...prices]) => {
            return Math.abs(above - start) <= 1 && prices[at] === higher.find((tier) => tier.start === start)?.price;
          });
        return base !== price[at] || !higher.every(({ start }) => isSame(start));
      });
      if (differing.length === 0) continue;
      if (exceptions[`${provider}/${id}`] === undefined) {
        problems.push(
          `${provider}/${id}: ${differing.join(", ")} of @pydantic/genai-prices: ${JSON.stringify(listed)}`,
        );
      }
      unused.delete(`${provider}/${id}`);
    }
  }
  for (const name of unused) problems.push(`${name}: the exception is no longer needed.`);
  return problems;
}

/** @returns {string[]} */
function outdatedDefaults(/** @type {Record<string, Record<string, CatalogEntry>>} */ catalog) {
  return Object.entries(providers).flatMap(([provider, { defaultModel: id }]) => {
    if (id === undefined) return [];
    const known = catalog[provider] ?? {};
    if (!known[id] && provider !== "vertex")
      return [`${provider}: the catalogue does not have its default model ${id}.`];
    const newer = Object.keys(known).filter((other) => lineOf(other) === lineOf(id) && compareVersions(other, id) > 0);
    return newer.map((other) => `${provider}: ${other} is newer than the default model ${id}.`);
  });
}

const catalog = makeCatalog();
const text = write(catalog);
if (process.argv.includes("--check")) {
  const problems = [...differences(catalog), ...outdatedDefaults(catalog)];
  if (readFileSync(target, "utf8") !== text) problems.push("models.json is not current: run `npm run catalog`.");
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} else {
  writeFileSync(target, text);
  console.log(`${path.relative(root, target)}: ${(text.length / 1000).toFixed(0)} kB`);
}
