/** A thread that checks files for `StampTable`. */
import { parentPort, workerData } from "node:worker_threads";
import type { StatOrder } from "./stamp-table.ts";
import { changedIn, takeBlock } from "./stat-blocks.ts";

const names: string[] = workerData;

parentPort?.on("message", (order: StatOrder) => {
  if (order.type === "names") {
    for (const [slot, name] of order.names) names[slot] = name;
    return;
  }
  const stamps = new Float64Array(order.table);
  const changed: number[] = [];
  for (let at = takeBlock(order.next); at < order.size; at = takeBlock(order.next)) {
    changed.push(...changedIn(at, order.size, names, stamps));
  }
  parentPort?.postMessage(changed);
});
