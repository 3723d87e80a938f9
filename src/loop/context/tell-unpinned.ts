/** Tells the user which pins were given up. */
import { msg } from "../../l10n/l10n.ts";
import type { Turn } from "../turn.ts";
import { pendingPrompt } from "./context.ts";

/** `names`: of `carryPins`. `beside`: what takes their room. */
export function tellUnpinned(
  turn: Pick<Turn, "chat" | "notifyUser">,
  names: readonly string[],
  beside: "summary" | "plan",
): void {
  const { user } = pendingPrompt(turn.chat);
  const [first] = names;
  if (first === undefined || !user) return;
  const all = names.join(", ");
  const one = {
    summary: msg("{0} is no longer pinned: it does not fit beside the summary of the conversation.", first),
    plan: msg("{0} is no longer pinned: it does not fit beside the plan.", first),
  };
  const several = {
    summary: msg("{0} are no longer pinned: they do not fit beside the summary of the conversation.", all),
    plan: msg("{0} are no longer pinned: they do not fit beside the plan.", all),
  };
  turn.notifyUser(user.id, (names.length === 1 ? one : several)[beside]);
}
