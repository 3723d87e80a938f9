/** Converts the events of one Responses stream, as servers really send them, to the loop's events (E4). */

import type { Finish, ToolDefinition } from "../../chat/message.ts";
import { english, msg } from "../../l10n/l10n.ts";
import type { Arguments, ModelEvent, ProviderData } from "../../loop/model.ts";
import { StreamedError } from "../shared/failure.ts";
import { parseArguments } from "../shared/parse-arguments.ts";
import {
  isRefusal,
  messageText,
  type OutputItem,
  type ResponseSnapshot,
  type ResponsesEvent,
  thoughtText,
  toCost,
  toTokens,
} from "./responses-event.ts";

type ItemKind = "message" | "reasoning" | "function_call" | "custom_tool_call" | "foreign";

/** An output item as far as it has come. */
interface StreamedItem {
  kind: ItemKind;
  itemID: string | undefined;
  /** Names the item in events; for calls it is unique within the reply. */
  id: string;
  /** Joined deltas; for calls: arguments or input. */
  text: string;
  /** Index of the summary or content part that `text` ends with. */
  part: number | undefined;
  isRefusal: boolean;
  isStarted: boolean;
  isEnded: boolean;
  /** The whole arguments or input, from the event that says so. */
  whole: string | undefined;
  /** From `output_item.added`, replaced by `output_item.done`. */
  item: OutputItem;
}

export class ResponsesReplyParser {
  readonly #isEncrypted: boolean;
  readonly #freeform: ReadonlyMap<string, string>;
  readonly #items: StreamedItem[] = [];
  readonly #byIndex = new Map<number, StreamedItem>();
  readonly #noted = new Set<string>();
  #end: ResponseSnapshot | undefined;
  #isCut = false;

  /**
   * `tools`: those of the request, for the argument that a freeform tool's input is. `isEncrypted`: whether encrypted
   * thoughts were asked for; Azure has sent them in the final snapshot alone. [earendil-works/pi#6409]
   */
  constructor(tools: readonly ToolDefinition[], isEncrypted: boolean) {
    this.#isEncrypted = isEncrypted;
    this.#freeform = new Map(tools.flatMap(({ name, freeform }) => (freeform ? [[name, freeform.argument]] : [])));
  }

  /** Whether the server has said that the reply is over: `[DONE]` alone does not. */
  get isComplete(): boolean {
    return this.#end !== undefined;
  }

