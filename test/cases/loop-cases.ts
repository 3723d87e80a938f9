/** Cases collected from other tools' tests, in a folder beside the project; where it is absent there are none. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

export interface SharedCase {
  id: string;
  group: string;
  title: string;
  /** What is in it differs from group to group. */
  input: Record<string, unknown>;
  expect: Record<string, unknown>;
  /** `policy`: peers differ, and several outcomes are right. */
  judgement: "strict" | "policy";
}

const file = path.join(import.meta.dirname, "../../../shared/cases/loop.json");

export function sharedCases(group: string): SharedCase[] {
  if (!existsSync(file)) return [];
  const all: SharedCase[] = JSON.parse(readFileSync(file, "utf8"));
  return all.filter((one) => one.group === group);
}
