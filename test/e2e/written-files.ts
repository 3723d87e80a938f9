import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Returns how many of the folder's `.txt` files have this text. Others are files that are being written. */
export function countWithText(folder: string, text: string): number {
  const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));
  return names.filter((name) => readFileSync(path.join(folder, name), "utf8") === text).length;
}
