/** Joins events that come fast: a step of the agent may change a thousand files. */
import * as vscode from "vscode";

const frameMs = 16;
/** Minimum time between two calls, so that their cost stays small beside that of the events. */
const minDistanceMs = 100;

/** Calls `listener` a frame after an event, once for all events until then, and not more often than ten times a second. */
export function onceAFrame(event: vscode.Event<unknown>, listener: () => void): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  let last = -minDistanceMs;
  const subscription = event(() => {
    const delay = Math.max(frameMs, last + minDistanceMs - performance.now());
    timer ??= setTimeout(() => {
      timer = undefined;
      last = performance.now();
      listener();
    }, delay);
  });
  return vscode.Disposable.from(subscription, { dispose: () => clearTimeout(timer) });
}
