/** Pages of the panel, and what the host fills them with. One entry for each. */
import * as z from "zod/mini";
import type { ContextUse } from "./context-views.ts";
import type { RuleRow } from "./rule-views.ts";
import type { RivalView } from "./session-views.ts";
import type { Trace } from "./trace.ts";

/** What the panel gets for a page, whenever the host sends it. */
export interface PageContents {
  context: { use: ContextUse };
  rules: { rules: RuleRow[] };
  trace: { trace: Trace };
  /** Both, or none if the session on screen has no rival any more. */
  rivals: { rivals: RivalView[] };
}

/** A page that the host fills. The others show what the panel has anyway, or ask for it themselves. */
type FilledPage = keyof PageContents;
export type PageName = FilledPage | "sessions" | "servers";

/** `show-…` is answered with the page's content; where there is a `hide-…`, now and whenever it changes until then. */
export const pageRequests = [
  z.object({ type: z.literal("show-context") }),
  z.object({ type: z.literal("show-rules") }),
  z.object({ type: z.literal("hide-rules") }),
  z.object({ type: z.literal("show-trace") }),
  z.object({ type: z.literal("hide-trace") }),
  /** The two sessions with the same task. */
  z.object({ type: z.literal("show-rivals") }),
  z.object({ type: z.literal("hide-rivals") }),
] as const;

export type PageMessage =
  | { [Page in FilledPage]: { type: Page } & PageContents[Page] }[FilledPage]
  /** Opens the page. */
  | { [Page in FilledPage]: { type: `show-${Page}` } }[FilledPage];
