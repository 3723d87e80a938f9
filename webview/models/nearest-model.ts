/** Models to go on with where the one that was asked cannot answer. */
import type { ModelRef } from "../../src/chat/message.ts";
import type { ModelChoice } from "../../src/chat/model-views.ts";

/** Returns the provider's model whose name differs least; undefined if none is near enough to be what was meant. */
export function nearestModel(models: readonly ModelChoice[], asked: ModelRef): ModelChoice | undefined {
  const others = models.filter(
    ({ providerID, modelID }) => providerID === asked.providerID && modelID !== asked.modelID,
  );
  const ranked = others.map((model) => ({ model, steps: steps(asked.modelID, model.modelID) }));
  const [best] = ranked.sort((a, b) => a.steps - b.steps);
  return best && best.steps <= Math.max(2, asked.modelID.length / 4) ? best.model : undefined;
}

/** Returns a model that another server answers with, or else another one of the same. */
export function otherModel(models: readonly ModelChoice[], asked: ModelRef | undefined): ModelChoice | undefined {
  const others = models.filter((one) => one.providerID !== asked?.providerID || one.modelID !== asked.modelID);
  return others.find(({ providerID }) => providerID !== asked?.providerID) ?? others[0];
}

/** Levenshtein's distance: letters to add, remove or replace. */
function steps(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [above, letter] of [...from.toLowerCase()].entries()) {
    const next = [above + 1];
    for (const [at, other] of [...to.toLowerCase()].entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
