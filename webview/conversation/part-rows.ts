/**
 * What the panel says of each kind of part: one entry for each. Texts of the model and calls have rows of their own
 * (log-rows.ts); what draws a line is in LogRowView.svelte.
 */
import type { GivenPart, NotedPart, Part, PartOf, SaidPart, TextPart, ToolPart } from "../../src/chat/message.ts";
import { localized, t } from "../../src/l10n/l10n.ts";

/** A value of open-lines.svelte.ts that shows a text. */
export type Fold = readonly [key: string, value: unknown];

/** A text that can be found. `key`: the `data-piece` of its element. */
export interface FindPiece {
  key: string;
  text: string;
  folds: readonly Fold[];
}

interface LineKind<P extends Part> {
  /** What its row says where it is not drawn: to be copied. `times`: how often it came in a row, of which this is the last. */
  words(part: P, times: number): string;
  /** What the model has sent in it, for a row that cannot be drawn; empty if the words say it. */
  plain(part: P): string;
  /** Where its text is found; undefined: the words, on the line. */
  found: ((part: P) => FindPiece) | undefined;
  /** What a screen reader says when it comes; undefined: nothing. */
  told: ((part: P) => string) | undefined;
}

/** Lines of a reply. undefined: a kind that is not shown. */
const lines = {
  reasoning: {
    words: () => t("Thought"),
    plain: ({ text }) => text,
    found: ({ id, text }) => ({ key: `${id} text`, text: text.trim(), folds: [[`${id} open`, true]] }),
    told: undefined,
  },
  retry: {
    words({ error }, times) {
      const often = times > 1 ? ` ${t("{0} times", times)}` : "";
      return t("Tried again{0}: {1}", often, localized(error.message));
    },
    plain: () => "",
    found: undefined,
    told: undefined,
  },
  "step-start": undefined,
  "step-finish": undefined,
  patch: undefined,
} satisfies {
  [Type in Exclude<SaidPart | NotedPart, TextPart | ToolPart>["type"]]: LineKind<PartOf<Type>> | undefined;
};

type ShownType = {
  [Type in keyof typeof lines]: (typeof lines)[Type] extends undefined ? never : Type;
}[keyof typeof lines];

/** `times`: how often it came in a row, of which `part` is the last. */
export type PartLine = {
  [Type in ShownType]: { id: string; type: Type; part: PartOf<Type>; times: number };
}[ShownType];

/** TypeScript does not relate a part to the entry of its kind. */
const kindOf = ({ type }: Part) => (lines as Partial<Record<Part["type"], LineKind<Part> | undefined>>)[type];

/** Returns the line of a part; undefined if it has none. */
export function lineOf(part: Part): PartLine | undefined {
  return kindOf(part) && ({ id: part.id, type: part.type, part, times: 1 } as PartLine);
}

export function lineWords({ part, times }: PartLine): string {
  return kindOf(part)?.words(part, times) ?? "";
}

export function plainWords({ part }: PartLine): string {
  return kindOf(part)?.plain(part) ?? "";
}

export function linePiece(line: PartLine, rowKey: string): FindPiece {
  return kindOf(line.part)?.found?.(line.part) ?? { key: `${rowKey} line`, text: lineWords(line), folds: [] };
}

export function spokenWords(part: Part): string {
  return kindOf(part)?.told?.(part) ?? "";
}

/** Names on the chips of a user's message. undefined: a kind with elements of its own there, or with none. */
const chips: { [Type in GivenPart["type"]]: ((part: PartOf<Type>) => string) | undefined } = {
  agent: ({ name }) => name,
  subtask: ({ agent, description }) => `${agent}: ${description}`,
  file: undefined,
  comment: undefined,
  tools: undefined,
  compaction: undefined,
};

export function chipsOf(parts: readonly Part[]): { id: string; text: string }[] {
  return parts.flatMap((part) => {
    const text = (chips as Partial<Record<Part["type"], (part: Part) => string>>)[part.type]?.(part);
    return text === undefined ? [] : [{ id: part.id, text }];
  });
}
