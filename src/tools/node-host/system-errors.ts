/** What the system says when it refuses, in words for the model. */
import type { Location } from "../host.ts";
import { ToolError } from "../tool.ts";

export function isMissing(error: unknown): boolean {
  return systemErrorCode(error) === "ENOENT" || systemErrorCode(error) === "ENOTDIR";
}

/** The system's code of an error: "ENOENT". */
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
  EEXIST: "it exists by now: read it first",
  EBUSY: "it is in use",
  ETXTBSY: "it is a program that is running",
  ELOOP: "a link is on its way",
  EAGAIN: "it gives what it has only as that comes",
  ENXIO: "it is a pipe or a device",
  EMFILE: "too many files are open",
};

/** What is no failure of the system is given back as it is. */
export function toToolError(error: unknown, { relative }: Location, done: "read" | "written" | "deleted"): unknown {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  return new ToolError(`${relative} cannot be ${done}: ${reasons[code] ?? code}.`);
}

/** For a path that no longer leads to where it led when it was located. */
export function movedError({ relative }: Location): ToolError {
  return new ToolError(
    `${relative} leads elsewhere by now: a link, or a folder on the way to it, was changed meanwhile. Nothing was done. Try again.`,
  );
}
