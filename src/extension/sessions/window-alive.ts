/** Checks whether the window of this extension host still exists: after a reload the old host may live on. */
import * as vscode from "vscode";
import { deferred } from "../../loop/session/deferred.ts";

/** If VS Code does not answer within this time, its window counts as gone. */
const maxAnswerMs = 1500;

/** Asks VS Code's main thread a question that it always answers. */
export async function isWindowThere(): Promise<boolean> {
  const { promise: silence, resolve } = deferred<false>();
  const timer = setTimeout(() => resolve(false), maxAnswerMs);
  try {
    return await Promise.race([Promise.resolve(vscode.commands.getCommands(true)).then(() => true), silence]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
