import assert from "node:assert/strict";
import { FileReview } from "../../src/review/file-review.ts";
import { currentText } from "../../src/review/hunks.ts";
import { PastReviews } from "../../src/review/past-reviews.ts";

const uri = "file:///a.txt";

function review(before: string | undefined, after: string): FileReview {
  const file = FileReview.begin(before);
  file.agentWrote(after);
  return file;
}

describe("past reviews", () => {
  it("V4 are known by their text, whatever its line endings, and once", () => {
    const past = new PastReviews();
    past.keep(uri, review("one\r\n", "two\r\n"));
    assert.equal(past.take("file:///b.txt", "two\n"), undefined);
    assert.equal(past.take(uri, "one\n"), undefined);
    const found = past.take(uri, "two\n");
    assert.equal(found && currentText(found.changes), "two\r\n");
    assert.equal(past.take(uri, "two\n"), undefined);
    assert.ok(!past.has(uri));
  });

  it("V4 tell a deleted file from an empty one", () => {
    const past = new PastReviews();
    const file = review("one\n", "two\n");
    file.agentDeleted();
    past.keep(uri, file);
    past.keep(uri, review("one\n", ""));
    assert.equal(past.take(uri, undefined)?.state.type, "deleted");
    assert.equal(past.take(uri, "")?.state.type, "changed");
  });

  it("V4 forget a text when it was decided", () => {
    const past = new PastReviews();
    const file = review("one\n", "two\n");
    past.keep(uri, file);
    file.accept(undefined);
    past.keep(uri, file);
    assert.equal(past.take(uri, "two\n"), undefined);
  });

  it("V4 keep the newest eight texts of a file, and 32 million characters of all", () => {
    const past = new PastReviews();
    for (let at = 0; at < 10; at++) past.keep(uri, review("old\n", `${at}\n`));
    const left = [...past.entries()].map(([, { changes }]) => currentText(changes));
    assert.deepEqual(left, ["2\n", "3\n", "4\n", "5\n", "6\n", "7\n", "8\n", "9\n"]);
    for (const name of ["b", "c", "d"]) past.keep(name, review("", `${"x".repeat(15 << 20)}\n`));
    assert.deepEqual(
      [...past.entries()].map(([name]) => name),
      ["c", "d"],
    );
  });
});
