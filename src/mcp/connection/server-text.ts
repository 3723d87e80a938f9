/** Words of servers: what reaches the model and the panel of them is what can be seen. */
import { stripVTControlCharacters } from "node:util";

/** Without escape sequences and without characters that hide something: control, direction, zero width, tags. */
export function visible(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{C}\n\t]/gu, "");
}

/** One line of at most `most` characters. */
export function oneLine(text: string, most: number): string {
  const line = visible(text).replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
