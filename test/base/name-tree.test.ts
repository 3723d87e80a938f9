/** Finds places by globs of their names: secrets, settings. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { NameTree } from "../../src/base/name-tree.ts";
import { wildcardMatcher } from "../../src/tools/text/wildcard.ts";
import { randomly } from "../random.ts";

describe("trees of names", () => {
  const ofLetters = (letters: string, maxLength: number) =>
    fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength }).map((characters) => characters.join(""));

  randomly("a name with `*` matches as in a rule", () => {
    fc.assert(
      fc.property(
        fc.array(ofLetters("aab.*+(\n", 7), { minLength: 1, maxLength: 4 }),
        fc.array(ofLetters("aab.+(\n", 7), { minLength: 1, maxLength: 8 }),
        (globs, names) => {
          const tree = NameTree.of(globs);
          const matchers = [...new Set(globs)].map(wildcardMatcher);
          for (const name of names) {
            const found = tree.after(name).filter(({ kind }) => kind !== undefined);
            assert.equal(found.length, matchers.filter((matches) => matches(name)).length, JSON.stringify(name));
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  randomly("a path is found where each of its first names matches one of a glob", () => {
    const path = (letters: string, most: number) => fc.array(ofLetters(letters, 3), { minLength: 1, maxLength: most });
    fc.assert(
      fc.property(
        fc.array(path("aab*", 3), { minLength: 1, maxLength: 4 }),
        fc.array(path("aab", 5), { minLength: 1, maxLength: 8 }),
        (globs, paths) => {
          const tree = NameTree.of(globs.map((names) => names.join("/")));
          const isIn = (names: readonly string[]) =>
            globs.some(
              (glob) => glob.length <= names.length && glob.every((name, at) => wildcardMatcher(name)(names[at] ?? "")),
            );
          for (const names of paths) {
            assert.equal(tree.holds(names), isIn(names), names.join("/"));
            assert.equal(
              tree.holdsIn(names),
              names.some((_, at) => isIn(names.slice(at))),
              names.join("/"),
            );
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
