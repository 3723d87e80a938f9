/** Values that a server offers for an argument of a prompt or a variable of a template. */
import * as z from "zod/mini";
import { oneLine } from "./connection/server-text.ts";

/** The protocol allows 100: https://modelcontextprotocol.io/specification/2025-06-18/server/utilities/completion */
const maxValues = 100;
const maxValueLength = 500;

const Completed = z.object({ completion: z.object({ values: z.array(z.unknown()) }) });

/** Values that are not one visible line cannot be written, so they are not offered. */
export function completedValues(answer: unknown): string[] {
  const values = Completed.safeParse(answer).data?.completion.values ?? [];
  const usable = values.filter(
    (value): value is string => typeof value === "string" && value !== "" && oneLine(value, maxValueLength) === value,
  );
  return [...new Set(usable)].slice(0, maxValues);
}
