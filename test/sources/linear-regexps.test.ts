/** A hostile text must not stand the host or the panel still: every regular expression takes linear time. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { analyse } from "scslre";
import { pumpedTexts } from "./pumped-texts.ts";
import { type FoundRegExp, filesThatMakeRegExps, regexpLiterals, sources } from "./regexps.ts";

/** Expressions that depend on what is given at run time. */
const madeLater: Readonly<Record<string, string>> = {
  "src/base/name-tree.ts": "globs of lists of our own, for single names",
  "src/extension/host/find-symbol.ts": "the name of a symbol, escaped",
  "src/mcp/tools/tool-schema.ts": "compiled to see whether it is one, never matched",
  "src/project/hook-matcher.ts": "a matcher of the user, with limits: test/project/hook-matcher.test.ts",
  "webview/sessions/SessionRow.svelte": "words of a search, escaped",
};

/** The analysis cannot tell that these match at the end of each of their loops. */
const endsAnywhere = ["src/tools/file-access/protected-names.ts"];

const length = 40_000;
/** Linear ones take a few milliseconds, slow ones from 140 ms to minutes. */
const maxCpuMs = 60;
const tries = 3;

/** Whether one of its loops can give back what another one takes, or is begun again at each of its characters. */
function goesBack({ source, flags }: FoundRegExp): boolean {
  const { reports } = analyse({ source, flags }, { reportTypes: { Move: true, Self: true, Trade: true } });
  return reports.length > 0;
}

function isSlow({ source, flags }: FoundRegExp): boolean {
  const pattern = new RegExp(source, flags);
  return pumpedTexts(source, flags, length).some((text) => cpuMs(pattern, text) > maxCpuMs);
}

/** Returns the least of a few tries: other work of this process may disturb one. */
function cpuMs(pattern: RegExp, text: string): number {
  const times: number[] = [];
  const isDone = (ms: number) => ms <= maxCpuMs || ms > 10 * maxCpuMs;
  while (times.length < tries && !times.some(isDone)) {
    const before = process.cpuUsage();
    text.replace(pattern, "");
    times.push(process.cpuUsage(before).user / 1000);
  }
  return Math.min(...times);
}

const names = (found: FoundRegExp[]) => found.map(({ source, flags, where }) => `${where}: /${source}/${flags}`);

describe("regular expressions", () => {
  let all: FoundRegExp[] = [];
  before(async () => {
    const modules = filesThatMakeRegExps().filter((name) => !(name in madeLater));
    const worker = new Worker(new URL("made-regexps.ts", import.meta.url), { workerData: modules });
    const [made]: FoundRegExp[][] = await once(worker, "message");
    all = [...sources.flatMap(regexpLiterals), ...(made ?? [])];
  });

  it("are found in modules, components and where they are made from strings", () => {
    const files = new Set(all.map(({ where }) => where.replace(/:\d+$/, "")));
    for (const name of filesThatMakeRegExps()) assert.ok(name in madeLater || files.has(name), name);
    assert.ok([...files].some((name) => name.endsWith(".svelte")));
    for (const name of Object.keys(madeLater)) assert.ok(filesThatMakeRegExps().includes(name), name);
  });

  it("none goes back over what it has read", () => {
    assert.deepEqual(names(all.filter((one) => !endsAnywhere.includes(one.where) && goesBack(one))), []);
  });

  it("none looks for an end from each beginning", () => {
    assert.deepEqual(names(all.filter(isSlow)), []);
  });

  for (const slow of [/\s+$/, /(a+)+b/, /^\s*\d+ passed/gm, /^(.+?)__(.+)$/, /(["'])\s*\+?\s*\1/, /\[[^\]]*\]/g]) {
    it(`${slow} would be found to go back`, () => assert.ok(goesBack({ ...pick(slow), where: "" })));
  }

  for (const slow of [/\$\{(\w+)(?::-([^}]*))?\}/g, /(?:gpt-|o)\d.*$/i, /<title\b[^>]*>/]) {
    it(`${slow} would be found to be slow`, () => assert.ok(isSlow({ ...pick(slow), where: "" })));
  }
});

function pick({ source, flags }: RegExp): Pick<FoundRegExp, "source" | "flags"> {
  return { source, flags };
}
