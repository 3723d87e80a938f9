/** VS Code's language models: those of extensions such as Copilot, paid for by the user's subscription. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import { parseJson } from "../../base/json.ts";
import type { Tokens } from "../../chat/message.ts";
import { noTokens } from "../../chat/token-counts.ts";
import { t } from "../../l10n/l10n.ts";
import { type Model, ModelError, type ModelEvent, type ModelRequest } from "../../loop/model.ts";
import { isOverflow } from "../../providers/shared/context-overflow.ts";
import { abortedError } from "../../providers/shared/failure.ts";
import { contentText, messagesOf, optionsOf } from "./vscode-request.ts";

export const vscodeProvider = "vscode";

/**
 * The `model` of a request is "vendor/id". VS Code asks the user for consent at the first request, so a request must
 * follow from an action of the user.
 */
export function vscodeModel(): Model {
  return { providerID: vscodeProvider, stream: streamFromVSCode };
}

async function* streamFromVSCode(request: ModelRequest): AsyncGenerator<ModelEvent> {
  const { signal } = request;
  const cancel = new vscode.CancellationTokenSource();
  const stop = () => cancel.cancel();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let isOver = false;
  const reply = new VSCodeReply();
  try {
    const model = await unlessAborted(findModel(request.model), signal);
    const asked = model.sendRequest(messagesOf(request, takesImages(model)), optionsOf(request), cancel.token);
    const response = await unlessAborted(asked, signal);
    request.onBytes();
    yield { type: "start" };
    yield { type: "start-step" };
    // Counting takes no time of its own: the model works meanwhile.
    const count = countRequest(model, request);
    const chunks: AsyncIterator<unknown> = response.stream[Symbol.asyncIterator]();
    for (;;) {
      // Some providers ignore the cancellation token.
      const next = await unlessAborted(chunks.next(), signal);
      if (next.done) break;
      request.onBytes();
      yield* reply.take(next.value);
    }
    isOver = true;
    if (reply.isEmpty) throw endedEarly(request.model);
    yield* reply.end(reply.usage ?? (await count(reply.said)));
  } catch (thrown) {
    if (!signal.aborted && isTooLong(thrown)) return yield* reply.cut();
    yield { type: "error", error: signal.aborted ? abortedError() : toModelError(thrown, request.model) };
  } finally {
    signal.removeEventListener("abort", stop);
    // The token ends a stream that was not read to its end.
    if (!isOver) stop();
    cancel.dispose();
  }
}

/** Resolves with `work`, but rejects as soon as the signal is aborted. */
async function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function findModel(name: string): Promise<vscode.LanguageModelChat> {
  const slash = name.indexOf("/");
  // A name without a vendor selects the models of all vendors.
  const selector = slash < 0 ? { id: name } : { vendor: name.slice(0, slash), id: name.slice(slash + 1) };
  const [model] = await vscode.lm.selectChatModels(selector);
  if (model) return model;
  throw new ModelError(
    "unknown-model",
    t("VS Code has no model “{0}” now.", name),
    t("Choose another with “Rondo: Select Model…”, or check that its extension is enabled and signed in."),
  );
}

/** VS Code tells it of each model, but its types do not: `supportsImageToText` of the proposed `capabilities`. */
function takesImages(model: vscode.LanguageModelChat): boolean {
  const capabilities = "capabilities" in model ? model.capabilities : undefined;
  if (typeof capabilities !== "object" || capabilities === null) return true;
  return !("supportsImageToText" in capabilities) || capabilities.supportsImageToText !== false;
}

/** VS Code has no reason for the end of a reply. Copilot throws when one reached its longest. [vscode-copilot-chat chatMLFetcher.ts] */
function isTooLong(thrown: unknown): boolean {
  return /^(response|reply|output) (is )?too long\b|max(imum)? (output|completion) tokens?.{0,20}(reached|exceeded)/i.test(
    messageOf(thrown),
  );
}

function endedEarly(model: string): ModelError {
  return new ModelError(
    "network",
    t("The reply of “{0}” ended before it began.", model),
    t("Try again, or choose another model."),
  );
}

class VSCodeReply {
  /** What the model's extension reports. */
  usage: Tokens | undefined;
  /** All of the reply, to be counted. */
  said = "";
  isEmpty = true;
  /** ID of the open text part. */
  #text: string | undefined;
  #texts = 0;
  readonly #calls = new Set<string>();