  /** @throws StreamedError if the event is an error */
  *take(event: ResponsesEvent): Generator<ModelEvent> {
    const type = event.type ?? "";
    const delta = event.delta ?? "";
    if (type === "error" || event.object === "error" || (type === "" && typeof event.message === "string"))
      throw new StreamedError(event);
    if (event.response) yield* this.#noteTransformations(event.response);
    switch (type) {
      case "response.output_item.added":
        return yield* this.#add(event);
      case "response.output_item.done":
        return yield* this.#finish(event);
      case "response.output_text.delta":
      case "response.refusal.delta": {
        const item = this.#find(event, "message");
        item.isRefusal ||= type === "response.refusal.delta";
        return yield* this.#write(item, delta);
      }
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return yield* this.#think(event, delta);
      case "response.function_call_arguments.delta":
        return yield* this.#write(this.#find(event, "function_call"), delta);
      case "response.custom_tool_call_input.delta":
        return yield* this.#write(this.#find(event, "custom_tool_call"), delta);
      case "response.function_call_arguments.done":
        this.#find(event, "function_call").whole ??= event.arguments ?? undefined;
        return;
      case "response.custom_tool_call_input.done":
        this.#find(event, "custom_tool_call").whole ??= event.input ?? undefined;
        return;
      case "response.completed":
      case "response.done":
      case "response.incomplete":
        return this.#close(event.response ?? {}, type === "response.incomplete");
      case "response.failed":
      case "response.cancelled":
        throw new StreamedError(event.response?.error ?? { code: "server_error", message: msg("the response failed") });
      default:
        if (type !== "" && !isProgress(type) && !this.#isForeign(event))
          yield* this.#note(english(`the event ${type}`));
    }
  }

  *end(): Generator<ModelEvent> {
    const response = this.#end ?? {};
    this.#fillIn(response.output ?? []);
    for (const item of this.#items) if (!isCall(item)) yield* this.#closeItem(item);
    const finish = this.#finishReason(response);
    let calls = 0;
    for (const item of this.#items.filter(isCall)) if (yield* this.#call(item, finish)) calls++;
    const reason = finish === "stop" && calls > 0 ? "tool-calls" : finish;
    const { usage } = response;
    const costUsd = usage ? toCost(usage) : undefined;
    yield {
      type: "finish-step",
      reason,
      tokens: usage ? toTokens(usage) : undefined,
      ...(costUsd !== undefined && { costUsd }),
    };
    yield { type: "finish" };
  }

  /** @throws StreamedError if the response failed */
  #close(response: ResponseSnapshot, isCut: boolean): void {
    const { status, error } = response;
    if (status === "failed" || status === "cancelled")
      throw new StreamedError(error ?? { code: "server_error", message: msg("the response is {0}", status) });
    this.#end = response;
    this.#isCut = isCut || status === "incomplete";
  }

  #finishReason({ incomplete_details: cut }: ResponseSnapshot): Finish {
    if (this.#isCut) return cut?.reason === "content_filter" ? "content-filter" : "length";
    return this.#items.some((item) => item.isRefusal) ? "refusal" : "stop";
  }

  *#add(event: ResponsesEvent): Generator<ModelEvent> {
    const given = event.item ?? {};
    const item = this.#create(kindOf(given), event.output_index, given);
    if (item.kind === "foreign")
      return yield* this.#note(english(`an item of type ${given.type ?? "unknown"}, which Rondo did not ask for`));
    // Thoughts and calls are shown as soon as they begin; a message may stay empty.
    if (item.kind !== "message") yield* this.#start(item);
  }

  *#finish(event: ResponsesEvent): Generator<ModelEvent> {
    const given = event.item ?? {};
    const kind = kindOf(given);
    let item = this.#known(event, kind, given.id) ?? this.#newestOpen(kind);
    if (!item) {
      yield* this.#add(event);
      item = this.#items.at(-1);
    }
    if (!item) return;
    item.item = given;
    if (isCall(item)) item.whole = rawOf(given) || item.whole || item.text;
    else if (item.kind === "message" || !this.#isEncrypted || thoughtData(given)) yield* this.#closeItem(item);
  }

  /** Ends a message or thought; its finished text replaces what the deltas said. */
  *#closeItem(item: StreamedItem): Generator<ModelEvent> {
    const { kind, item: given } = item;
    if (item.isEnded || (kind !== "message" && kind !== "reasoning")) return;
    const whole = (kind === "message" ? messageText(given) : thoughtText(given)) || item.text;
    if (kind === "message") item.isRefusal ||= isRefusal(given);
    const isEmpty = kind === "message" && whole === "";
    if (!isEmpty && whole.startsWith(item.text)) yield* this.#write(item, whole.slice(item.text.length));
    else if (!isEmpty) yield* this.#start(item);
    item.isEnded = true;
    if (isEmpty) return;
    const type = kind === "message" ? "text" : "reasoning";
    const metadata = kind === "message" ? messageData(item) : thoughtData(given);
    yield {
      type: `${type}-end`,
      id: item.id,
      ...(metadata && { metadata }),
      ...(whole !== item.text && { text: whole }),
    };
  }

