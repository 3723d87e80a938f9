/** Names under which tools of servers are offered and rules are written: `mcp__server__tool`. */
import { createHash } from "node:crypto";
import { visible } from "../connection/server-text.ts";

/** What providers allow. */
const longest = 64;
const longestServer = 24;

/**
 * The part of the name that stands for a server; each of `names` gets one of its own. It holds no double underscore and does
 * not end in one, so that a rule for `mcp__a__*` never covers another server.
 */
export function serverSlugs(names: readonly string[]): Map<string, string> {
  const slugs = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of names) {
    const plain = name.replace(/[^a-zA-Z0-9-]+/g, "_").replace(/^_+|_+$/g, "") || "server";
    let slug = plain.length <= longestServer ? plain : marked(plain, name, longestServer);
    for (let salt = name; taken.has(slug); salt += "+") slug = marked(plain, salt, longestServer);
    taken.add(slug);
    slugs.set(name, slug);
  }
  return slugs;
}

/** For each of the tools of one server, whose names differ, the name that it is offered under. */
export function toolNames(slug: string, names: readonly string[]): Map<string, string> {
  const prefix = `mcp__${slug}__`;
  const most = longest - prefix.length;
  const found = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of names) {
    const plain = visible(name).replace(/[^a-zA-Z0-9_-]+/g, "_");
    const isUsable = plain.length <= most && /[a-zA-Z0-9]/.test(plain) && !taken.has(plain);
    const tool = isUsable ? plain : marked(plain, name, most);
    taken.add(tool);
    found.set(name, `${prefix}${tool}`);
  }
  return found;
}

/** Cut, with a mark that tells it from others that would be the same. */
function marked(plain: string, name: string, most: number): string {
  const mark = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${plain.slice(0, most - mark.length - 1).replace(/_+$/, "")}_${mark}`;
}
