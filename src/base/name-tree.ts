/** Finds paths by globs of their names, in the time of a look-up for each name. Pure. */

/**
 * Globs with `/` between names, in a tree by their names; `*` does not match `/`. Names are compared without letter case.
 * What lies below a place belongs to it.
 *
 * In a name, `*` is what it is in a rule (tools/text/wildcard.ts). But that follows one wildcard along each text that a
 * stranger may have written, and here dozens of our own are tried on each file of a search: one expression for all of
 * them takes a hundredth of the time.
 */
export class NameTree<Kind = true> {
  readonly #children = new Map<string, NameTree<Kind>>();
  /** By names with a wildcard. */
  readonly #wild = new Map<string, WildName<Kind>>();
  /** Any of `#wild`, made when it is first needed: most names match none. */
  #anyWild: RegExp | undefined;
  /** What the place is that ends here. */
  kind: Kind | undefined;

  static of(globs: readonly string[]): NameTree {
    const tree = new NameTree();
    for (const glob of globs) tree.add(glob, true);
    return tree;
  }

  add(glob: string, kind: Kind): void {
    this.#node(glob).kind ??= kind;
  }

  /** Has all of `tree` also below the folders that a glob names. To be called after `add`, since it is not copied. */
  graft(glob: string, tree: NameTree<Kind>): void {
    this.#node(glob).#join(tree);
  }

  #join(tree: NameTree<Kind>): void {
    this.kind ??= tree.kind;
    for (const [name, child] of tree.#children) {
      const own = this.#children.get(name);
      if (own) own.#join(child);
      else this.#children.set(name, child);
    }
    for (const [name, wild] of tree.#wild) {
      const own = this.#wild.get(name);
      if (own) own.tree.#join(wild.tree);
      else this.#wild.set(name, wild);
    }
    this.#anyWild = undefined;
  }

  #node(glob: string): NameTree<Kind> {
    let node: NameTree<Kind> = this;
    for (const name of glob.toLowerCase().split("/")) node = node.#child(name);
    return node;
  }

  #child(name: string): NameTree<Kind> {
    const isWild = name.includes("*");
    const known = isWild ? this.#wild.get(name)?.tree : this.#children.get(name);
    if (known) return known;
    const made = new NameTree<Kind>();
    if (isWild) this.#wild.set(name, { pieces: name.split(/\*+/), tree: made });
    else this.#children.set(name, made);
    this.#anyWild = undefined;
    return made;
  }

  /** Returns what follows a name, given in lower case. */
  after(name: string): readonly NameTree<Kind>[] {
    const exact = this.#children.get(name);
    if (this.#wild.size === 0) return exact ? [exact] : none;
    this.#anyWild ??= anyOf([...this.#wild.keys()]);
    if (!this.#anyWild.test(name)) return exact ? [exact] : none;
    const found = exact ? [exact] : [];
    for (const { pieces, tree } of this.#wild.values()) if (isMadeOf(name, pieces)) found.push(tree);
    return found;
  }

  /** Whether the names lead to a place or below it, starting at one of them. */
  holds(names: readonly string[], start = 0): boolean {
    const name = names[start];
    if (name === undefined) return false;
    for (const node of this.after(name)) if (node.kind !== undefined || node.holds(names, start + 1)) return true;
    return false;
  }

  /** As `holds`, starting at any of the names. */
  holdsIn(names: readonly string[]): boolean {
    for (let start = 0; start < names.length; start++) if (this.holds(names, start)) return true;
    return false;
  }

  /** Whether no name leads further. */
  get isLeaf(): boolean {
    return this.#children.size === 0 && this.#wild.size === 0;
  }
}

const none: readonly never[] = [];

/** Endings such as `*.pem` share one alternative, so that each name is scanned once. */
function anyOf(names: readonly string[]): RegExp {
  const plain = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  const source = (name: string) => name.split(/\*+/).map(plain).join(".*");
  const isEnding = (name: string) => name.lastIndexOf("*") === 0 && name.length > 1;
  const endings = names.filter(isEnding).map((name) => plain(name.slice(1)));
  const others = names.filter((name) => !isEnding(name)).map(source);
  return new RegExp(
    `^(?:${[...others, ...(endings.length > 0 ? [`.*(?:${endings.join("|")})`] : [])].join("|")})$`,
    "s",
  );
}

interface WildName<Kind> {
  /** What stands before, between and behind its wildcards. */
  pieces: readonly string[];
  tree: NameTree<Kind>;
}

/** Whether the name has the pieces in order, with any text between them. */
function isMadeOf(name: string, pieces: readonly string[]): boolean {
  const [first = "", ...others] = pieces;
  const last = others.pop() ?? "";
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const piece of others) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= name.length - last.length;
}

/**
 * Returns the names of a path as systems compare them: in lower case, without the dots and spaces at the end that Windows
 * ignores. `name:stream` is part of the file: such a name is given as it is, and `streams` has all as the file's own.
 */
export function namesOfPath(path: string): { names: string[]; streams: string[] | undefined } {
  const plain = path.toLowerCase().split("/");
  const names = plain.map(withoutEnd);
  const streams = path.includes(":") ? plain.map((name) => withoutEnd(name.replace(/(?<=.):.*/, ""))) : undefined;
  return { names, streams };
}

function withoutEnd(name: string): string {
  const last = name.charCodeAt(name.length - 1);
  if (last !== 46 && last !== 32) return name;
  let end = name.length;
  while (end > 0 && /[. ]/.test(name[end - 1] ?? "")) end--;
  return name.slice(0, end);
}
