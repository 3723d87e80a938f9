/** Sessions whose window is full. */
import type { Entry } from "../../src/chat/apply.ts";
import type { ModelRequest } from "../../src/loop/model.ts";
import { failure, type Reply, type Said, type Script } from "../scripted-model.ts";
import type { Harness } from "./harness.ts";

/** A window that a short text fills; Rondo does not know the model. */
export const small = {
  choices: { model: { providerID: "anthropic", modelID: "local" } },
  limits: { contextWindow: 20_000 },
};

/** Reported usage that fills the window, so that the next step compacts. */
export const full = { input: 17_000, output: 100 };

export const isSummary = ({ toolUse }: ModelRequest) => toolUse === "none";

/** Answers requests for a summary with `summary`, all others in order. */
export function summarised(summary: Reply | Said[], others: (Reply | Said[])[]): Script {
  const left = [...others];
  return (request) => (isSummary(request) ? summary : (left.shift() ?? { fail: failure("invalid") }));
}

export function textOf(entry: Entry | undefined): string {
  return (entry?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Returns the entries of a request, by its index. */
export function entriesOf(h: Harness, request: number): readonly Entry[] {
  return h.model.requests[request]?.entries ?? [];
}

/** Returns for each request whether it asked for a summary. */
export const kinds = (h: Harness) => h.model.requests.map((request) => (isSummary(request) ? "summary" : "step"));
