/** Tells the user's changes from those of a command, by their times. */
import { statfsSync } from "node:fs";
import { attempt } from "../../base/attempt.ts";
import { lstat } from "../files/file-state.ts";
import type { Transition } from "../store/change-log.ts";

/** Maximum delay of the clock of a file system. */
const clockGrainMs = 20;

/** A command that may run in this step. Times are in milliseconds since 1970. */
export interface RunningCommand {
  since: number;
  /** Time of the last scan, unless one ran right before the command. */
  scannedAt: number | undefined;
}

/**
 * Whether the user changed or created the file between the last scan and the command. A moved file keeps its times, so
 * the birth time of a new file counts too.
 */
export function isUserChange({ path: name, before, after }: Transition, { since, scannedAt }: RunningCommand): boolean {
  if (scannedAt === undefined || after.type !== "file") return false;
  const stats = lstat(name);
  if (!stats || stats.ctimeMs >= since - clockGrainMs) return false;
  return before.type === "file" || (before.type === "missing" && stats.birthtimeMs > scannedAt);
}

/** Linux's numbers of file systems that may use another machine's clock: NFS, SMB, CIFS, FUSE, 9p. */
const remoteFileSystems = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x65735546, 0x01021997]);

export const usesLocalClock = (folder: string): boolean =>
  attempt(() => !remoteFileSystems.has(statfsSync(folder).type), false);
