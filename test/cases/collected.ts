import { readFileSync } from "node:fs";
import path from "node:path";

/** Returns the cases collected from the tests and issues of other coding agents, which data/README.md describes. */
export function collectedCases<Case>(name: "edit" | "loop" | "tool"): Case[] {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, "data", `${name}.json`), "utf8"));
}
