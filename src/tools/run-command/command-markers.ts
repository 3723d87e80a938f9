/**
 * Names the processes of running commands on disk, so that a later process can end the commands of one that was killed.
 * A process id alone never suffices: ids are given again.
 */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { attempt } from "../../base/attempt.ts";
import { parseJson } from "../../base/json.ts";
import { hasEnded, ProcessIdentity, thisProcess } from "../../base/node/process-identity.ts";
import { withoutKeys } from "../../base/node/without-keys.ts";
import { processTable, readProc } from "./process-table.ts";
import { endTree, markVariable, type ProcessTree } from "./process-tree.ts";

const Marker = z.object({
  version: z.literal(1),
  owner: ProcessIdentity,
  command: z.string(),
  /** ms since 1970 */
  startedAt: z.number(),
  pid: z.int(),
  root: z.enum(["ended", "spared", "sandbox", "gone"]),
  mark: z.string().check(z.regex(/^[0-9a-f]{24}$/)),
  output: z.string(),
  /** Its processes so far, each with its start time. */
  members: z.array(z.tuple([z.int(), z.string()])),
});
type Marker = z.infer<typeof Marker>;

const ending = ".json";
/** Difference between the start of a process and the time at which it was noted. */
const maxStartDifferenceMs = 3_000;
const maxCommandLength = 200;

/** Names one running command until `remove`. */
interface CommandMarker {
  /** Call this when members of its tree were found. */
  update(): void;
  remove(): void;
}

export interface CommandMarkers {
  add(tree: ProcessTree, command: string): CommandMarker;
}

export const noCommandMarkers: CommandMarkers = { add: () => ({ update() {}, remove() {} }) };

/** `folder` is created on first use. A marker that cannot be written is missing: the command runs all the same. */
export function commandMarkers(folder: string): CommandMarkers {
  return {
    add(tree, command) {
      const file = path.join(folder, `${tree.mark}${ending}`);
      const startedAt = Date.now();
      let written = "";
      const update = () => {
        const { pid, root, mark, output, seen } = tree;
        const marker: Marker = {
          ...{ version: 1, owner: thisProcess(), command: command.slice(0, maxCommandLength), startedAt },
          ...{ pid, root, mark, output, members: [...seen] },
        };
        const text = JSON.stringify(marker);
        if (text === written) return;
        written = text;
        attempt(() => writeWhole(file, text), undefined);
      };
      update();
      return { update, remove: () => attempt(() => rmSync(file, { force: true }), undefined) };
    },
  };
}

function writeWhole(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Ends the commands whose process was killed. Returns them as they were written. Never rejects. */
export async function endOrphans(folder: string): Promise<string[]> {
  const names = attempt(() => readdirSync(folder), []).filter((name) => name.endsWith(ending));
  const ended = await Promise.all(names.map((name) => endOrphan(path.join(folder, name))));
  return ended.filter((command) => command !== undefined);
}

async function endOrphan(file: string): Promise<string | undefined> {
  const text = attempt(() => readFileSync(file, "utf8"), "");
  const marker = Marker.safeParse(parseJson(text)).data;
  if (marker && !hasEnded(marker.owner)) return undefined;
  try {
    const tree = marker && (await treeOfMarker(marker));
    if (tree) await endTree(tree);
    rmSync(file, { force: true });
    return tree && marker?.command;
  } catch {
    // The next activation tries again.
    return undefined;
  }
}

/** Returns the processes that certainly belong to the command; undefined if there are none. */
async function treeOfMarker({ pid, root, mark, output, startedAt, members }: Marker): Promise<ProcessTree | undefined> {
  const tree: ProcessTree = {
    ...{ pid, root: "gone", mark, startedAt: 0, output: "" },
    ...{ older: new Map(), seen: new Map(members) },
  };
  if (process.platform === "win32") {
    const born = root === "ended" ? await startOnWindows(pid) : undefined;
    const isSame = born !== undefined && Math.abs(born - startedAt) <= maxStartDifferenceMs;
    return isSame ? { ...tree, root: "ended" } : undefined;
  }
  const found = (await processTable()).find((row) => row.pid === pid);
  // Its group and its pipe are its own only as long as it lives. The user's shell never belongs to the command.
  const isRoot = found && root !== "spared" && isMarked(pid, mark) && tree.seen.get(pid) === found.born;
  return isRoot ? { ...tree, root, startedAt: 0, output } : tree;
}

/** Whether the process was started with the mark in its environment, which only Linux shows. */
function isMarked(pid: number, mark: string): boolean {
  return process.platform !== "linux" || readProc(pid, "environ").includes(`${markVariable}=${mark}`);
}

/** Returns when the process was started, in ms since 1970. */
function startOnWindows(pid: number): Promise<number | undefined> {
  const script = `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString('o')`;
  const options = { env: withoutKeys(), windowsHide: true };
  return new Promise((resolve) => {
    execFile("powershell.exe", ["-NoProfile", "-NonInteractive", "-Command", script], options, (_error, stdout) => {
      const time = Date.parse(stdout.trim());
      resolve(Number.isNaN(time) ? undefined : time);
    });
  });
}
