import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { findMoves, type MovableFile } from "../../src/checkpoints/steps/step-files.ts";

const file = (path: string, text: string): MovableFile => {
  const bytes = Buffer.from(text);
  return { path, bytes, hash: createHash("sha256").update(bytes).digest("hex") };
};
const lines = (...numbers: number[]) => numbers.map((n) => `this is the line number ${n}\n`).join("");
const moves = (deleted: MovableFile[], created: MovableFile[]) => Object.fromEntries(findMoves(deleted, created));

describe("moves of files", () => {
  it("are found by equal content, whatever the names", () => {
    assert.deepEqual(moves([file("a.txt", "one\n")], [file("b/c.md", "one\n")]), { "b/c.md": "a.txt" });
    assert.deepEqual(moves([file("a.txt", "one\n")], [file("a2.txt", "two\n")]), {});
  });

  it("of a folder keep the names below it, where contents are equal", () => {
    const from = ["old/x/index.ts", "old/y/index.ts", "old/index.ts"].map((name) => file(name, "export {};\n"));
    const to = ["new/y/index.ts", "new/index.ts", "new/x/index.ts"].map((name) => file(name, "export {};\n"));
    assert.deepEqual(moves(from, to), {
      "new/x/index.ts": "old/x/index.ts",
      "new/y/index.ts": "old/y/index.ts",
      "new/index.ts": "old/index.ts",
    });
  });

  it("with an edit are found if half of the larger text is the same", () => {
    const from = file("a.ts", lines(1, 2, 3, 4, 5, 6));
    assert.deepEqual(moves([from], [file("b.ts", lines(1, 2, 3, 4, 7, 8))]), { "b.ts": "a.ts" });
    assert.deepEqual(moves([from], [file("b.ts", lines(1, 2, 7, 8, 9, 10))]), {});
    assert.deepEqual(moves([from], [file("b.ts", lines(1, 2, 3, 4, 5, 6, ...Array(7).fill(9)))]), {});
  });

  it("prefer the more similar file, and the same name to another", () => {
    const created = file("lib/a.ts", lines(1, 2, 3, 4, 5));
    const near = file("b.ts", lines(1, 2, 3, 4, 6));
    assert.deepEqual(moves([file("c.ts", lines(1, 2, 3, 6, 7)), near], [created]), { "lib/a.ts": "b.ts" });
    assert.deepEqual(moves([near, file("src/a.ts", lines(1, 2, 3, 6, 7))], [created]), { "lib/a.ts": "src/a.ts" });
  });

  it("take each file once: a copy is a new file", () => {
    const created = [file("b.txt", "one\n"), file("c.txt", "one\n")];
    assert.equal(findMoves([file("a.txt", "one\n")], created).size, 1);
  });

  it("of empty files do not exist, and binary files move only unchanged", () => {
    assert.deepEqual(moves([file("a", "")], [file("b", "")]), {});
    const binary = `\0${lines(1, 2, 3)}`;
    assert.deepEqual(moves([file("a", binary)], [file("b", binary)]), { b: "a" });
    assert.deepEqual(moves([file("a", binary)], [file("b", `${binary}x`)]), {});
  });

  it("are looked for in bounded time", () => {
    const many = (name: string) =>
      Array.from({ length: 1000 }, (_, at) => file(`${name}${at}`, lines(...Array(20).fill(at))));
    const started = performance.now();
    assert.deepEqual(
      moves(
        many("a"),
        many("b").map((one) => file(one.path, `${one.bytes}more\n`)),
      ),
      {},
    );
    assert.ok(performance.now() - started < 2000);
  });
});
