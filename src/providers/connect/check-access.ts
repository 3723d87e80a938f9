/** Checks whether a server can be used with a key: it lists its models, and one of them begins to answer. */

import { newID } from "../../base/ids.ts";
import { english } from "../../l10n/l10n.ts";
import type { Model, ModelError, ModelEvent } from "../../loop/model.ts";
import type { ModelList } from "../catalog/list-models.ts";
import { listProviderModels, openModel, type ProviderAccess } from "../providers.ts";

/** `said`: the server's own words, empty if it has none. */
export type AccessAnswer =
  | { type: "accepted"; list: ModelList | undefined }
  | { type: "refused"; said: string }
  | { type: "no-credit"; said: string; list: ModelList | undefined }
  | { type: "no-answer" };

const listMs = 8_000;
/** A model that thinks for longer than this has a key that works. */
const tryMs = 15_000;

interface CheckedServer {
  providerID: string;
  access: ProviderAccess;
  /** Returns the model to try; undefined for none. */
  chooseModel(list: ModelList | undefined): string | undefined;
}

/** Never rejects. The list of models may be public, so a model is asked as well. */
export async function checkAccess(
  { providerID, access, chooseModel }: CheckedServer,
  signal: AbortSignal,
): Promise<AccessAnswer> {
  const list = await listProviderModels(providerID, access, AbortSignal.any([signal, AbortSignal.timeout(listMs)]));
  if (list?.type === "failed" && list.reason === "no-answer") return { type: "no-answer" };
  const name = chooseModel(list);
  const isRefused = list?.type === "failed" && list.reason === "refused";
  // A key may be allowed to ask models, but not to list them.
  const error = name === undefined ? undefined : await errorOf(providerID, access, name, signal);
  if (error?.kind === "quota") return { type: "no-credit", said: error.said, list };
  if (error?.kind === "auth") return { type: "refused", said: error.said || (isRefused ? list.said : "") };
  if (isRefused && (name === undefined || error)) return { type: "refused", said: list.said };
  if (error?.kind === "network" && list?.type !== "listed") return { type: "no-answer" };
  return { type: "accepted", list };
}

async function errorOf(providerID: string, access: ProviderAccess, name: string, signal: AbortSignal) {
  const model = await openModel(providerID, access);
  return await tryModel(model, name, AbortSignal.any([signal, AbortSignal.timeout(tryMs)]));
}

// Asks a model for a few words, to see whether a key and an account can be used.

/** The connection is closed at the first word, so that little is paid for. Some servers refuse fewer tokens than this. */
const maxTokens = 64;

/** Events that come before the server has answered. */
const early: readonly ModelEvent["type"][] = ["start", "start-step", "skipped"];

/** Resolves with the error; with undefined as soon as the model begins to answer, or the signal ends the wait. */
export async function tryModel(model: Model, name: string, signal: AbortSignal): Promise<ModelError | undefined> {
  const end = new AbortController();
  const id = newID("msg");
  const sessionID = newID("ses");
  const ref = { providerID: model.providerID, modelID: name };
  const info = { id, sessionID, role: "user", createdAt: Date.now(), agent: "build", model: ref } as const;
  const text = { type: "text", id: newID("prt"), sessionID, messageID: id, text: english("Say hello.") } as const;
  const events = model.stream({
    model: name,
    conversationID: sessionID,
    system: "Answer with one word.",
    entries: [{ info, parts: [text] }],
    ...{ unboundEntries: 0, imagelessEntries: 0, tools: [], toolUse: "none", temperature: undefined, options: {} },
    onBytes: () => undefined,
    ...{ contextWindow: undefined, maxTokens, thinking: "default", signal: AbortSignal.any([signal, end.signal]) },
  });
  try {
    for await (const event of events) {
      if (event.type === "error") return event.error.kind === "aborted" ? undefined : event.error;
      if (!early.includes(event.type)) return undefined;
    }
    return undefined;
  } finally {
    end.abort();
  }
}
