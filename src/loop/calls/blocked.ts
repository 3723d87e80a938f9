import type { TurnEnd } from "../turn.ts";

/** The user refused something without words, within a call that ran already: that ends the turn (T7). */
export class Blocked extends Error {
  override readonly name = "Blocked";
  readonly end: TurnEnd = { reason: "blocked", error: undefined };
}