  *take(part: unknown): Generator<ModelEvent> {
    if (part instanceof vscode.LanguageModelTextPart) yield* this.#say(part.value);
    else if (part instanceof vscode.LanguageModelToolCallPart) yield* this.#call(part);
    else if (part instanceof vscode.LanguageModelDataPart) this.usage = reportedUsage(part) ?? this.usage;
    // Other parts are new in later versions of VS Code, such as thoughts.
    else this.isEmpty = false;
  }

  *end(tokens: Tokens | undefined): Generator<ModelEvent> {
    yield* this.#close();
    // VS Code does not report the reason for the end.
    yield { type: "finish-step", reason: this.#calls.size > 0 ? "tool-calls" : "stop", tokens };
    yield { type: "finish" };
  }

  /** The reply reached the most tokens that it may have. */
  *cut(): Generator<ModelEvent> {
    yield* this.#close();
    yield { type: "finish-step", reason: "length", tokens: this.usage };
    yield { type: "finish" };
  }

  *#say(text: string): Generator<ModelEvent> {
    if (text === "") return;
    this.isEmpty = false;
    this.said += text;
    if (this.#text === undefined) {
      this.#text = `text-${this.#texts++}`;
      yield { type: "text-start", id: this.#text };
    }
    yield { type: "text-delta", id: this.#text, text };
  }

  *#close(): Generator<ModelEvent> {
    if (this.#text !== undefined) yield { type: "text-end", id: this.#text };
    this.#text = undefined;
  }

  *#call({ callId, name, input }: vscode.LanguageModelToolCallPart): Generator<ModelEvent> {
    yield* this.#close();
    const isNew = callId !== "" && !this.#calls.has(callId);
    const id = isNew ? callId : `call_${crypto.randomUUID().replaceAll("-", "")}`;
    this.#calls.add(id);
    const raw = JSON.stringify(input ?? {});
    this.isEmpty = false;
    this.said += `\n${name} ${raw}`;
    const isObject = typeof input === "object" && !Array.isArray(input);
    yield { type: "tool-input-start", id, name };
    yield { type: "tool-input-delta", id, text: raw };
    yield { type: "tool-input-end", id };
    yield {
      type: "tool-call",
      ...{ id, name, raw },
      // An object that was parsed from JSON, so its keys are strings.
      arguments: isObject
        ? { ok: true, input: (input ?? {}) as Record<string, unknown> }
        : { ok: false, problem: t("not a JSON object") },
    };
  }
}

/** Classifies an error by the few codes that VS Code defines, else by its message. */
function toModelError(thrown: unknown, model: string): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const code = thrown instanceof vscode.LanguageModelError ? thrown.code : "";
  const said = messageOf(thrown);
  const elsewhere = t("Choose another with “Rondo: Select Model…”.");
  const fail = (kind: ModelError["kind"], message: string, next: string, shouldRetry?: boolean) =>
    new ModelError(kind, `${message}: ${said}`, next, {
      ...(shouldRetry !== undefined && { shouldRetry }),
      cause: thrown,
    });
  if (code === vscode.LanguageModelError.NoPermissions.name) {
    const next = t("Send the message again and allow it, or manage access with “Chat: Manage Language Models”.");
    return fail("auth", t("VS Code may not use “{0}” for Rondo", model), next);
  }
  if (code === vscode.LanguageModelError.NotFound.name) {
    return fail("unknown-model", t("VS Code has no model “{0}” now", model), elsewhere);
  }
  if (/^ChatQuotaExceeded$/.test(nameOf(thrown)) || /\bquota\b|premium requests/i.test(said)) {
    const next = t(
      "Choose another with “Rondo: Select Model…”, or see your plan at the extension that brings the model.",
    );
    return fail("quota", t("Your plan has no requests left for “{0}”", model), next);
  }
  // The documentation says that a quota may be the reason, too.
  if (code === vscode.LanguageModelError.Blocked.name) {
    return fail(
      "rate-limit",
      t("“{0}” accepts no more requests for now", model),
      t("Wait a little, or choose another model."),
      false,
    );
  }
  if (
    /\b(images?|vision)\b.{0,40}\bnot (supported|enabled|available)|\bnot support.{0,30}\b(images?|vision)\b/i.test(
      said,
    )
  ) {
    return fail("images-refused", t("“{0}” takes no images", model), elsewhere);
  }
  if (isOverflow(said) || /exceeds? (the )?token limit/i.test(said)) {
    return fail("context-full", t("The conversation is too long for “{0}”", model), t("Compact the conversation."));
  }
  if (nameOf(thrown) === "ChatRateLimited" || /rate.?limit|too many requests|\b429\b/i.test(said)) {
    return fail(
      "rate-limit",
      t("“{0}” accepts no more requests for now", model),
      t("Wait a little, or choose another model."),
    );
  }
  if (/overloaded|\b(503|529)\b/i.test(said)) {
    return fail("overloaded", t("“{0}” is overloaded", model), t("Wait a little, or choose another model."));
  }
  if (/ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ERR_NETWORK|fetch failed|net::/.test(said)) {
    return fail("network", t("The connection to “{0}” was lost", model), t("Check the network, and try again."));
  }
  return fail("server", t("“{0}” failed", model), t("Try again, or choose another model."));
}

