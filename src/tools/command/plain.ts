/** Commands for shells without a grammar here, as PowerShell: only plain words, joined by nothing, are understood. */
import type { Act } from "./shell/visitor.ts";
import { literal } from "./shell/word.ts";

export function plainActs(command: string): Act[] | undefined {
  const text = command.trim();
  if (!/^[\w\-./:\\=+ ]+$/.test(text) || /^[.&\d-]|^\\/.test(text)) return undefined;
  return [{ type: "command", words: text.split(/ +/).map(literal), folders: [""] }];
}
