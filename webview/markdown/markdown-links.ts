/**
 * Definitions of links, `[label]: address`, which may stand after the blocks that use them. In a growing answer these
 * blocks are finished by then.
 */
import type { Token, TokensList } from "marked";

type Links = TokensList["links"];

/** https://spec.commonmark.org/0.31.2/#link-label */
const label = /\[((?:\\[\s\S]|[^[\]\\]){1,999})\]/g;

export class LinkDefinitions {
  readonly #links: Links = Object.create(null);
  /** The numbers of the blocks that name a label without its definition. */
  readonly #users = new Map<string, number[]>();
  count = 0;

  /** Returns those so far; a lexer adds those of its text. */
  copy(): Links {
    return Object.assign(Object.create(null), this.#links);
  }

  /** Returns the numbers of the earlier blocks that use what is new in these tokens. */
  add(tokens: readonly Token[]): Set<number> {
    const users = new Set<number>();
    for (const { tag, href, title } of definitionsIn(tokens)) {
      // The first one counts.
      if (tag in this.#links) continue;
      this.#links[tag] = { href, title: title ?? null };
      this.count++;
      for (const number of this.#users.get(tag) ?? []) users.add(number);
      this.#users.delete(tag);
    }
    return users;
  }

  /** Notes which definitions would change the block with this number. */
  note(token: Token, number: number): void {
    if (token.type === "code" || token.type === "plain" || token.type === "def") return;
    const tags = [...token.raw.matchAll(label)].map(([, words = ""]) => normalized(words));
    for (const tag of new Set(tags)) {
      if (tag in this.#links) continue;
      const users = this.#users.get(tag);
      if (users) users.push(number);
      else this.#users.set(tag, [number]);
    }
  }
}

interface Definition {
  tag: string;
  href: string;
  title: string | undefined;
}

function definitionsIn(tokens: readonly Token[]): Definition[] {
  return tokens.flatMap((token): Definition[] => {
    // marked's union of tokens is open to extensions, so `type` does not narrow it.
    if (token.type === "def") return token["tag"] === "" ? [] : [token as Token & Definition];
    if (token.type === "list") return definitionsIn(token["items"]);
    return token.type === "blockquote" || token.type === "list_item" ? definitionsIn(token.tokens ?? []) : [];
  });
}

/** As marked does it (`normalizeLabel`): https://spec.commonmark.org/0.31.2/#matches */
function normalized(words: string): string {
  return words.trim().replace(/\s+/g, " ").toLowerCase().toUpperCase().toLowerCase();
}