  *#think(event: ResponsesEvent, delta: string): Generator<ModelEvent> {
    const item = this.#find(event, "reasoning");
    const part = event.summary_index ?? event.content_index ?? 0;
    const isNext = item.part !== undefined && part !== item.part && item.text !== "";
    item.part = part;
    yield* this.#write(item, isNext ? `\n\n${delta}` : delta);
  }

  *#write(item: StreamedItem, text: string): Generator<ModelEvent> {
    // Servers have repeated deltas of items that were done.
    if (text === "" || item.kind === "foreign" || item.isEnded) return;
    yield* this.#start(item);
    item.text += text;
    yield { type: `${eventOf[item.kind]}-delta`, id: item.id, text };
  }

  *#start(item: StreamedItem): Generator<ModelEvent> {
    const { kind, id } = item;
    if (item.isStarted || kind === "foreign") return;
    item.isStarted = true;
    if (kind === "message") yield { type: "text-start", id };
    else if (kind === "reasoning") yield { type: "reasoning-start", id };
    else yield { type: "tool-input-start", id, name: item.item.name ?? "unnamed" };
  }

  /** Returns whether the call counts: one that the end of the reply cut off does not (C4). */
  *#call(item: StreamedItem, finish: Finish): Generator<ModelEvent, boolean> {
    const { id, kind, item: given } = item;
    const isClosed = item.whole !== undefined;
    const said = item.whole ?? (item.text || rawOf(given));
    const { raw, arguments: parsed } =
      kind === "custom_tool_call" ? this.#wrap(given, said) : readArguments(said, isClosed);
    yield* this.#start(item);
    if (said.startsWith(item.text) && kind === "function_call") yield* this.#write(item, said.slice(item.text.length));
    yield { type: "tool-input-end", id };
    if (finish === "length" && (!parsed.ok || given.status === "incomplete" || !isClosed)) return false;
    const name = given.name ?? "unnamed";
    yield { type: "tool-call", id, name, raw, arguments: parsed, provider: callData(item, said, parsed) };
    return true;
  }

  /** Makes the input of a freeform tool its argument. */
  #wrap({ name }: OutputItem, said: string): { raw: string; arguments: Arguments } {
    const input = { [this.#freeform.get(name ?? "") ?? "input"]: said };
    return { raw: JSON.stringify(input), arguments: { ok: true, input } };
  }

  /** Takes from the final snapshot what the stream left out; it may be empty, and its ids may be others. */
  #fillIn(output: readonly OutputItem[]): void {
    if (this.#items.length === 0) for (const given of output) this.#createWhole(given);
    for (const kind of ["reasoning", "message", "function_call", "custom_tool_call"] as const) {
      const streamed = this.#items.filter((item) => item.kind === kind);
      for (const [at, given] of output.filter((item) => kindOf(item) === kind).entries()) {
        const item = streamed[at];
        if (!item) {
          // Thoughts that come after what they led to would stand in the wrong place.
          if (kind !== "reasoning") this.#createWhole(given);
        } else if (!item.isEnded && item.whole === undefined) {
          item.item = given;
          if (isCall(item) && !this.#isCut) item.whole = rawOf(given) || undefined;
        }
      }
    }
  }

  /** Adds an item of the final snapshot. */
  #createWhole(given: OutputItem): void {
    const item = this.#create(kindOf(given), undefined, given);
    if (isCall(item) && !this.#isCut) item.whole = rawOf(given);
  }

  #create(kind: ItemKind, index: number | null | undefined, item: OutputItem): StreamedItem {
    const isToolCall = kind === "function_call" || kind === "custom_tool_call";
    const created: StreamedItem = {
      kind,
      itemID: item.id ?? undefined,
      id: isToolCall ? this.#uniqueID(item.call_id) : `item-${this.#items.length}`,
      text: "",
      part: undefined,
      isRefusal: false,
      isStarted: false,
      isEnded: false,
      whole: undefined,
      item,
    };
    this.#items.push(created);
    if (typeof index === "number") this.#byIndex.set(index, created);
    return created;
  }

  /** Returns the item of an event, or begins one: servers have left out `output_item.added`. */
  #find(event: ResponsesEvent, kind: ItemKind): StreamedItem {
    return (
      this.#known(event, kind, event.item_id) ??
      this.#create(kind, event.output_index, event.item_id ? { id: event.item_id } : {})
    );
  }

  /** Looks for an item by its index, then by its id, then among those that are open. */
  #known({ output_index: index }: ResponsesEvent, kind: ItemKind, id: string | null | undefined) {
    const fits = (item: StreamedItem | undefined) => (item?.kind === kind ? item : undefined);
    if (typeof index === "number") return fits(this.#byIndex.get(index));
    const byID = id ? this.#items.find((item) => item.itemID === id) : undefined;
    return fits(byID) ?? (id && kind !== "message" ? undefined : this.#newestOpen(kind));
  }

  #newestOpen(kind: ItemKind): StreamedItem | undefined {
    return this.#items.findLast((item) => item.kind === kind && !item.isEnded && item.whole === undefined);
  }

  #isForeign({ output_index: index, item_id: id }: ResponsesEvent): boolean {
    const byID = () => (id ? this.#items.find(({ itemID }) => itemID === id) : undefined);
    const item = typeof index === "number" ? this.#byIndex.get(index) : byID();
    return item?.kind === "foreign";
  }

  *#noteTransformations({ input_transformations: made }: ResponseSnapshot): Generator<ModelEvent> {
    for (const { type = "change", reason } of made ?? []) {
      const why = reason === undefined ? "" : ` (${reason})`;
      yield* this.#note(
        english(`the server changed the conversation before the model read it: ${type.replaceAll("_", " ")}${why}`),
      );
    }
  }

  *#note(what: string): Generator<ModelEvent> {
    if (this.#noted.has(what)) return;
    this.#noted.add(what);
    yield { type: "skipped", what };
  }

  #uniqueID(id: string | null | undefined): string {
    return id && !this.#items.some((item) => item.id === id) ? id : `call_${crypto.randomUUID().replaceAll("-", "")}`;
  }
}

