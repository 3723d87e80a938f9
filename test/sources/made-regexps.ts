/** Imports modules, in a thread without any, and posts the expressions that they make from strings meanwhile. */
import path from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { FoundRegExp } from "./regexps.ts";

const root = path.resolve(import.meta.dirname, "../..");
const made: FoundRegExp[] = [];
let where = "";

globalThis.RegExp = new Proxy(RegExp, {
  construct(target, args) {
    const one: RegExp = Reflect.construct(target, args);
    made.push({ source: one.source, flags: one.flags, where });
    return one;
  },
});

for (where of workerData) await import(path.join(root, where));
parentPort?.postMessage(made);
