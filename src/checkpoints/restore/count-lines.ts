/** Counts changed lines. */
import { compare } from "../../tools/text/diff.ts";

/** Maximum size of texts that are compared. */
const maxComparedBytes = 512 * 1024;

/** An undefined content counts as empty. Binary and large contents have no lines. */
export function countLines(from: Buffer | undefined, to: Buffer | undefined): { added: number; removed: number } {
  const texts = [from, to].map((bytes) => bytes ?? Buffer.alloc(0));
  if (texts.some((bytes) => bytes.length > maxComparedBytes || bytes.includes(0))) return { added: 0, removed: 0 };
  const [before = "", after = ""] = texts.map((bytes) => bytes.toString("utf8"));
  const lines = compare(before, after).flatMap((hunk) => hunk.lines);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count("+"), removed: count("-") };
}
