/** "@" in the text of a prompt: what it offers, and the agents that it names. */

import type { AgentChoice, EditorContext, EditorContextKind } from "../../src/chat/protocol.ts";
import { t } from "../../src/l10n/l10n.ts";
import type { IconName } from "./icons.ts";

/** What the editor holds, in the order of the list. `held` is undefined until the host has said it. */
interface ContextRow {
  type: "context";
  kind: EditorContextKind;
  name: string;
  glyph: IconName;
  held: EditorContext | undefined;
}

export type MentionRow = ContextRow | { type: "agent"; agent: AgentChoice; name: string };

const contextRows: Omit<ContextRow, "type" | "held">[] = [
  { kind: "problems", name: t("Problems"), glyph: "warning" },
  { kind: "file-problems", name: t("Problems in this file"), glyph: "file" },
  { kind: "terminal", name: t("Terminal"), glyph: "terminal" },
  { kind: "terminal-selection", name: t("Terminal selection"), glyph: "selection" },
  { kind: "failed-tests", name: t("Failed tests"), glyph: "beaker" },
  { kind: "debug-output", name: t("Debug output"), glyph: "debug-console" },
];

/** Returns the rows that the begun word fits: the beginning of a word of a context's name, or of an agent's name. */
export function mentionRows(
  begun: string,
  contexts: ReadonlyMap<EditorContextKind, EditorContext>,
  agents: readonly AgentChoice[],
): MentionRow[] {
  const word = begun.toLowerCase();
  const fitting = contextRows.filter(({ name }) => matchIn(name, begun) !== undefined);
  const helpers = agents.filter(({ name }) => name.toLowerCase().startsWith(word) && name !== begun);
  return [
    ...fitting.map((row) => ({ type: "context" as const, ...row, held: contexts.get(row.kind) })),
    ...helpers.map((agent) => ({ type: "agent" as const, agent, name: agent.name })),
  ];
}

/** Returns where the first word of the name begins that the begun word fits; undefined if none does. */
export function matchIn(name: string, begun: string): number | undefined {
  const starts = [...name.matchAll(/(?<!\S)\S/g)].map(({ index }) => index);
  return starts.find((at) => name.slice(at).toLowerCase().startsWith(begun.toLowerCase()));
}

/** Returns the mention that ends at the cursor: the index of its "@" and the beginning of the name. */
export function mentionAt(text: string, cursor: number): { start: number; begun: string } | undefined {
  const [, begun] = /(?:^|[\s(])@([^\s@]*)$/.exec(text.slice(0, cursor)) ?? [];
  return begun === undefined ? undefined : { start: cursor - begun.length - 1, begun };
}

/** Returns the `names` that the text mentions, each once, in the order of the text. */
export function mentionedNames(text: string, names: readonly string[]): string[] {
  const words = [...text.matchAll(/(?:^|[\s(])@([^\s@]+)/g)].map(([, word = ""]) =>
    names.includes(word) ? word : word.replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, ""),
  );
  return [...new Set(words)].filter((word) => names.includes(word));
}
