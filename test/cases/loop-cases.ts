import { collectedCases } from "./collected.ts";

export interface LoopCase {
  id: string;
  group: string;
  title: string;
  /** Fields differ from group to group. */
  input: Record<string, unknown>;
  expect: Record<string, unknown>;
  /** `policy`: other agents differ, and several outcomes are right. */
  judgement: "strict" | "policy";
}

/** Returns the cases of one group, for example `retry-delay`. */
export function loopCases(group: string): LoopCase[] {
  return collectedCases<LoopCase>("loop").filter((one) => one.group === group);
}
