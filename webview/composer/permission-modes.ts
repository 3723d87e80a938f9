import type { PermissionMode } from "../../src/chat/events.ts";

export const modeList: { mode: PermissionMode; name: string; description: string }[] = [
  { mode: "default", name: "Ask first", description: "Reads freely. Asks before edits and commands." },
  {
    mode: "acceptEdits",
    name: "Accept edits",
    description: "Edits files in this workspace without asking. Asks before commands.",
  },
  { mode: "plan", name: "Plan", description: "Changes nothing. Ends with a plan." },
  { mode: "bypassPermissions", name: "Bypass", description: "Asks only for protected files. Deny rules still apply." },
];

export function modeName(mode: PermissionMode): string {
  return modeList.find((choice) => choice.mode === mode)?.name ?? mode;
}
