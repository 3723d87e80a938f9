import type { PermissionMode } from "../../src/chat/events.ts";

interface Mode {
  mode: PermissionMode;
  name: string;
  what: string;
}

/** The modes as people read them, in the order of their keys. */
export const modeList: Mode[] = [
  { mode: "default", name: "Ask first", what: "Reads freely. Asks before edits and commands." },
  { mode: "acceptEdits", name: "Accept edits", what: "Edits in this workspace without asking. Commands still ask." },
  { mode: "plan", name: "Plan", what: "Changes nothing. Ends with a plan." },
  { mode: "bypassPermissions", name: "Bypass", what: "Never asks. Rules that deny still hold." },
];

export function modeName(mode: PermissionMode): string {
  return modeList.find((choice) => choice.mode === mode)?.name ?? mode;
}
