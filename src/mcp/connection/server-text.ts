/** Cleans text of servers, so that the model and the panel get visible characters only. */
import { stripVTControlCharacters } from "node:util";

/** Removes escape sequences and invisible characters: control, direction, zero width, tags. */
export function visibleText(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{C}\n\t]/gu, "");
}

/** Returns one line of at most `maxLength` characters. */
export function oneLine(text: string, maxLength: number): string {
  const line = visibleText(text).replace(/\s+/g, " ").trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}
