/**
 * Text of the terminal. VS Code's stable API does not give it (`Terminal.selection` is a proposal), so VS Code copies it,
 * and the clipboard gets its text back.
 * Its texts are for the model.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";

/** VS Code's command returns before the text is copied. */
const maxWaitMs = 500;

export const copySelection = "workbench.action.terminal.copySelection";
/** Needs shell integration. */
export const copyLastCommand = "workbench.action.terminal.copyLastCommandAndLastCommandOutput";

/** Returns what a command of the terminal copies; undefined if it copies nothing. */
export async function copiedBy(command: string): Promise<string | undefined> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  // What was in the clipboard before must never be taken for the terminal's text.
  const nothing = `rondo ${randomUUID()}`;
  await clipboard.writeText(nothing);
  try {
    await vscode.commands.executeCommand(command);
    const end = Date.now() + maxWaitMs;
    let text = await clipboard.readText();
    for (; text === nothing && Date.now() < end; text = await clipboard.readText()) await wait(20);
    return text === nothing || text === "" ? undefined : text;
  } finally {
    await clipboard.writeText(before);
  }
}
