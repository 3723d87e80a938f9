/** The review of a file of 1 MB with 500 hunks: deciding all, deciding one, and a key. */
import { FileReview } from "../../src/review/file-review.ts";
import { currentText } from "../../src/review/hunks.ts";
import { median, type Report } from "./headless.ts";

const rounds = 21;
const hunks = 500;

/** 16,000 lines, no two alike: 1 MB. */
const lines = Array.from(
  { length: 16_000 },
  (_, at) => `\tconst value${at} = compute(input, { retries: ${at} }); // "${at}"\n`,
);
const every = lines.length / hunks;
const before = lines.join("");
const after = lines.map((line, at) => (at % every === 7 ? `\tchanged(${at});\n` : line)).join("");

export function benchReview(report: Report): void {
  const open = () => {
    const review = FileReview.begin(before);
    review.agentWrote(after);
    if (review.changes.hunks.length !== hunks) throw new Error(`${review.changes.hunks.length} hunks`);
    return review;
  };
  report("review.agent-writes", timed(open, () => {}).made, "ms");
  report("review.accept-all", timed(open, (review) => review.accept(undefined)).used, "ms");
  report("review.reject-all", timed(open, (review) => review.rejected(review.without(undefined))).used, "ms");
  report("review.accept-one", timed(open, (review) => review.accept(250)).used, "ms");
  report("review.reject-one", timed(open, (review) => review.rejected(review.without(250))).used, "ms");
  report("review.each-of-500", timed(open, each).used, "ms");
  report("review.key", timed(open, keys).used / keyCount, "ms");
  report("review.checkout", timed(open, (review) => review.userEdited([], before)).used, "ms");
}

function timed(make: () => FileReview, use: (review: FileReview) => void): { made: number; used: number } {
  const made: number[] = [];
  const used: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const review = make();
    const between = performance.now();
    use(review);
    used.push(performance.now() - between);
    made.push(between - start);
  }
  return { made: median(made), used: median(used) };
}

function each(review: FileReview): void {
  for (let left = hunks; left > 0; left--) {
    if (left % 2 === 0) review.accept(0);
    else review.rejected(review.without(0));
  }
}

const keyCount = 200;

/** Types into a line of the user, as an editor reports it. */
function keys(review: FileReview): void {
  const line = 8_000;
  let typed = lines[line]?.trimEnd() ?? "";
  const document = {
    lineCount: lines.length + 1,
    ending: "\n",
    line: () => typed,
    read: () => currentText(review.changes),
  };
  for (let key = 0; key < keyCount; key++) {
    const edit = {
      startLine: line,
      startCharacter: typed.length,
      endLine: line,
      endCharacter: typed.length,
      text: "x",
    };
    typed += "x";
    review.userEdited([edit], document);
  }
  if (!currentText(review.changes).includes("x".repeat(keyCount))) throw new Error("the keys are lost");
}
