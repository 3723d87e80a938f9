import { execFileSync } from "node:child_process";

/** Command lines of living processes that hold `text`. */
export function living(text: string): string[] {
  const lines = execFileSync("ps", ["axo", "stat,args"], { encoding: "utf8" }).split("\n");
  const alive = lines.filter((line) => !line.startsWith("Z"));
  return alive.map((line) => line.replace(/^\S+\s+/, "")).filter((line) => line.includes(text));
}

/** How many processes with just this command line live. */
export function running(command: string): number {
  return living(command).filter((line) => line === command).length;
}
