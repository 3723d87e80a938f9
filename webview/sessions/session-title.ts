/** Titles of sessions, as they are shown. */
import { t } from "../../src/l10n/l10n.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";

/** A session has this title until its first message gives it one; any other title is the user's or the model's. */
const first = "New session";

/** `untitled`: for a session whose title is empty. */
export function sessionTitle(title: string, untitled: string): string {
  return title === first ? t("New session") : escapeInvisible(title) || untitled;
}
