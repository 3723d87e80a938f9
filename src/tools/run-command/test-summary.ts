/** Extracts the result of a test run from its output. Pure. */

import type { CallMetadata } from "../../chat/message.ts";
import { msg } from "../../l10n/l10n.ts";

interface TestCount {
  passed: number;
  failed: number;
}

const readers: ((text: string) => TestCount | undefined)[] = [
  // Jest, Vitest: "Tests: 1 failed, 13 passed, 14 total", "Tests  1 failed | 13 passed (14)"
  (text) => inLine(text, /^[ \t]*Tests:?[ \t].*\b(passed|failed)\b.*$/gm),
  // pytest: "=== 1 failed, 13 passed in 0.12s ==="
  (text) => inLine(text, /^=*[ \t]*\d+ (passed|failed)\b.* in [\d.]+s/gm),
  // cargo: "test result: FAILED. 13 passed; 1 failed; 0 ignored"
  (text) => sum(text, /^test result: .*$/gm),
  // node:test: "# pass 13" and "# fail 1", with another sign before them in a terminal
  (text) => pair(text, /^[ \t]*[#\u2139] pass (\d+)$/gm, /^[ \t]*[#\u2139] fail (\d+)$/gm),
  // mocha: "13 passing (20ms)" and "1 failing"
  (text) => pair(text, /^[ \t]*(\d+) passing\b/gm, /^[ \t]*(\d+) failing\b/gm),
  // Playwright and others: "14 passed (3.2s)", "13 passed, 1 failed"
  (text) => inLine(text, /^[ \t]*\d+ passed\b.*$/gm),
];

export function testSummary(output: string): Pick<CallMetadata, "fact" | "tone"> | undefined {
  const text = output.slice(-4_000);
  for (const read of readers) {
    const count = read(text);
    if (!count || count.passed + count.failed === 0) continue;
    if (count.failed === 0) return { fact: msg("{0} passed", count.passed), tone: "good" };
    return { fact: msg("{0} of {1} failed", count.failed, count.passed + count.failed), tone: "bad" };
  }
  return undefined;
}

function inLine(text: string, pattern: RegExp): TestCount | undefined {
  const line = text.match(pattern)?.at(-1);
  if (line === undefined) return undefined;
  return {
    passed: Number(/(?<!\d)(\d+) passed/.exec(line)?.[1] ?? 0),
    failed: Number(/(?<!\d)(\d+) failed/.exec(line)?.[1] ?? 0),
  };
}

function sum(text: string, pattern: RegExp): TestCount | undefined {
  const counts = (text.match(pattern) ?? []).map((line) => inLine(line, /.+/g));
  if (counts.length === 0) return undefined;
  return counts.reduce<TestCount>(
    (all, one) => ({ passed: all.passed + (one?.passed ?? 0), failed: all.failed + (one?.failed ?? 0) }),
    { passed: 0, failed: 0 },
  );
}

function pair(text: string, passing: RegExp, failing: RegExp): TestCount | undefined {
  const passed = [...text.matchAll(passing)].at(-1)?.[1];
  const failed = [...text.matchAll(failing)].at(-1)?.[1];
  if (passed === undefined && failed === undefined) return undefined;
  return { passed: Number(passed ?? 0), failed: Number(failed ?? 0) };
}
