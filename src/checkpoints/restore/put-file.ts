/** Restores the state of a path: atomically, and never through a link. */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import path from "node:path";
import { type FileState, lstat } from "../files/file-state.ts";

/** Name of the temporary file that a restore writes before it replaces the original. */
export const temporaryName = /^\.rondo-[0-9a-f]{12}$/;

/** `bytes` is the content of a file. @throws the system's error */
export function putState(file: string, state: FileState, bytes: Buffer | undefined): void {
  switch (state.type) {
    case "missing":
      removePath(file);
      return;
    case "folder":
      if (lstat(file)?.isDirectory() === false) fs.unlinkSync(file);
      fs.mkdirSync(file, { recursive: true });
      return;
    case "link":
      replaceAtomically(file, (temporary) => fs.symlinkSync(state.target, temporary));
      return;
    case "file":
      if (!bytes) throw new Error("its content was not saved");
      putFile(file, bytes, state.mode);
      return;
    case "special":
      throw new Error("it is not a regular file");
  }
}

function removePath(file: string): void {
  const stats = lstat(file);
  if (stats?.isDirectory()) fs.rmdirSync(file);
  else if (stats) fs.unlinkSync(file);
}

function putFile(file: string, bytes: Buffer, mode: number): void {
  const old = lstat(file);
  // Replacing a file with hard links would detach it from its other names.
  if (old?.isFile() && old.nlink > 1) {
    overwriteFile(file, bytes, mode);
    return;
  }
  replaceAtomically(file, (temporary) => {
    const handle = fs.openSync(temporary, "wx", mode);
    try {
      writeAll(handle, bytes);
      const own = fs.fstatSync(handle);
      if (old && (old.uid !== own.uid || old.gid !== own.gid)) fs.fchownSync(handle, old.uid, old.gid);
      fs.fchmodSync(handle, mode);
    } finally {
      fs.closeSync(handle);
    }
  });
}

function replaceAtomically(file: string, make: (temporary: string) => void): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const temporary = path.join(path.dirname(file), `.rondo-${randomBytes(6).toString("hex")}`);
  try {
    make(temporary);
    if (lstat(file)?.isDirectory()) removeEmptyFolders(file);
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** @throws ENOTEMPTY if the folder holds anything but empty folders; those before it are then gone. */
function removeEmptyFolders(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(path.join(folder, entry.name));
  }
  fs.rmdirSync(folder);
}

function overwriteFile(file: string, bytes: Buffer, mode: number): void {
  const handle = fs.openSync(file, fs.constants.O_WRONLY | (fs.constants.O_NOFOLLOW ?? 0));
  try {
    writeAll(handle, bytes);
    fs.ftruncateSync(handle, bytes.length);
    fs.fchmodSync(handle, mode);
  } finally {
    fs.closeSync(handle);
  }
}

function writeAll(handle: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(handle, bytes, done, bytes.length - done, done);
}
