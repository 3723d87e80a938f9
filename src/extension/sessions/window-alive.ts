/** Whether the window that this extension host belongs to is still there: after a reload the old host may live on. */

import * as vscode from "vscode";
import { deferred } from "../../loop/session/deferred.ts";

/** How long VS Code may take to answer before its window counts as gone, in ms. */
const patience = 1500;

/** Asks VS Code's main thread something that it always answers. */
export async function isWindowThere(): Promise<boolean> {
  const { promise: silence, resolve } = deferred<false>();
  const timer = setTimeout(() => resolve(false), patience);
  try {
    return await Promise.race([Promise.resolve(vscode.commands.getCommands(true)).then(() => true), silence]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
