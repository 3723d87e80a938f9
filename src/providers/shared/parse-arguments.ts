import { english } from "../../l10n/l10n.ts";
import type { Arguments } from "../../loop/model.ts";

/** Maximum depth of the arguments. The record and the panel cannot take thousands: both are written recursively. */
const maxDepth = 200;

/** Parses the arguments of a call; an empty text means no arguments. */
export function parseArguments(raw: string): Arguments {
  if (raw.trim() === "") return { ok: true, input: {} };
  try {
    const input: unknown = JSON.parse(raw);
    // Some servers send the object as a JSON string within JSON.
    if (typeof input === "string") return parseArguments(input);
    if (input === null) return { ok: true, input: {} };
    if (typeof input !== "object" || Array.isArray(input)) return { ok: false, problem: english("not a JSON object") };
    if (isDeeper(input, maxDepth)) return { ok: false, problem: english(`nested more than ${maxDepth} levels deep`) };
    // The keys of an object from JSON.parse are strings.
    return { ok: true, input: input as Record<string, unknown> };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
