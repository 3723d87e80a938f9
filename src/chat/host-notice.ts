/** What the host tells when something could not be done, and what helps then. */
import * as z from "zod/mini";

/** What the button of a notice does; `none`: there is nothing to be done but to read it. */
export const NoticeFix = z.enum([
  "none",
  "connect",
  "choose-model",
  "trust",
  "new-session",
  "show-log",
  "open-record",
  "raise-budget",
]);
export type NoticeFix = z.infer<typeof NoticeFix>;

/** Something that could not be done. */
export interface HostNotice {
  message: string;
  /** What holds, or what to do; empty if nothing is to be said. */
  next: string;
  fix: NoticeFix;
}
