import { counted } from "../../src/l10n/l10n.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";
import { shortened } from "../text/format.ts";

const mostLineCharacters = 2000;

/** Rows of a displayed change. */
export interface DiffRow {
  kind: "same" | "add" | "del" | "skip";
  /** Line number in the old or new text; undefined if it is not known yet, or for a gap. */
  number: number | undefined;
  text: string;
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Returns the rows of a unified diff. A gap between hunks becomes a row that gives its number of lines. */
export function patchRows(patch: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let before = 1;
  let after = 1;
  for (const line of patch.split("\n")) {
    const head = hunkHead.exec(line);
    if (head) {
      // An empty side counts from the line before it.
      const start = Number(head[3]) + (head[4] === "0" ? 1 : 0);
      const gap = start - after;
      const text = counted(gap, "{0} unchanged line", "{0} unchanged lines");
      if (gap > 0 && rows.length > 0) rows.push({ kind: "skip", number: undefined, text });
      after = start;
      before = Number(head[1]) + (head[2] === "0" ? 1 : 0);
      continue;
    }
    const text = line.slice(1);
    if (line.startsWith("+")) rows.push({ kind: "add", number: after++, text });
    else if (line.startsWith("-")) rows.push({ kind: "del", number: before++, text });
    else if (line.startsWith(" ")) {
      rows.push({ kind: "same", number: after++, text });
      before++;
    }
  }
  return rows;
}

/** Returns the rows of an edit that is still being written: removed lines, then added ones, without numbers. */
export function draftRows(before: string | undefined, after: string | undefined): DiffRow[] {
  return [...lineRows("del", before), ...lineRows("add", after)];
}

function lineRows(kind: "add" | "del", text: string | undefined): DiffRow[] {
  if (text === undefined || text === "") return [];
  return text.split("\n").map((line) => ({ kind, number: undefined, text: line }));
}

export const diffSigns = { same: " ", add: "+", del: "−", skip: "" };

/** Returns the line of a row as it is shown, without its sign. */
export function shownLine({ text }: DiffRow): string {
  return escapeInvisible(shortened(text, mostLineCharacters));
}

/** Returns rows as they are read, a row in each element. */
export function diffTexts(rows: readonly DiffRow[]): string[] {
  return rows.map((row) => (row.kind === "skip" ? row.text : `${diffSigns[row.kind]} ${shownLine(row)}`));
}
