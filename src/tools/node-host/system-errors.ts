/** The system's errors as messages for the model. */
import { english, msg } from "../../l10n/l10n.ts";
import type { Location } from "../host.ts";
import { ToolError } from "../tool.ts";

export function isMissing(error: unknown): boolean {
  return systemErrorCode(error) === "ENOENT" || systemErrorCode(error) === "ENOTDIR";
}

/** Returns the system's code of an error, such as "ENOENT". */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

const reasons: Record<string, string> = {
  EACCES: "permission is denied",
  EPERM: "the system does not permit it",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full; nothing was changed",
  EDQUOT: "the disk quota is used up; nothing was changed",
  ENOTDIR: "one of its parents is a file, not a folder",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "its name is too long",
  EEXIST: "it exists now",
  EBUSY: "it is in use",
  ETXTBSY: "it is a program that is running",
  ELOOP: "it is a symbolic link",
  EAGAIN: "it has no data yet",
  ENXIO: "it is a pipe or a device",
  EMFILE: "too many files are open",
};

/** Turns a system error into a ToolError; returns any other error unchanged. */
export function toToolError(error: unknown, { relative }: Location, done: "read" | "written" | "deleted"): unknown {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  const words = english(`${relative} cannot be ${done}: ${reasons[code] ?? code}.`);
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
