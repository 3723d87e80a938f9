import { execFileSync } from "node:child_process";

/** Command lines of living processes that hold `text`. */
export function living(text: string): string[] {
  const lines = execFileSync("ps", ["axo", "stat,args"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(text) && !line.startsWith("Z"));
}
