import { execFileSync } from "node:child_process";

/** Returns command lines of living processes that contain `text`. */
export function living(text: string): string[] {
  const lines = execFileSync("ps", ["axo", "stat,args"], { encoding: "utf8" }).split("\n");
  const alive = lines.filter((line) => !line.startsWith("Z"));
  return alive.map((line) => line.replace(/^\S+\s+/, "")).filter((line) => line.includes(text));
}

/** Returns the number of living processes with exactly this command line. */
export function running(command: string): number {
  return living(command).filter((line) => line === command).length;
}
