/** Detects that a text is another one with shifted indentation, and shifts a third likewise. Pure. */

export type IndentPair = readonly [wanted: string, there: string];

export type IndentShift = (indent: string) => string;

/** Returns undefined if the shift differs between lines. `others`, the replacement's, help to find the width. */
export function findShift(pairs: readonly IndentPair[], others: readonly string[]): IndentShift | undefined {
  const known = new Map(pairs);
  if (pairs.some(([wanted, there]) => known.get(wanted) !== there)) return undefined;
  const byColumns = columnShift(pairs, others);
  const byText = textShift(pairs);
  const shift = byText ?? byColumns;
  if (!shift) return undefined;
  const tabs = pairs.some(([, there]) => there.includes("\t"));
  const spaces = pairs.some(([, there]) => there.includes(" "));
  return (indent) => {
    const there = known.get(indent);
    if (there !== undefined) return there;
    const foreign = (tabs && indent.includes(" ")) || (spaces && indent.includes("\t"));
    return foreign && byColumns ? byColumns(indent) : shift(indent);
  };
}

export function indentOf(line: string): string {
  let end = 0;
  while (line[end] === " " || line[end] === "\t") end++;
  return line.slice(0, end);
}

/** Adds or removes the same characters before each line. */
function textShift(pairs: readonly IndentPair[]): IndentShift | undefined {
  const [first] = pairs;
  if (!first) return (indent) => indent;
  const [wanted, there] = first;
  const more = there.slice(0, Math.max(0, there.length - wanted.length));
  if (pairs.every((pair) => pair[1] === more + pair[0])) return (indent) => more + indent;
  const less = wanted.slice(0, Math.max(0, wanted.length - there.length));
  if (pairs.every((pair) => pair[0] === less + pair[1])) {
    return (indent) => (indent.startsWith(less) ? indent.slice(less.length) : "");
  }
  return undefined;
}

/** Shifts by a number of columns, with the first tab width for which it is the same for all lines. */
function columnShift(pairs: readonly IndentPair[], others: readonly string[]): IndentShift | undefined {
  const there = pairs.map((pair) => pair[1]).join("");
  const isTabbed = (indent: string) => (there === "" ? indent : there).includes("\t");
  for (const width of [indentUnit([...pairs.flat(), ...others]), 4, 2, 8, 3]) {
    const distances = pairs.map((pair) => columnsOf(pair[1], width) - columnsOf(pair[0], width));
    const [distance = 0] = distances;
    if (distances.some((other) => other !== distance)) continue;
    return (indent) => {
      const target = Math.max(0, columnsOf(indent, width) + distance);
      if (!isTabbed(indent)) return " ".repeat(target);
      return "\t".repeat(target / width) + " ".repeat(target % width);
    };
  }
  return undefined;
}

function columnsOf(indent: string, width: number): number {
  let column = 0;
  for (const character of indent) column += character === "\t" ? width - (column % width) : 1;
  return column;
}

function indentUnit(indents: readonly string[]): number {
  const widths = indents.filter((indent) => !indent.includes("\t")).map(({ length }) => length);
  const common = widths.reduce(greatestCommonDivisor, 0);
  return common >= 2 && common <= 8 ? common : 4;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
