/** The system's errors as messages for the model and for people. */

import { systemErrorCode } from "../../base/node/system-errors.ts";
import { msg } from "../../l10n/l10n.ts";
import type { Location } from "../host.ts";
import { ToolError } from "../tool.ts";

const reasons: Record<string, string> = {
  EACCES: msg("permission is denied"),
  EPERM: msg("the system does not permit it"),
  EROFS: msg("the disk is read-only"),
  ENOSPC: msg("the disk is full; nothing was changed"),
  EDQUOT: msg("the disk quota is used up; nothing was changed"),
  ENOTDIR: msg("one of its parents is a file, not a folder"),
  EISDIR: msg("it is a folder"),
  ENAMETOOLONG: msg("its name is too long"),
  EEXIST: msg("it exists now"),
  EBUSY: msg("it is in use"),
  ETXTBSY: msg("it is a program that is running"),
  ELOOP: msg("it is a symbolic link"),
  EAGAIN: msg("it has no data yet"),
  ENXIO: msg("it is a pipe or a device"),
  EMFILE: msg("too many files are open"),
};

/** Turns a system error into a ToolError; returns any other error unchanged. */
export function toToolError(error: unknown, { relative }: Location, done: "read" | "written" | "deleted"): unknown {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  const why = reasons[code] ?? code;
  const words = {
    read: msg("{0} cannot be read: {1}.", relative, why),
    written: msg("{0} cannot be written: {1}.", relative, why),
    deleted: msg("{0} cannot be deleted: {1}.", relative, why),
  }[done];
  return new ToolError(code === "EEXIST" ? `${words} Read it first.` : words, words);
}

/** The error for a path that no longer leads where it led when it was located. */
export function movedError({ relative }: Location): ToolError {
  return new ToolError(
    `${relative} now leads elsewhere: a link, or a folder on the way to it, was changed meanwhile. Nothing was done. Try again.`,
    msg(
      "{0} leads elsewhere now: a link, or a folder on the way to it, was changed meanwhile. Nothing was done.",
      relative,
    ),
  );
}
