/** "/" at the beginning of a prompt: which commands it offers. */

import type { CommandChoice } from "../../src/chat/slash-command.ts";
import { t } from "../../src/l10n/l10n.ts";

/** Returns the letters after "/" while the cursor is in them; undefined if the text is no begun command. */
export function begunCommand(text: string, cursor: number): string | undefined {
  const [, begun] = /^\/(\S*)$/.exec(text.slice(0, cursor)) ?? [];
  return begun;
}

/** Returns the commands that the letters fit: the one they name, those that begin with them, then those that hold them. */
export function commandRows(begun: string, commands: readonly CommandChoice[]): CommandChoice[] {
  const letters = begun.toLowerCase();
  const at = ({ name }: CommandChoice) => name.toLowerCase().indexOf(letters);
  const fitting = commands.filter((one) => at(one) >= 0);
  const rank = (one: CommandChoice) => (one.name.toLowerCase() === letters ? -1 : Math.min(1, at(one)));
  return fitting.toSorted((a, b) => rank(a) - rank(b));
}

/** Before the name of the server, in the source of its prompts. */
export const serverSource = "MCP server ";

/** The heading of a command's group. */
export function sourceGroup({ source }: CommandChoice): string {
  if (source === "Rondo") return t("Built in");
  if (source.startsWith(serverSource)) return t("Prompts of MCP servers");
  return source.startsWith("~/") ? t("Yours") : t("Of this workspace");
}
