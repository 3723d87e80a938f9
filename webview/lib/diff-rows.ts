/** A change as the rows that are drawn. */
export interface Row {
  kind: "same" | "add" | "del" | "skip";
  /** The line's number in its own text; undefined when it is not known yet, or for a gap. */
  number: number | undefined;
  text: string;
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The rows of a unified diff; what lies between its hunks becomes a row that says how much it is. */
export function patchRows(patch: string): Row[] {
  const rows: Row[] = [];
  let before = 1;
  let after = 1;
  for (const line of patch.split("\n")) {
    const head = hunkHead.exec(line);
    if (head) {
      // An empty side counts from the line before it.
      const start = Number(head[3]) + (head[4] === "0" ? 1 : 0);
      if (start > after && rows.length > 0)
        rows.push({ kind: "skip", number: undefined, text: unchanged(start - after) });
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

function unchanged(lines: number): string {
  return lines === 1 ? "1 unchanged line" : `${lines} unchanged lines`;
}

/** An edit that is still being written: what goes, then what comes, numbers unknown. */
export function draftRows(before: string | undefined, after: string | undefined): Row[] {
  return [...lineRows("del", before), ...lineRows("add", after)];
}

function lineRows(kind: "add" | "del", text: string | undefined): Row[] {
  if (text === undefined || text === "") return [];
  return text.split("\n").map((line) => ({ kind, number: undefined, text: line }));
}
