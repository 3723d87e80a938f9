/** Names of servers' tools for models and rules: `mcp__server__tool`. */
import { createHash } from "node:crypto";
import { visibleText } from "../connection/server-text.ts";

/** Maximum length that providers accept. */
const maxNameLength = 64;
const maxSlugLength = 24;

/**
 * Returns a unique name part for each server in `names`. It contains no double underscore and does not end in an
 * underscore, so that a rule for `mcp__a__*` never matches another server.
 */
export function serverSlugs(names: readonly string[]): Map<string, string> {
  const slugs = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of names) {
    const plain = name.replace(/[^a-zA-Z0-9-]+/g, "_").replace(/^_|_$/g, "") || "server";
    let slug = plain.length <= maxSlugLength ? plain : shortenWithHash(plain, name, maxSlugLength);
    for (let salt = name; taken.has(slug); salt += "+") slug = shortenWithHash(plain, salt, maxSlugLength);
    taken.add(slug);
    slugs.set(name, slug);
  }
  return slugs;
}

/** Returns unique offered names for the tools of one server, by their original names. */
export function toolNames(slug: string, names: readonly string[]): Map<string, string> {
  const prefix = `mcp__${slug}__`;
  const short = shortNames(names, maxNameLength - prefix.length);
  return new Map([...short].map(([name, one]) => [name, prefix + one]));
}

/** Returns unique names of at most `most` characters, by the original names: letters, digits, "_" and "-". */
export function shortNames(names: readonly string[], most: number): Map<string, string> {
  const found = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of names) {
    const plain = visibleText(name).replace(/[^a-zA-Z0-9_-]+/g, "_");
    const isUsable = plain.length <= most && /[a-zA-Z0-9]/.test(plain) && !taken.has(plain);
    const short = isUsable ? plain : shortenWithHash(plain, name, most);
    taken.add(short);
    found.set(name, short);
  }
  return found;
}

/** Shortens the name and appends a hash, which keeps it unique. */
function shortenWithHash(plain: string, name: string, most: number): string {
  const mark = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${plain.slice(0, most - mark.length - 1).replace(/(?<!_)_+$/, "")}_${mark}`;
}
