/** Commands for shells without a grammar here, as PowerShell: only plain words, joined by nothing, are understood. */
import type { Act } from "./walk.ts";
import { literal } from "./word.ts";

export function takePlain(command: string): Act[] | undefined {
  const text = command.trim();
  if (!/^[\w\-./:\\=+ ]+$/.test(text) || /^[.&\d-]|^\\/.test(text)) return undefined;
  return [{ type: "command", words: text.split(/ +/).map(literal), folders: [""] }];
}
