/** New problems that the editor reports after an edit (T11). */
import assert from "node:assert/strict";
import type { CodeProblem, Editor } from "../../src/tools/host.ts";
import { EditWorkspace } from "./edit-tools.ts";

describe("T11 new problems after an edit", () => {
  let work: EditWorkspace;
  /** Problems before the edit, and once the editor has settled. */
  let before: CodeProblem[];
  let after: CodeProblem[];
  let waits: number[];
  let isOpen: boolean;
  beforeEach(() => {
    work = new EditWorkspace();
    [before, after, waits] = [[], [], []];
    isOpen = true;
    const nothing = async () => [];
    const editor: Editor = {
      watches: async () => isOpen,
      problems: async () => before,
      settledProblems: async (_, timeout) => {
        waits.push(timeout);
        return after;
      },
      definition: nothing,
      references: nothing,
      symbols: nothing,
      rename: nothing,
      actions: nothing,
    };
    Object.assign(work.host, { editor });
    work.put("a.ts", "one\ntwo\nthree\n");
  });
  afterEach(() => work.dispose());

  const problem = (line: number, message: string, more: Partial<CodeProblem> = {}): CodeProblem => ({
    path: work.path("a.ts"),
    line,
    column: 1,
    severity: "error",
    message,
    source: "ts(1)",
    ...more,
  });
  const told = async (old_string = "three", new_string = "3") => {
    const { output } = await work.run("edit", { file_path: "a.ts", old_string, new_string });
    return output.split("\n\n")[1] ?? "";
  };

  it("lists problems that are new, errors first", async () => {
    after = [problem(2, "unused", { severity: "warning", source: "" }), problem(3, "no such name")];
    assert.equal(
      await told(),
      "New problems in a.ts after this edit:\nline 3: error ts(1) no such name\nline 2: warning unused",
    );
    assert.deepEqual(waits, [2_000]);
  });

  it("omits problems that existed before, at any position", async () => {
    before = [problem(2, "bad two")];
    after = [problem(4, "bad two")];
    assert.equal(await told("one", "one\n1\n1.5"), "");
  });

  it("in a file that was not open, reports only the edited lines, because the others may have existed", async () => {
    isOpen = false;
    after = [problem(1, "bad one"), problem(3, "no such name")];
    assert.equal(
      await told(),
      "New problems in a.ts after this edit:\nline 3: error ts(1) no such name\n" +
        "a.ts has a problem in lines that this edit did not change, perhaps from before: diagnostics lists them.",
    );
    after = [problem(1, "bad one"), problem(2, "bad two")];
    assert.match(await told("3", "four"), /^a\.ts has 2 problems in lines that this edit did not change/);
  });

  it("counts: the same message about a second identical line is new", async () => {
    before = [problem(2, "bad two")];
    after = [problem(2, "bad two"), problem(3, "bad two")];
    assert.equal(await told("three", "two"), "New problems in a.ts after this edit:\nline 3: error ts(1) bad two");
  });

  it("another line, message or source is new", async () => {
    before = [problem(2, "bad")];
    after = [problem(3, "bad"), problem(2, "worse"), problem(2, "bad", { source: "eslint" })];
    assert.equal((await told()).split("\n").length, 4);
  });

  it("omits hints", async () => {
    after = [problem(1, "a", { severity: "info" }), problem(1, "b", { severity: "hint" })];
    assert.equal(await told(), "");
  });

  it("lists at most ten", async () => {
    after = Array.from({ length: 13 }, (_, index) => problem(1, `p${index}`));
    const lines = (await told()).split("\n");
    assert.equal(lines.length, 12);
    assert.equal(lines.at(-1), "(3 more problems)");
  });

  it("an editor that fails or is stopped does not undo the edit", async () => {
    const { editor } = work.host;
    assert.ok(editor);
    editor.settledProblems = async () => {
      throw new DOMException("stopped", "AbortError");
    };
    assert.equal(await told(), "");
    assert.equal(work.text("a.ts"), "one\ntwo\n3\n");
  });

  it("lists problems for each file of a patch", async () => {
    work.put("b.ts", "x\n");
    after = [problem(1, "bad")];
    const patch = "*** Begin Patch\n*** Update File: a.ts\n-one\n+1\n*** Update File: b.ts\n-x\n+y\n*** End Patch";
    const { output } = await work.run("apply_patch", { input: patch });
    assert.match(output, /New problems in a\.ts after this edit:\nline 1: error ts\(1\) bad\n\nNew problems in b\.ts/);
  });
});
