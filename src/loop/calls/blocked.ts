import type { TurnEnd } from "../turn.ts";

/** The user denied something without a reason, within a running call: that ends the turn (T7). */
export class Blocked extends Error {
  override readonly name = "Blocked";
  readonly end: TurnEnd = { reason: "blocked", error: undefined };
}
