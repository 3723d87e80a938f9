/** How the permission modes are named, told and shown, and the agents that stand beside them. */

import { never } from "../../src/base/never.ts";
import type { AgentChoice, PanelState } from "../../src/chat/panel-state.ts";
import type { PermissionMode } from "../../src/chat/permission-mode.ts";
import { counted, t } from "../../src/l10n/l10n.ts";
import type { IconName } from "../controls/icons.ts";

interface ModeLooks {
  mode: PermissionMode;
  name: string;
  glyph: IconName;
  /** Colour and form of the button; empty for the modes in which a mistake costs little. */
  look: "" | "plan" | "bypass";
}

export const modeList: readonly ModeLooks[] = [
  { mode: "default", name: t("Ask first"), glyph: "shield", look: "" },
  { mode: "acceptEdits", name: t("Accept edits"), glyph: "edit", look: "" },
  { mode: "plan", name: t("Plan"), glyph: "checklist", look: "plan" },
  { mode: "bypassPermissions", name: t("Bypass"), glyph: "warning", look: "bypass" },
];

const [askFirst] = modeList as [ModeLooks]; // the list is not empty

export function looksOfMode(mode: PermissionMode): ModeLooks {
  return modeList.find((choice) => choice.mode === mode) ?? askFirst;
}

export const modeName = (mode: PermissionMode): string => looksOfMode(mode).name;

/** Returns the agents that can answer the user; none where there is no choice. */
export function choosableAgents({ agents }: Pick<PanelState, "agents">): AgentChoice[] {
  const choosable = agents.filter(({ mode }) => mode !== "subagent");
  return choosable.length > 1 ? choosable : [];
}

/** Says what a mode does and what still asks. `next`: the mode that follows Bypass after `minutes`. */
export function modeSentence(mode: PermissionMode, next: PermissionMode, minutes: number): string {
  switch (mode) {
    case "default":
      return t("Reads freely. Asks before edits and commands.");
    case "acceptEdits":
      return t("Edits files in this workspace without asking. Asks before commands.");
    case "plan":
      return t("Changes nothing. Ends with a plan that you approve.");
    case "bypassPermissions":
      return t(
        "Nothing asks but protected files and leaving the sandbox. Deny rules still apply. For {0}, then {1} again.",
        timeWords(minutes),
        looksOfMode(next).name,
      );
    default:
      return never(mode);
  }
}

function timeWords(minutes: number): string {
  if (minutes < 1) return counted(Math.round(minutes * 60), "{0} second", "{0} seconds");
  return counted(Math.round(minutes * 10) / 10, "{0} minute", "{0} minutes");
}
