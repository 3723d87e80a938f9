/** Real hook processes that write down which event started them, in order. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { hookEvents } from "../src/loop/hooks.ts";

/** Writes "EVENT detail": the tool, source, trigger, agent or reason. `cat` first, so that no hook ends before its input. */
const script = `input=$(cat)
field() { printf '%s' "$input" | sed -nE "s/.*\\"$1\\":\\"([A-Za-z_-]+)\\".*/\\1/p" | head -n 1; }
event=$(field hook_event_name)
case $event in
  *Tool*|PermissionRequest) detail=$(field tool_name);;
  SessionStart) detail=$(field source);;
  SessionEnd) detail=$(field reason);;
  PreCompact) detail=$(field trigger);;
  Subagent*) detail=$(field agent_type);;
  Notification) detail=$(field notification_type);;
esac
echo "$event $detail" >> "$1"
`;

/** Puts the script into a folder. `hooks` is for settings, with a hook for every event. */
export function hookLog(folder: string) {
  const program = path.join(folder, "note.sh");
  const log = path.join(folder, "hooks.log");
  writeFileSync(program, script);
  const entry = [{ hooks: [{ type: "command", command: `sh "${program}" "${log}"` }] }];
  return {
    hooks: Object.fromEntries(hookEvents.map((event) => [event, entry])),
    lines: () =>
      (existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : []).map((one) => one.trim()),
  };
}
