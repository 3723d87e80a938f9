/** Lines of the agent that the user has changed: whose version stays when the change is accepted. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type DecidedFile, takenBack, usersLines } from "../../src/review/decisions.ts";
import { FileReview } from "../../src/review/file-review.ts";
import { type ConflictChoice, currentText, userLines } from "../../src/review/hunks.ts";
import { reviewOf, storedReview } from "../../src/review/stored-review.ts";
import { randomly } from "../random.ts";

const before = "one\ntwo\nthree\nfour\n";
const written = "one\n2\n3\nfour\n";

/** A review in which the agent has written lines 2 and 3. */
function reviewed(): FileReview {
  const review = FileReview.begin(before);
  review.agentWrote(written);
  return review;
}

/** The user types at a place, in the lines of the present text. */
function types(review: FileReview, line: number, character: number, text: string): void {
  const lines = [...review.changes.text];
  const old = lines[line] ?? "";
  lines[line] = old.slice(0, character) + text + old.slice(character);
  const place = { startLine: line, startCharacter: character, endLine: line, endCharacter: character };
  review.userEdited([{ ...place, text }], lines.join(""));
}

/** The user puts lines in the place of others. */
function replaces(review: FileReview, from: number, to: number, text: string): void {
  const lines = [...review.changes.text];
  lines.splice(from, to - from, text);
  review.userEdited([{ startLine: from, startCharacter: 0, endLine: to, endCharacter: 0, text }], lines.join(""));
}

const outcome = (review: FileReview, choice: ConflictChoice): string => currentText(review.chosen(undefined, choice));
const mixed = ({ changes }: FileReview): number[] => changes.hunks.flatMap((hunk) => userLines(changes, hunk).mixed);

