/** Window and price of a model in words: short ones for columns, long ones for tooltips and screen readers. */

import { never } from "../../src/base/never.ts";
import type { ModelCost, PickerModel } from "../../src/chat/model-list.ts";
import { formatted, t } from "../../src/l10n/l10n.ts";
import { rough } from "../text/format.ts";

const unknown = t("unknown");

export function windowColumn({ window }: PickerModel): string {
  if (window === undefined) return unknown;
  // Such sizes are known by their binary thousands: 131,072 as 128 k.
  return rough(window % 8192 === 0 ? window / 1.024 : window);
}

export function costColumn({ cost }: PickerModel): string {
  return cost.type === "usd" ? `${short(cost.input)} / ${short(cost.output)}` : cost.type;
}

/** "1,000,000 tokens, $3 in, $15 out per million tokens" */
export function factsInWords({ window, cost }: PickerModel): string {
  const size = window === undefined ? t("window unknown") : t("{0} tokens", formatted(window));
  return `${size}, ${costInWords(cost)}`;
}

function costInWords(cost: ModelCost): string {
  switch (cost.type) {
    case "usd":
      return t("{0} in, {1} out per million tokens", `$${exact(cost.input)}`, `$${exact(cost.output)}`);
    case "free":
      return t("free");
    case "plan":
      return t("in your plan");
    case "unknown":
      return t("price unknown");
    default:
      return never(cost);
  }
}

/** Long tasks need more: the conversation is summed up again and again. In tokens. */
const smallWindow = 64_000;

export function hasSmallWindow({ window }: PickerModel): boolean {
  return window !== undefined && window < smallWindow;
}

/** A price as it fits into a column: "62.5", "1.25", "0.098". */
function short(usd: number): string {
  if (usd >= 10) return exact(Number(usd.toFixed(1)));
  return exact(Number(usd >= 1 ? usd.toFixed(2) : usd.toPrecision(2)));
}

/** All digits that the number has. */
const exact = (usd: number) => formatted(usd, { maximumFractionDigits: 12, useGrouping: false });
