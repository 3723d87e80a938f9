import assert from "node:assert/strict";
import { EditWorkspace } from "./edit-tools.ts";

describe("T11 multi_edit", () => {
  let work: EditWorkspace;
  beforeEach(() => {
    work = new EditWorkspace();
  });
  afterEach(() => work.dispose());

  const edits = (...pairs: [old: string, by: string, all?: true][]) => ({
    file_path: "f.txt",
    edits: pairs.map(([old_string, new_string, replace_all]) => ({
      old_string,
      new_string,
      ...(replace_all && { replace_all }),
    })),
  });

  it("applies each edit to the result of the previous ones, with one preview and one write", async () => {
    work.put("f.txt", "a\nb\nc\nb\n");
    let writes = 0;
    const { workspace } = work.host;
    const write = workspace.write;
    workspace.write = async (...args) => {
      writes++;
      return await write.apply(workspace, args);
    };
    const plan = await work.plan("multi_edit", edits(["a", "x\ny"], ["y\nb", "z"], ["b", "B"]));
    assert.equal(plan.title, "Edit f.txt");
    assert.deepEqual(plan.writes, [work.path("f.txt")]);
    assert.equal(work.text("f.txt"), "a\nb\nc\nb\n", "prepare only reads");
    const result = await plan.run(() => {});
    assert.equal(work.text("f.txt"), "x\nz\nc\nB\n");
    assert.equal(writes, 1);
    assert.match(result.output, /^f\.txt is changed by 3 edits\. It reads there now:\n {5}1\tx\n/);
    assert.deepEqual(plan.preview, { type: "diff", diff: result.metadata.diff });
  });

  it("says which edit was not an exact match", async () => {
    work.put("f.txt", "\ta()\n\tb()\nc\n");
    const { output } = await work.run("multi_edit", edits(["c", "d"], ["a()\nb()", "a()\ne()"]));
    assert.equal(work.text("f.txt"), "\ta()\n\te()\nd\n");
    assert.match(
      output,
      /by 2 edits\. Edit 2 of 2: old_string differed in indentation; the replacement was re-indented\./,
    );
  });

  it("one edit may replace all matches", async () => {
    work.put("f.txt", "a b a\n");
    await work.run("multi_edit", edits(["a", "c", true], ["b", "d"]));
    assert.equal(work.text("f.txt"), "c d c\n");
  });

  it("creates a file when the first old_string is empty", async () => {
    await work.run("multi_edit", edits(["", "one two"], ["two", "2"]));
    assert.equal(work.text("f.txt"), "one 2");
  });

  const refused: [title: string, input: ReturnType<typeof edits>, words: RegExp][] = [
    [
      "a text that does not occur",
      edits(["a", "x"], ["zzz", "y"]),
      /^Edit 2 of 2 failed, so none was made\. old_string was not found in f\.txt\./,
    ],
    ["two matches", edits(["b", "y"]), /^Edit 1 of 1 failed.*occurs 2 times in f\.txt, on lines 2, 4\./],
    ["a text that an earlier edit removed", edits(["a", "x"], ["a", "y"]), /^Edit 2 of 2/],
    ["no change", edits(["a", "x"], ["c", "c"]), /^Edit 2 of 2.*are the same/],
    ["an empty old_string in a later edit", edits(["a", "x"], ["", "y"]), /^Edit 2 of 2.*old_string is empty/],
  ];
  for (const [title, input, words] of refused) {
    it(`all or nothing: ${title}`, async () => {
      work.put("f.txt", "a\nb\nc\nb\n");
      assert.match(await work.refusal("multi_edit", input), words);
      assert.equal(work.text("f.txt"), "a\nb\nc\nb\n");
    });
  }

  it("T12 rejects a file that has changed since it was read", async () => {
    work.put("f.txt", "a\n");
    await work.run("read", { file_path: "f.txt" });
    work.put("f.txt", "a\nb\n");
    assert.match(await work.refusal("multi_edit", edits(["a", "x"])), /has changed since it was read/);
  });

  it("requires at least one edit", async () => {
    work.put("f.txt", "a\n");
    await assert.rejects(work.run("multi_edit", { file_path: "f.txt", edits: [] }), /edits/);
  });
});
