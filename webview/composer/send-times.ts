/** When a message is sent that is written while Rondo works: the keys, and the words for it. */

import type { PromptTime } from "../../src/chat/protocol.ts";
import { t } from "../../src/l10n/l10n.ts";

const isMac = navigator.platform.startsWith("Mac");

interface TimeChoice {
  name: string;
  /** As the user reads it, and as assistive technology does. */
  key: string;
  shortcut: string;
}

export const sendTimes: Record<PromptTime, TimeChoice> = {
  "next-step": { name: t("Send at the next step"), key: "Enter", shortcut: "Enter" },
  "after-turn": { name: t("Send after this turn"), key: isMac ? "⌥Enter" : "Alt+Enter", shortcut: "Alt+Enter" },
  now: {
    name: t("Stop and send now"),
    key: isMac ? "⇧⌘Enter" : "Ctrl+Shift+Enter",
    shortcut: isMac ? "Meta+Shift+Enter" : "Control+Shift+Enter",
  },
};

/** Returns when Enter sends the message, by the keys that are held with it; undefined: it breaks the line. */
export function timeOfEnter({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): PromptTime | undefined {
  if (shiftKey) return (ctrlKey || metaKey) && !altKey ? "now" : undefined;
  return altKey ? "after-turn" : "next-step";
}

/** Says when a message of the queue is sent: "at the next step". */
export function timeInWords(when: Exclude<PromptTime, "now">, isRunning: boolean): string {
  if (when === "next-step") return isRunning ? t("at the next step") : t("with your next message");
  return isRunning ? t("after this turn") : t("after your next message");
}
