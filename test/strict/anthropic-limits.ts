/** What Anthropic demands of each request whatever the model: headers, sizes, marks for the cache, parts of results. */
import type { StrictRequest, StrictRule } from "./strict-server.ts";

type Json = Record<string, unknown>;

/** All objects within a value, outermost first. */
function objectsIn(value: unknown): Json[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== "object" || value === null) return [];
  return [value as Json, ...Object.values(value).flatMap(objectsIn)]; // keys are strings
}

function rule(source: string, breach: (request: StrictRequest<Json>, objects: Json[]) => string | undefined) {
  return { source, breach: (request: StrictRequest<Json>) => breach(request, objectsIn(request.body)) };
}

/** Betas by their pages and by pi-ai 1.5.2. */
const betas = [
  "thinking-binding-controls-2026-08-01",
  "inline-tools-2026-09-15",
  "mid-conversation-output-config-2026-07-01",
];

/** From platform.claude.com: models overview, vision. */
const largest = { requestBytes: 32 << 20, imageCharacters: 5 << 20, images: 600 };

export const limitRules: readonly StrictRule<never>[] = [
  rule("docs/en/api/overview", ({ path, headers }) => {
    // Clouds have paths and headers of their own.
    if (/\/(anthropic|publishers)\//.test(path)) return undefined;
    if (path !== "/v1/messages") return `Not found: ${path}`;
    if (!headers["x-api-key"] && !headers.authorization) return "x-api-key header is required";
    if (headers["anthropic-version"] !== "2023-06-01") return "anthropic-version: header is required";
    const unknown = String(headers["anthropic-beta"] ?? "")
      .split(",")
      .find((name) => name !== "" && !betas.includes(name));
    return unknown && `Unexpected value(s) \`${unknown}\` for the \`anthropic-beta\` header.`;
  }),
  rule("docs/en/api/overview#request-size-limits; docs/en/build-with-claude/vision", ({ raw }, objects) => {
    if (Buffer.byteLength(raw) > largest.requestBytes) return "Request exceeds the maximum size";
    const images = objects.filter(({ type }) => type === "image");
    if (images.length > largest.images) return "too many images";
    const isLarge = images.some(({ source }) => JSON.stringify(source).length > largest.imageCharacters);
    return isLarge ? "image exceeds 5 MB maximum" : undefined;
  }),
  rule("CLIProxyAPI#3398", (_, objects) => {
    const ttls = objects.flatMap(({ cache_control: mark }) => (mark ? [(mark as { ttl?: string }).ttl ?? "5m"] : []));
    // The mark of the request itself stands at its end.
    const [last, ...others] = ttls;
    const ordered = last === undefined ? [] : [...others, last];
    const short = ordered.indexOf("5m");
    return short >= 0 && ordered.indexOf("1h", short) >= 0
      ? "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
      : undefined;
  }),
  rule("earendil-works/pi-ai 1.5.2 splitErrorToolResultImages", (_, objects) => {
    const failed = objects.filter(({ type, is_error }) => type === "tool_result" && is_error === true);
    const isMixed = failed.some(({ content }) => Array.isArray(content) && content.some(({ type }) => type !== "text"));
    return isMixed ? "all content must be type `text` if `is_error` is true" : undefined;
  }),
  rule("earendil-works/pi-ai 1.5.2: effort cannot change while thinking is disabled", ({ body }) => {
    const { thinking, messages } = body as { thinking?: Json; messages: Json[] }; // as the common rules check
    return thinking?.["type"] === "disabled" && messages.some(({ output_config: effort }) => effort)
      ? "messages.output_config: effort cannot change while thinking is disabled"
      : undefined;
  }),
  rule("docs/en/build-with-claude/effort", (_, objects) => {
    const told = objects.flatMap(({ output_config: config }) => (config ? [(config as Json)["effort"]] : []));
    const wrong = told.find((effort) => !/^(low|medium|high|xhigh|max)$/.test(String(effort)));
    return wrong === undefined
      ? undefined
      : `output_config.effort: Input should be 'low', 'medium', 'high'; got ${wrong}`;
  }),
];
