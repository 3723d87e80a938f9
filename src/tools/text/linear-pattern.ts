/**
 * Matches patterns in linear time. A `RegExp` goes back on a mismatch, so `*a*a*a*b` can take minutes for a long name;
 * here each character is read once. The terms that may follow a character are derived from the pattern (Antimirov's
 * partial derivatives). Sets of terms are the states of an automaton, built only as far as texts lead into it. Pure.
 */

/** What remains to be matched. Equal terms of one pattern are one object. */
export interface Term {
  readonly id: number;
  /** Whether it matches the empty text. */
  readonly isNullable: boolean;
  /** Passes on what may remain after a character. */
  readonly derive: (character: number, add: (term: Term) => void) => void;
}

/** Whether a character, given as its code point, belongs to a set. */
export type CharacterSet = (character: number) => boolean;

/** Larger than each id, and small enough for products of two. */
const idLimit = 2 ** 26;

/** Builds the terms of one pattern. */
export class TermBuilder {
  #count = 0;
  readonly #known = new Map<string | number, Term>();
  readonly end = this.#add(true, () => {});

  get count(): number {
    return this.#count;
  }

  one(set: CharacterSet): Term {
    return this.#add(false, (character, add) => {
      if (set(character)) add(this.end);
    });
  }

  literal(text: string): Term {
    return this.sequence(Array.from(text, (character) => this.one(isCharacter(character))));
  }

  sequence(terms: readonly Term[]): Term {
    return terms.reduceRight((rest, first) => this.#then(first, rest), this.end);
  }

  either(options: readonly Term[]): Term {
    return this.#add(
      options.some(({ isNullable }) => isNullable),
      (character, add) => {
        for (const option of options) option.derive(character, add);
      },
    );
  }

  optional(term: Term): Term {
    return this.either([this.end, term]);
  }

  /** Any number of repetitions, none included. */
  repeated(term: Term): Term {
    const repeated: Term = this.#add(true, (character, add) =>
      term.derive(character, (rest) => add(this.#then(rest, repeated))),
    );
    return repeated;
  }

  /** Any characters of a set that none of the terms matches as a whole. */
  not(terms: readonly Term[], set: CharacterSet): Term {
    return this.#kept(keyOf(terms), () =>
      this.#add(!terms.some(({ isNullable }) => isNullable), (character, add) => {
        if (set(character)) add(this.not(inOrder(after(terms, character)), set));
      }),
    );
  }

  #then(first: Term, rest: Term): Term {
    if (first === this.end) return rest;
    return this.#kept(first.id * idLimit + rest.id, () =>
      this.#add(first.isNullable && rest.isNullable, (character, add) => {
        first.derive(character, (term) => add(this.#then(term, rest)));
        if (first.isNullable) rest.derive(character, add);
      }),
    );
  }

  #kept(key: string | number, make: () => Term): Term {
    const known = this.#known.get(key) ?? make();
    this.#known.set(key, known);
    return known;
  }

  #add(isNullable: boolean, derive: Term["derive"]): Term {
    return { id: this.#count++, isNullable, derive };
  }
}

export function isCharacter(character: string): CharacterSet {
  const wanted = character.codePointAt(0);
  return (given) => given === wanted;
}

/** Returns what may remain of any of the terms after a character, each term once. */
function after(terms: readonly Term[], character: number): Term[] {
  const found = new Set<Term>();
  const add = (term: Term) => found.add(term);
  for (const term of terms) term.derive(character, add);
  return [...found];
}

function inOrder(terms: Term[]): Term[] {
  return terms.sort((a, b) => a.id - b.id);
}

function keyOf(terms: readonly Term[]): string {
  return terms.map(({ id }) => id).join(",");
}

interface State {
  readonly terms: readonly Term[];
  readonly accepts: boolean;
  readonly next: Map<number, State>;
}

/** Beyond these the automaton starts over, so that no text makes it grow without end. */
const maxStates = 1000;
const maxSteps = 20_000;
const maxTerms = 20_000;

/** Compiles a pattern. The function that it returns tells whether a whole text matches. */
export function linearMatcher(build: (terms: TermBuilder) => Term): (text: string) => boolean {
  let builder = new TermBuilder();
  let states = new Map<string, State>();
  let steps = 0;
  const stateOf = (terms: readonly Term[]): State => {
    const key = keyOf(terms);
    const known = states.get(key) ?? { terms, accepts: terms.some(({ isNullable }) => isNullable), next: new Map() };
    states.set(key, known);
    return known;
  };
  let start = stateOf([build(builder)]);
  const step = (from: State, character: number): State => {
    if (states.size > maxStates || steps > maxSteps) {
      states = new Map();
      steps = 0;
      start = stateOf(start.terms);
      from = stateOf(from.terms);
    }
    const next = stateOf(after(from.terms, character));
    from.next.set(character, next);
    steps++;
    return next;
  };
  return (text) => {
    if (builder.count > maxTerms) {
      builder = new TermBuilder();
      states = new Map();
      start = stateOf([build(builder)]);
    }
    let state = start;
    for (let at = 0; at < text.length; at++) {
      const character = text.codePointAt(at) ?? 0;
      if (character > 0xffff) at++;
      state = state.next.get(character) ?? step(state, character);
      if (state.terms.length === 0) return false;
    }
    return state.accepts;
  };
}
