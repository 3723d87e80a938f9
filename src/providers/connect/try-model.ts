/** Asks a model for a few words, to see whether a key and an account can be used. */

import { newID } from "../../base/ids.ts";
import { english } from "../../l10n/l10n.ts";
import type { Model, ModelError, ModelEvent } from "../../loop/model.ts";

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
