/** Where and how long a command runs, in words. */
import type { CommandPreview } from "../../src/chat/requests.ts";
import { escapeInvisible } from "../lib/escape-invisible.ts";

/** `folder`: the session's. "In shop, with bash, for 2 minutes at most." */
export function whereItRuns({ cwd, shell, timeoutMs }: CommandPreview, folder: string): string {
  const inside = cwd.startsWith(`${folder}/`) || cwd.startsWith(`${folder}\\`);
  const place = cwd === folder || inside ? `${baseName(folder)}${cwd.slice(folder.length)}` : cwd;
  const how = timeoutMs === undefined ? "in the background" : `for ${duration(timeoutMs)} at most`;
  return escapeInvisible(`In ${[place, ...(shell === "" ? [] : [`with ${shell}`]), how].join(", ")}.`);
}

export function baseName(folder: string): string {
  return folder.split(/[/\\]/).findLast((name) => name !== "") ?? folder;
}

function duration(ms: number): string {
  const [n, unit] = ms % 60_000 === 0 ? [ms / 60_000, "minute"] : [Math.ceil(ms / 1000), "second"];
  return n === 1 ? `a ${unit}` : `${n} ${unit}s`;
}
