/** Commands for shells whose grammar is not supported, such as PowerShell: only a single command of plain words is read. */
import type { Act } from "./shell/visitor.ts";
import { literal } from "./shell/word.ts";

export function plainActs(command: string): Act[] | undefined {
  const text = command.trim();
  if (!/^[\w\-./:\\=+ ]+$/.test(text) || /^[.&\d-]|^\\/.test(text)) return undefined;
  return [{ type: "command", words: text.split(/ +/).map(literal), folders: [""] }];
}