const eventOf = {
  message: "text",
  reasoning: "reasoning",
  function_call: "tool-input",
  custom_tool_call: "tool-input",
} as const;

function kindOf({ type }: OutputItem): ItemKind {
  return type === "message" || type === "reasoning" || type === "function_call" || type === "custom_tool_call"
    ? type
    : "foreign";
}

function isCall({ kind }: StreamedItem): boolean {
  return kind === "function_call" || kind === "custom_tool_call";
}

/** Events that repeat others, or only say how far the server is. */
function isProgress(type: string): boolean {
  return /^response\.(created|queued|in_progress|(content|reasoning|reasoning_summary)_part\.|(output_text|refusal|reasoning_text|reasoning_summary_text)\.)/.test(
    type,
  );
}

function rawOf({ arguments: given, input }: OutputItem): string {
  if (typeof given === "string") return given;
  return given ? JSON.stringify(given) : (input ?? "");
}

/** No arguments at all are an object without fields, unless the call never ended. */
function readArguments(raw: string, isClosed: boolean): { raw: string; arguments: Arguments } {
  if (raw === "" && !isClosed) return { raw, arguments: { ok: false, problem: english("the arguments did not come") } };
  return { raw, arguments: parseArguments(raw) };
}

function messageData({ item: { id, phase }, isRefusal: refusal }: StreamedItem): ProviderData | undefined {
  const data = { ...(id && { id }), ...(phase && { phase }), ...(refusal && { refusal }) };
  return Object.keys(data).length > 0 ? data : undefined;
}

/** Keeps thoughts as they came: only so does the server take them back. */
function thoughtData(item: OutputItem): ProviderData | undefined {
  const { type, id, summary, content, encrypted_content } = item;
  if (!encrypted_content && !content?.length) return undefined;
  return {
    item: {
      type,
      id,
      summary: summary ?? [],
      ...(content?.length && { content }),
      ...(encrypted_content && { encrypted_content }),
    },
  };
}

/** `arguments` is there only if the bytes that came are not those that the parsed input would make. */
function callData({ kind, item: { id, name, namespace } }: StreamedItem, raw: string, parsed: Arguments): ProviderData {
  const isSame = kind === "custom_tool_call" || (parsed.ok && JSON.stringify(parsed.input) === raw);
  return {
    kind,
    ...(id && { id }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    ...(!isSame && { arguments: raw }),
  };
}