/** VS Code keeps the names of errors: Copilot tells these two apart by them. [vscode-copilot-chat languageModelAccess.ts] */
function nameOf(thrown: unknown): string {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    if (at.name === "ChatQuotaExceeded" || at.name === "ChatRateLimited") return at.name;
  }
  return "";
}

/** Returns the message of the innermost error in one line: VS Code wraps the provider's error. */
function messageOf(thrown: unknown): string {
  let said = "";
  for (let at = thrown; at instanceof Error; at = at.cause) said = at.message || said;
  const line = said.replace(/\s+/g, " ").trim();
  if (line === "") return t("no reason was given.");
  return line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : line;
}

// Tokens of requests to VS Code's models: reported by the model's extension, else counted by the model's own tokenizer.

/** How long the end of a reply waits for the counts. */
const patienceMs = 300;

/** A tokenizer that says less or more than this for a character counts something else: some extensions answer 0 or 1. */
const plausible = { least: 0.08, most: 3 };

/** Each text is counted once: entries stay as they are, and only the newest are not known yet. */
const counts = new WeakMap<object, Map<string, Promise<Counted>>>();

interface Counted {
  tokens: number;
  characters: number;
}

/**
 * Begins to count, while the model answers. The result takes the reply's text, and resolves soon: with undefined where
 * the model's extension does not count, or not in time.
 */
function countRequest(model: vscode.LanguageModelChat, { system, tools, entries }: ModelRequest) {
  const count = (of: object, name: string, text: () => string) => {
    const known = counts.get(of) ?? new Map<string, Promise<Counted>>();
    counts.set(of, known);
    const key = `${model.id} ${name}`;
    const counted = known.get(key) ?? countText(model, text());
    known.set(key, counted);
    counted.catch(() => known.delete(key));
    return counted;
  };
  const parts = [
    count(tools, system, () => `${system}\n${JSON.stringify(tools)}`),
    ...entries.map((entry) => count(entry, "", () => contentText(entry))),
  ];
  const counting = Promise.all(parts);
  // It may never be awaited.
  counting.catch(() => undefined);
  return async (reply: string): Promise<Tokens | undefined> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), patienceMs);
    });
    try {
      const all = await Promise.race([Promise.all([counting, countText(model, reply)]), late]);
      if (!all) return undefined;
      const [before, output] = all;
      const input = before.reduce((sum, { tokens }) => sum + tokens, 0);
      const characters = before.reduce((sum, one) => sum + one.characters, 0);
      const isPlausible = input >= plausible.least * characters && input <= plausible.most * characters;
      return isPlausible ? { ...noTokens, input, output: output.tokens } : undefined;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };
}

async function countText(model: vscode.LanguageModelChat, text: string): Promise<Counted> {
  const tokens = text === "" ? 0 : await model.countTokens(text);
  if (!Number.isFinite(tokens) || tokens < 0) throw new Error("no count");
  return { tokens: Math.ceil(tokens), characters: text.length };
}

/** A part of a reply that reports what it took. [microsoft/vscode-copilot-chat src/platform/endpoint/common/endpointTypes.ts] */
const usageMime = "usage";

const Count = z._default(z.number().check(z.gte(0)), 0);
const Usage = z.object({
  prompt_tokens: z.number().check(z.gt(0)),
  completion_tokens: Count,
  prompt_tokens_details: z.optional(z.object({ cached_tokens: Count })),
  completion_tokens_details: z.optional(z.object({ reasoning_tokens: Count })),
});

/** Returns undefined for parts that report nothing, or nothing that can be read. */
function reportedUsage({ mimeType, data }: vscode.LanguageModelDataPart): Tokens | undefined {
  if (mimeType !== usageMime) return undefined;
  const { success, data: usage } = Usage.safeParse(parseJson(new TextDecoder().decode(data)));
  if (!success) return undefined;
  const cacheRead = Math.min(usage.prompt_tokens_details?.cached_tokens ?? 0, usage.prompt_tokens);
  return {
    ...noTokens,
    input: usage.prompt_tokens - cacheRead,
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    cacheRead,
  };
}
