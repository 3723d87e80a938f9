/** The arguments of a call as rows of words, for people. Pure. */

import { counted, formatted, t } from "../../src/l10n/l10n.ts";

export interface ArgumentRow {
  /** The name of the argument in words; that of an inner one after those that it is in. */
  name: string;
  /** The names as they are sent. */
  path: string;
  value: string;
}

/** Deeper values are shown as JSON. */
const maxDepth = 3;

/** Returns every value of the arguments in order: nothing is left out. */
export function argumentRows(input: Readonly<Record<string, unknown>>): ArgumentRow[] {
  const rows = rowsOf(input, []);
  const spelled = rows.map(({ keys }) => keys.map(spelledOut).join(" › "));
  return rows.map(({ keys, value }, at) => {
    const path = keys.join(".");
    const name = spelled[at] ?? path;
    // Two arguments must not look like one.
    return { name: spelled.indexOf(name) === spelled.lastIndexOf(name) ? name : path, path, value };
  });
}

function rowsOf(input: object, above: readonly string[]): { keys: string[]; value: string }[] {
  return Object.entries(input).flatMap(([key, value]: [string, unknown]) => {
    const keys = [...above, key];
    if (isObject(value) && Object.keys(value).length > 0 && keys.length < maxDepth) return rowsOf(value, keys);
    return [{ keys, value: valueInWords(value) }];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueInWords(value: unknown): string {
  if (typeof value === "string") return value === "" ? "(empty)" : value;
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === null || value === undefined) return "(nothing)";
  if (typeof value === "number") return String(value);
  if (Array.isArray(value) && value.length === 0) return "(none)";
  const isList = Array.isArray(value) && value.every(isPlainItem);
  return isList ? value.join(", ") : JSON.stringify(value, undefined, 2);
}

/** Whether it is one item of a list that is joined by commas. */
function isPlainItem(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && value !== "" && !/[,\n]/.test(value));
}

/** "per_page" and "perPage" become "Per page". Names that are not made of words stay as they are. */
function spelledOut(key: string): string {
  if (!/^[a-z][a-z\d]*(?:[_-][a-z\d]+)*$/i.test(key)) return key;
  const words = key.replace(/([a-z\d])([A-Z])/g, "$1 $2").split(/[\s_-]+/);
  const text = words.map((word) => (/^[A-Z\d]{2,}$/.test(word) ? word : word.toLowerCase())).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const maxLines = 3;
const maxCharacters = 240;

/** Cuts a long value; `rest` says how much is missing, and is empty if nothing is. */
export function folded(value: string): { start: string; rest: string } {
  const lines = value.split("\n");
  const first = lines.slice(0, maxLines).join("\n");
  const start = first.length > maxCharacters ? Array.from(first.slice(0, maxCharacters)).join("") : first;
  // Unfolding one line more, or a few letters, is not worth a press.
  if (value.length - start.length < 40 && lines.length <= maxLines + 1) return { start: value, rest: "" };
  const left = lines.length - start.split("\n").length;
  if (left > 0) return { start, rest: counted(left, "{0} more line", "{0} more lines") };
  return { start, rest: t("{0} more characters", formatted(value.length - start.length)) };
}
