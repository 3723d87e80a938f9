/** "@" in the text of a prompt: what it offers, and the agents that it names. */

import type { EditorContext, EditorContextKind } from "../../src/chat/editor-views.ts";
import {
  type MentionGroup,
  type MentionHit,
  type MentionKind,
  type MentionKindNotes,
  mentionKinds,
} from "../../src/chat/mention-search.ts";
import type { AgentChoice } from "../../src/chat/panel-state.ts";
import { t } from "../../src/l10n/l10n.ts";
import type { IconName } from "../controls/icons.ts";
import { beforeName, beginner } from "./mentioned-names.ts";

/** What the editor holds, in the order of the list. `held` is undefined until the host has said it. */
interface ContextRow {
  type: "context";
  kind: EditorContextKind;
  name: string;
  glyph: IconName;
  held: EditorContext | undefined;
}

/** A kind that can be searched on its own. `note`: what there is of it; empty until the host has said it. */
interface KindRow {
  type: "kind";
  kind: MentionKind;
  name: string;
  glyph: IconName;
  note: string;
}

interface HitRow {
  type: "hit";
  kind: MentionKind;
  hit: MentionHit;
  glyph: IconName;
}

interface AgentRow {
  type: "agent";
  agent: AgentChoice;
  name: string;
}

/** `key` tells the rows of a list apart, `group` is the heading that it stands under. */
export type MentionRow = (ContextRow | KindRow | HitRow | AgentRow) & { key: string; group: string };

const contextRows: Omit<ContextRow, "type" | "held">[] = [
  { kind: "problems", name: t("Problems"), glyph: "warning" },
  { kind: "file-problems", name: t("Problems in this file"), glyph: "file" },
  { kind: "changes", name: t("Changes"), glyph: "diff" },
  { kind: "terminal", name: t("Terminal"), glyph: "terminal" },
  { kind: "terminal-selection", name: t("Terminal selection"), glyph: "selection" },
  { kind: "failed-tests", name: t("Failed tests"), glyph: "beaker" },
  { kind: "debug-output", name: t("Debug output"), glyph: "debug-console" },
  { kind: "open-editors", name: t("Open editors"), glyph: "files" },
];

/** The heading of each kind, its icon, and the word before ":" that searches it alone. */
export const mentionKindLooks: Record<MentionKind, { name: string; glyph: IconName; word: string }> = {
  file: { name: t("Files"), glyph: "file", word: "file" },
  folder: { name: t("Folders"), glyph: "folder", word: "folder" },
  symbol: { name: t("Symbols"), glyph: "symbol-method", word: "symbol" },
  problem: { name: t("Problems"), glyph: "warning", word: "problem" },
  change: { name: t("Changes"), glyph: "diff", word: "change" },
  session: { name: t("Sessions"), glyph: "comment-discussion", word: "session" },
  resource: { name: t("MCP resources"), glyph: "plug", word: "resource" },
  page: { name: t("Web address"), glyph: "globe", word: "page" },
};

/** Kinds that are offered before anything is typed. Resources only where a server has some. */
const offeredKinds: readonly MentionKind[] = ["file", "folder", "symbol", "session", "resource"];

/** Splits "file:cart" into the kind and the words; without a kind, all words. */
export function kindIn(begun: string): { only: MentionKind | undefined; words: string } {
  const found = mentionKinds.find((kind) => begun.toLowerCase().startsWith(`${mentionKindLooks[kind].word}:`));
  if (found === undefined) return { only: undefined, words: begun };
  return { only: found, words: begun.slice(mentionKindLooks[found].word.length + 1) };
}

interface MentionSources {
  contexts: ReadonlyMap<EditorContextKind, EditorContext>;
  agents: readonly AgentChoice[];
  notes: MentionKindNotes;
  groups: readonly MentionGroup[];
}

/**
 * Returns the rows that the begun word fits: what the host has found, what the editor holds by the beginning of a word of
 * its name, and agents by the beginning of theirs. Before a word is begun, the kinds that can be searched come first.
 */
export function mentionRows(begun: string, { contexts, agents, notes, groups }: MentionSources): MentionRow[] {
  const { only } = kindIn(begun);
  const hits = groups.flatMap(({ kind, hits: some }) =>
    some.map((hit): MentionRow => {
      const { name: group, glyph } = mentionKindLooks[kind];
      return { type: "hit", kind, hit, glyph, group, key: JSON.stringify(hit.mention) };
    }),
  );
  if (only) return hits;
  const word = begun.toLowerCase();
  const kinds = begun === "" ? offeredKinds.filter((kind) => kind !== "resource" || notes.resource) : [];
  const fitting = contextRows.filter(({ name }) => matchIn(name, begun) !== undefined);
  const helpers = agents.filter(({ name }) => name.toLowerCase().startsWith(word));
  // A name that is whole is a word of the message: Enter sends it.
  if (helpers.some(({ name }) => name === begun)) return [];
  return [
    ...kinds.map((kind): MentionRow => {
      const { name, glyph } = mentionKindLooks[kind];
      return { type: "kind", kind, name, glyph, note: notes[kind] ?? "", key: `kind ${kind}`, group: t("Search") };
    }),
    ...hits,
    ...fitting.map((row): MentionRow => {
      const held = contexts.get(row.kind);
      return { type: "context", ...row, held, key: `context ${row.kind}`, group: t("From the editor") };
    }),
    ...helpers.map((agent): MentionRow => {
      return { type: "agent", agent, name: agent.name, key: `agent ${agent.name}`, group: t("Agents") };
    }),
  ];
}

/** Returns where the first word of the name begins that the begun word fits; undefined if none does. */
export function matchIn(name: string, begun: string): number | undefined {
  const starts = [...name.matchAll(/(?<!\S)\S/g)].map(({ index }) => index);
  return starts.find((at) => name.slice(at).toLowerCase().startsWith(begun.toLowerCase()));
}

/** In a name, an "@" that begins none is a part of it: "logo@2x.png", "https://example.org/@me". */
const begunName = new RegExp(`${beforeName}@((?:[^\\s@]|(?<=[^${beginner}@])@)*)$`, "u");

/**
 * Returns the mention that ends at the cursor: the index of its "@" and the beginning of the name. `folder`: one that was
 * chosen, "my docs/"; only that may have spaces.
 */
export function mentionAt(
  text: string,
  cursor: number,
  folder?: { start: number; path: string },
): { start: number; begun: string } | undefined {
  const written = text.slice(0, cursor);
  const [, begun] = begunName.exec(written) ?? [];
  const found = begun === undefined ? undefined : { start: cursor - begun.length - 1, begun };
  if (!folder || (found && found.start > folder.start) || !written.startsWith(`@${folder.path}`, folder.start)) {
    return found;
  }
  const inFolder = written.slice(folder.start + 1);
  return /\s/.test(inFolder.slice(folder.path.length)) ? found : { start: folder.start, begun: inFolder };
}
