/** Lists of a server, which come in pages. Their entries are unchecked data of the server. */

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import * as z from "zod/mini";
import { english } from "../../l10n/l10n.ts";

const keys = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const;
export type ListMethod = keyof typeof keys;

/** Limits of one list. */
const maxEntries = 1000;
const maxPages = 100;
/** Longer than any list may take, because the signal ends it. */
const maxRequestMs = 24 * 3_600_000;

const Page = z.looseObject({ nextCursor: z.optional(z.nullable(z.string())) });

/** Reads all pages; a circle of pages once. */
export async function listPages(
  client: Client,
  method: ListMethod,
  signal: AbortSignal,
  note: (line: string) => void,
): Promise<unknown[]> {
  const found: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method, params }, Page, { signal, timeout: maxRequestMs });
    const { nextCursor } = answer;
    found.push(...z.array(z.unknown()).parse(answer[keys[method]]));
    if (found.length >= maxEntries) {
      if (found.length > maxEntries || nextCursor)
        note(english(`Only its first ${maxEntries} ${words[method]} are used.`));
      return found.slice(0, maxEntries);
    }
    if (!nextCursor || cursors.has(nextCursor)) break;
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  return found;
}

const words: Readonly<Record<ListMethod, string>> = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": english("resource templates"),
};
