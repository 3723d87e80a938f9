import { constants, createReadStream, createWriteStream } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { systemErrorCode } from "../base/node/system-errors.ts";

/**
 * Copies a file to a path where nothing is; a file system that can share the blocks of both does so.
 *
 * Not by a plain `copyFile`: one that another program shortens meanwhile is copied for ever and takes a thread of Node
 * with it, because libuv goes on until it has as many bytes as the file had at first (`uv__fs_copyfile`, libuv 1.52).
 * @param mode permissions of the copy
 * @throws Node's error, `EEXIST` if something is there. Nothing is left of a copy that failed.
 */
export async function copyNewFile(source: string, target: string, mode: number): Promise<void> {
  try {
    // Forced, it never copies bytes.
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") throw error;
    await copyBytes(source, target, mode);
  }
}

async function copyBytes(source: string, target: string, mode: number): Promise<void> {
  try {
    await pipeline(createReadStream(source), createWriteStream(target, { flags: "wx", mode }));
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") await rm(target, { force: true });
    throw error;
  }
}