describe("conflicts of a review", () => {
  it("V21 puts the agent's lines back, or below the user's, and leaves those of others alone", () => {
    const review = reviewed();
    types(review, 1, 1, " mine");
    types(review, 3, 4, " own");
    assert.equal(outcome(review, "mine"), "one\n2 mine\n3\nfour own\n");
    assert.equal(outcome(review, "agent"), "one\n2\n3\nfour own\n");
    assert.equal(outcome(review, "both"), "one\n2 mine\n2\n3\nfour own\n");
    assert.deepEqual(review.chosen(0, "both").hunks, []);
  });

  it("V21 knows what the agent wrote after several changes of the user, a formatter, and a reload", () => {
    const review = reviewed();
    types(review, 1, 1, " a");
    types(review, 1, 3, "b");
    review.formatted([], currentText(review.changes).replace("2 ab", "  2 ab"));
    const loaded = reviewOf(storedReview("file:///a", review));
    assert.equal(outcome(loaded, "mine"), "one\n  2 ab\n3\nfour\n");
    assert.equal(outcome(loaded, "agent"), written);
  });

  it("V21 knows it where the user has typed a space first", () => {
    const review = reviewed();
    for (const [at, key] of [..." // mine"].entries()) types(review, 1, 1 + at, key);
    assert.equal(outcome(review, "both"), "one\n2 // mine\n2\n3\nfour\n");
    assert.equal(outcome(review, "agent"), written);
  });

  it("V21 knows it where the user has made other lines of several", () => {
    const review = reviewed();
    replaces(review, 1, 3, "x\ny\nz\n");
    assert.equal(outcome(review, "agent"), written);
    assert.equal(outcome(review, "both"), "one\nx\ny\nz\n2\n3\nfour\n");
    types(review, 2, 1, "w");
    assert.equal(outcome(review, "agent"), written);
    // A line that the user adds is the user's alone.
    replaces(review, 2, 2, "own\n");
    assert.equal(outcome(review, "agent"), "one\n2\n3\nown\nfour\n");
  });

  it("V21 has no conflict any more when the user writes the old line again, or the agent writes it", () => {
    const review = reviewed();
    types(review, 1, 1, " mine");
    replaces(review, 1, 2, "two\n");
    assert.deepEqual(mixed(review), []);
    types(review, 2, 1, " mine");
    assert.deepEqual(mixed(review), [2]);
    review.agentWrote(currentText(review.changes).replace("3 mine", "III"));
    assert.deepEqual(mixed(review), []);
    assert.equal(outcome(review, "agent"), "one\ntwo\nIII\nfour\n");
  });

  it("V21 ends the last line where the agent's stands below it", () => {
    const review = FileReview.begin("one\n");
    review.agentWrote("one\ntwo");
    types(review, 1, 3, "!");
    assert.equal(outcome(review, "both"), "one\ntwo!\ntwo");
    assert.equal(outcome(review, "agent"), "one\ntwo");
  });

  it("V22 takes the choice back, with what the agent wrote", () => {
    for (const choice of ["agent", "both"] as const) {
      const review = reviewed();
      types(review, 1, 1, " mine");
      const { state, changes } = review;
      const chosen = review.chosen(0, choice);
      review.resolved(chosen);
      assert.deepEqual(review.changes.hunks, []);
      const decided: DecidedFile = {
        ...{ uri: "file:///a", action: "accept", state, hunk: 0, before: changes, outcome: chosen, isDeleted: false },
      };
      types(review, 0, 0, "own ");
      const back = new FileReview(state, takenBack(decided, review.changes));
      assert.equal(currentText(back.changes), "own one\n2 mine\n3\nfour\n");
      assert.equal(outcome(back, "agent"), `own ${written}`);
    }
  });

  it("V22 opens the change again when the user undoes the edit", () => {
    const review = reviewed();
    types(review, 1, 1, " mine");
    const text = currentText(review.changes);
    review.resolved(review.chosen(0, "agent"));
    review.undone([], text);
    assert.equal(outcome(review, "agent"), written);
    assert.equal(review.changes.hunks.length, 1);
  });

  /** Decides hunks, or all, and returns what takes that back. */
  function accepted(review: FileReview, hunk: number | undefined): () => void {
    const { state, changes } = review;
    review.accept(hunk);
    const decided = { uri: "file:///a", action: "accept" as const, state, hunk, before: changes, isDeleted: false };
    const outcome = review.changes;
    return () => review.reopened(state, takenBack({ ...decided, outcome }, review.changes));
  }

  it("V22 what the user has made of an accepted line, and the agent has removed since, is restored, however formatted", () => {
    for (const indent of ["", "  "]) {
      for (const ending of ["\n", "\r\n"]) {
        const review = reviewed();
        types(review, 1, 1, " mine");
        const takeBack = accepted(review, undefined);
        const text = currentText(review.changes)
          .replaceAll(/^(?=.)/gm, indent)
          .replaceAll("\n", ending);
        review.userEdited([], text);
        review.agentWrote(text.replace(`${indent}2 mine${ending}`, ""));
        takeBack();
        assert.ok(review.changes.base.includes(`${indent}2 mine${ending}`));
      }
    }
  });

  it("V22 taking back one decision leaves what the agent has overwritten in another hunk", () => {
    const review = FileReview.begin(before);
    review.agentWrote("1\ntwo\n3\nfour\n");
    replaces(review, 2, 3, "x\ny\nz\n");
    const takeBack = accepted(review, 0);
    review.agentWrote("1\ntwo\nx\n5\nz\nfour\n");
    review.agentWrote("1\ntwo\n6\n5\n7\nfour\n");
    const { base } = review.changes;
    takeBack();
    assert.deepEqual(review.changes.base, ["one\n", ...base.slice(1)]);
  });

  randomly("V21 holds for all places where the user types (property)", () => {
    const story = fc.record({
      agents: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
      typed: fc.array(fc.nat(), { maxLength: 12 }),
    });
    fc.assert(
      fc.property(story, ({ agents, typed }) => {
        const own = (at: number) => `line ${at}`;
        const theirs = (at: number) => (agents[at] ? `agent ${at}` : own(at));
        const review = FileReview.begin(agents.map((_, at) => `${own(at)}\n`).join(""));
        review.agentWrote(agents.map((_, at) => `${theirs(at)}\n`).join(""));
        const tails = agents.map(() => "");
        for (const [key, place] of typed.entries()) {
          const at = place % agents.length;
          types(review, at, (theirs(at) + tails[at]).length, ` ${key}`);
          tails[at] += ` ${key}`;
        }
        const isMixed = (at: number) => agents[at] === true && tails[at] !== "";
        const present = (at: number) => theirs(at) + tails[at];
        const both: string[] = [];
        let below: string[] = [];
        for (const at of agents.keys()) {
          if (!isMixed(at)) both.push(...below.splice(0));
          both.push(present(at));
          if (isMixed(at)) below.push(theirs(at));
        }
        both.push(...below);
        below = [];
        const expected = {
          mine: [...agents.keys()].map(present),
          agent: [...agents.keys()].map((at) => (isMixed(at) ? theirs(at) : present(at))),
          both,
        };
        for (const choice of ["mine", "agent", "both"] as const) {
          const chosen = review.chosen(undefined, choice);
          assert.deepEqual(
            chosen.text,
            expected[choice].map((line) => `${line}\n`),
          );
          assert.deepEqual(chosen.base, chosen.text);
          // What is told to the model about the user's lines is where it says.
          for (const { start, lines } of usersLines(review.changes, undefined, choice))
            assert.deepEqual(chosen.text.slice(start, start + lines.length), lines);
        }
      }),
    );
  });
});
