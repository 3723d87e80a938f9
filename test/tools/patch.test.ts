import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { EditWorkspace } from "./edit-tools.ts";

const code = `class Cart:
    def add(self, item):
        self.items.append(item)
        return self

    def clear(self):
        self.items = []
        return self


class Order:
    def clear(self):
        self.items = []
        return self
`;

describe("T11 apply_patch", () => {
  let work: EditWorkspace;
  beforeEach(() => {
    work = new EditWorkspace();
    work.put("cart.py", code);
  });
  afterEach(() => work.dispose());

  const wrap = (body: string) => `*** Begin Patch\n${body}\n*** End Patch`;
  const update = (...lines: string[]) => wrap(["*** Update File: cart.py", ...lines].join("\n"));
  const apply = async (input: string) => await work.run("apply_patch", { input });
  const read = async (...names: string[]) => {
    for (const file_path of names) await work.run("read", { file_path });
  };

  describe("changes", () => {
    const first = code.replace("append(item)", "add(item)");
    const rows: [title: string, patch: string, after: string][] = [
      [
        "a hunk with context",
        update(
          "@@",
          "     def add(self, item):",
          "-        self.items.append(item)",
          "+        self.items.add(item)",
          "         return self",
          " ",
        ),
        first,
      ],
      ["without @@", update("-        self.items.append(item)", "+        self.items.add(item)"), first],
      [
        "below a line named by @@",
        update("@@ class Order:", "     def clear(self):", "-        self.items = []", "+        self.items.clear()"),
        code.replace(/(Order[\s\S]*)= \[\]/, "$1.clear()").replace(" .clear", ".clear"),
      ],
      [
        "below two lines, each named by an @@",
        update("@@ class Order:", "@@     def clear(self):", "-        self.items = []", "+        pass"),
        code.replace(/(Order[\s\S]*)self\.items = \[\]/, "$1pass"),
      ],
      [
        "below a line of which @@ has the beginning",
        update("@@ class Order", "-        self.items = []", "+        pass"),
        code.replace(/(Order[\s\S]*)self\.items = \[\]/, "$1pass"),
      ],
      [
        "several hunks, in order",
        update(
          "@@ class Cart:",
          "     def add(self, item):",
          "+        # adds",
          "         self.items.append(item)",
          "@@ class Order:",
          "     def clear(self):",
          "-        self.items = []",
          "-        return self",
          "+        return None",
        ),
        code
          .replace("        self.items.append", "        # adds\n        self.items.append")
          .replace(/(Order[\s\S]*) {8}self\.items = \[\]\n {8}return self/, "$1        return None"),
      ],
      [
        "lines after a named line",
        update("@@ class Order:", "+    total = 0"),
        code.replace("class Order:\n", "class Order:\n    total = 0\n"),
      ],
      ["lines at the end", update("+# end"), `${code}# end\n`],
      [
        "the last of several matches, at the end of the file",
        update("@@", "         self.items = []", "-        return self", "+        return 1", "*** End of File"),
        code.replace(/return self\n$/, "return 1\n"),
      ],
      [
        "a hunk of a unified diff, located by its line number",
        update(
          "--- a/cart.py",
          "+++ b/cart.py",
          "@@ -12,3 +12,3 @@ class Order:",
          "     def clear(self):",
          "-        self.items = []",
          "+        pass",
          "         return self",
        ),
        code.replace(/(Order[\s\S]*)self\.items = \[\]/, "$1pass"),
      ],
      [
        "blank lines without the leading space",
        update("         return self", "", "     def clear(self):", "-        self.items = []", "+        pass"),
        code.replace("self.items = []", "pass"),
      ],
      [
        "context without its indentation",
        update("@@ class Order:", " def clear(self):", "-    self.items = []", "+    pass"),
        code.replace(/(Order[\s\S]*)self\.items = \[\]/, "$1pass"),
      ],
      [
        "two sections for one file",
        `${update("-        self.items.append(item)", "+        self.items.add(item)").replace("\n*** End Patch", "")}\n*** Update File: cart.py\n@@ class Order:\n+    pass\n*** End Patch`,
        first.replace("class Order:\n", "class Order:\n    pass\n"),
      ],
      [
        "a whole unified diff",
        "diff --git a/cart.py b/cart.py\nindex 1..2 100644\n--- a/cart.py\n+++ b/cart.py\n@@ -1,4 +1,4 @@\n class Cart:\n     def add(self, item):\n-        self.items.append(item)\n+        self.items.add(item)\n         return self\n",
        first,
      ],
    ];
    for (const [title, patch, after] of rows) {
      it(title, async () => {
        await apply(patch);
        assert.equal(work.text("cart.py"), after);
      });
    }

    const chunk = "*** Update File: cart.py\n-        self.items.append(item)\n+        self.items.add(item)\n";
    const wrappings: [title: string, patch: string][] = [
      ["a here-document", `apply_patch <<'EOF'\n*** Begin Patch\n${chunk}*** End Patch\nEOF\n`],
      ["a here-document without the end marker", `apply_patch <<"PATCH"\n*** Begin Patch\n${chunk}PATCH\n`],
      ["a fence", `\`\`\`diff\n*** Begin Patch\n${chunk}*** End Patch\n\`\`\``],
      ["no end marker", `*** Begin Patch\n${chunk}`],
      ["no begin marker", chunk],
      ["CRLF", `*** Begin Patch\n${chunk}*** End Patch\n`.replaceAll("\n", "\r\n")],
      ["space around", `\n  *** Begin Patch  \n${chunk}\n*** End Patch   \n\n`],
    ];
    for (const [title, patch] of wrappings) {
      it(`wrapped in ${title}`, async () => {
        await apply(patch);
        assert.equal(work.text("cart.py"), first);
      });
    }

    it("several patches in a row", async () => {
      work.put("b.txt", "b\n");
      await apply(
        `*** Begin Patch\n${chunk}*** End Patch\n*** Begin Patch\n*** Update File: b.txt\n-b\n+c\n*** End Patch`,
      );
      assert.equal(work.text("cart.py"), first);
      assert.equal(work.text("b.txt"), "c\n");
    });

    it("a unified diff of several files", async () => {
      work.put("b.txt", "b\n");
      work.put("gone.txt", "x\n");
      await read("gone.txt");
      const head = (name: string) => `diff --git a/${name} b/${name}\nindex 1..2 100644\n`;
      await apply(
        `${head("b.txt")}--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+c\n${head("n.txt")}new file mode 100644\n--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,2 @@\n+n\n+m\n${head("gone.txt")}deleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n`,
      );
      assert.equal(work.text("b.txt"), "c\n");
      assert.equal(work.text("n.txt"), "n\nm\n");
      assert.ok(!existsSync(work.path("gone.txt")));
    });

    it("a file that contains patches", async () => {
      const text = "*** Begin Patch\n*** Update File: x\n-a\n+b\n*** End Patch\n";
      work.put("p.txt", text);
      await apply(wrap("*** Update File: p.txt\n *** Update File: x\n--a\n+-c\n +b\n *** End Patch"));
      assert.equal(work.text("p.txt"), text.replace("-a", "-c"));
    });

    it("T12 keeps CRLF, a byte order mark and a missing final newline", async () => {
      const odd = `\ufeff${code.trimEnd().replaceAll("\n", "\r\n")}`;
      work.put("cart.py", odd);
      await apply(
        update(
          "@@ class Order:",
          "     def clear(self):",
          "         self.items = []",
          "-        return self",
          "+        return 1",
          "+        # end",
        ),
      );
      assert.equal(work.text("cart.py"), odd.replace(/return self$/, "return 1\r\n        # end"));
    });

    it("T12 keeps the ending of each unchanged line", async () => {
      work.put("cart.py", "a\r\nb\nc\r\nd\n");
      await apply(update(" a", " b", "-c", "+x", "+y", " d"));
      assert.equal(work.text("cart.py"), "a\r\nb\nx\r\ny\r\nd\n");
    });
  });

  describe("files", () => {
    it("adds, changes, moves and deletes, with requirements and paths for each", async () => {
      work.put("old.txt", "one\ntwo\n");
      work.put("gone.txt", "x\n");
      await read("gone.txt");
      const plan = await work.plan("apply_patch", {
        input: wrap(
          "*** Add File: new/dir/a.txt\n+hello\n+\n+there\n\n*** Update File: old.txt\n*** Move to: moved.txt\n one\n-two\n+2\n*** Delete File: gone.txt\n*** Update File: cart.py\n-class Order:\n+class Basket:",
        ),
      });
      assert.equal(plan.title, "Patch 5 files");
      const names = ["new/dir/a.txt", "moved.txt", "cart.py", "old.txt", "gone.txt"];
      assert.deepEqual(
        plan.writes,
        names.map((name) => work.path(name)),
      );
      assert.deepEqual(
        plan.requires.map(({ permission, pattern }) => [permission, pattern]),
        names.map((name) => ["edit", name]),
      );
      assert.equal(plan.preview.type === "diffs" && plan.preview.diffs.length, 5);
      assert.ok(existsSync(work.path("old.txt")), "prepare only reads");
      const { output, metadata } = await plan.run(() => {});
      assert.equal(work.text("new/dir/a.txt"), "hello\n\nthere\n");
      assert.equal(work.text("moved.txt"), "one\n2\n");
      assert.equal(work.text("cart.py"), code.replace("Order", "Basket"));
      assert.ok(!existsSync(work.path("old.txt")) && !existsSync(work.path("gone.txt")));
      assert.deepEqual(
        metadata.diffs?.map(({ path, added, removed }) => [path, added, removed]),
        [
          ["new/dir/a.txt", 3, 0],
          ["moved.txt", 2, 0],
          ["cart.py", 1, 1],
          ["old.txt", 0, 2],
          ["gone.txt", 0, 1],
        ],
      );
      assert.match(
        output,
        /^new\/dir\/a\.txt is created; it has 3 lines\.\n\nold\.txt is now moved\.txt\.\n\ncart\.py is changed\. It reads/,
      );
    });

    it("one file has one diff", async () => {
      const plan = await work.plan("apply_patch", { input: update("-class Order:", "+class Basket:") });
      assert.equal(plan.title, "Edit cart.py");
      assert.equal(plan.preview.type, "diff");
      assert.equal((await plan.run(() => {})).metadata.diff?.added, 1);
    });

    it("T12 a file that was not read, or has changed since, is not deleted, nor is anything else of the patch done", async () => {
      work.put("gone.txt", "x\n");
      const input = wrap("*** Update File: cart.py\n-class Order:\n+class B:\n*** Delete File: gone.txt");
      const unread = "gone.txt exists already, and you have not read it: read it first, then delete it.";
      assert.equal(await work.refusal("apply_patch", { input }), unread);
      await read("gone.txt");
      work.put("gone.txt", "the user's\n");
      assert.match(await work.refusal("apply_patch", { input }), /^gone\.txt has changed since it was read/);
      assert.deepEqual([work.text("gone.txt"), work.text("cart.py")], ["the user's\n", code]);
      await read("gone.txt");
      await apply(input);
      assert.ok(!existsSync(work.path("gone.txt")));
    });

    it("T12 neither a new file nor a moved one takes the place of another, read or not", async () => {
      work.put("there.txt", "x\n");
      const ways = ["*** Add File: there.txt\n+y", "*** Update File: cart.py\n*** Move to: there.txt"];
      for (const way of [...ways, `${ways[1]}\n-class Order:\n+class B:`]) {
        assert.match(await work.refusal("apply_patch", { input: wrap(way) }), /^there\.txt exists already\./);
        await read("there.txt");
        assert.match(await work.refusal("apply_patch", { input: wrap(way) }), /^there\.txt exists already\./);
      }
      assert.deepEqual([work.text("there.txt"), work.text("cart.py")], ["x\n", code]);
    });

    it("T12 what a patch quotes or leaves as it is needs no reading", async () => {
      await apply(update("-class Order:", "+class Basket:"));
      work.put("b.txt", "b\n");
      await apply(wrap("*** Update File: b.txt\n+c"));
      assert.equal(work.text("b.txt"), "b\nc\n");
      work.put("d.txt", "d\n");
      await apply(wrap("*** Update File: d.txt\n*** Move to: e.txt"));
      assert.equal(work.text("e.txt"), "d\n");
    });

    it("T12 a secret is deleted unread, since only the user is shown its text", async () => {
      work.put(".env", "KEY=hidden\n");
      const { output } = await apply(wrap("*** Delete File: .env"));
      assert.equal(output, ".env is deleted.");
    });

    it("moves without a change", async () => {
      const plan = await work.plan("apply_patch", { input: wrap("*** Update File: cart.py\n*** Move to: a/b.py") });
      assert.equal(plan.title, "Move cart.py to a/b.py");
      await plan.run(() => {});
      assert.equal(work.text("a/b.py"), code);
      assert.ok(!existsSync(work.path("cart.py")));
    });

    it("an empty new file, and an empty one that gets content", async () => {
      await apply(wrap("*** Add File: e.txt"));
      assert.equal(work.text("e.txt"), "");
      await apply(wrap("*** Update File: e.txt\n+a\n+b"));
      assert.equal(work.text("e.txt"), "a\nb\n");
    });

    it("T8 asks for outside paths", async () => {
      const needs = await work.needs("apply_patch", { input: wrap("*** Add File: ../out.txt\n+x") });
      assert.ok(needs.some(({ permission }) => permission === "external_directory"));
    });

    it("its result counts as read for the next edit, unless something else changes it", async () => {
      await work.run("read", { file_path: "cart.py" });
      await apply(update("-class Order:", "+class Basket:"));
      await apply(update("-class Basket:", "+class Order:"));
      work.put("cart.py", `${code}# other\n`);
      assert.match(
        await work.refusal("apply_patch", { input: update("-class Order:", "+class B:") }),
        /has changed since it was read/,
      );
    });
  });

  describe("errors that leave everything unchanged", () => {
    const rows: [title: string, patch: string, words: RegExp][] = [
      [
        "a hunk that matches twice",
        update("-        self.items = []", "+        pass"),
        /The chunk for cart\.py has no place in it.*there 2 times, on lines 7, 13\. Add lines around them, or a line "@@ "/,
      ],
      [
        "a hunk without a match",
        update("-        self.goods = []", "+        pass"),
        /Its context and - lines were not found\./,
      ],
      [
        "hunks in the wrong order",
        update("-class Order:", "+class Basket:", "@@", "-class Cart:", "+class C:"),
        /Chunk 2 of 2 .*not found after line 11/,
      ],
      ["a missing named line", update("@@ class Shop:", "+x"), /No line reads "class Shop:"/],
      ["a patch that changes nothing", update(" class Order:"), /changes nothing in cart\.py/],
      ["no file", "*** Begin Patch\n*** End Patch", /names no file/],
      ["words", "please change cart.py", /names no file/],
      ["an invalid line", update("-class Order:", "what?"), /^Line 4 of the patch begins neither/],
      ["text between files", "*** Begin Patch\nhello\n*** End Patch", /^Line 2 of the patch begins no file/],
      [
        "a new file that exists",
        wrap("*** Add File: cart.py\n+x"),
        /cart\.py exists already\. Change it with \*\*\* Update File/,
      ],
      ["a new file without +", wrap("*** Add File: a.py\nx = 1"), /Each line of a new file begins with \+/],
      ["a missing file", wrap("*** Update File: crat.py\n-a\n+b"), /crat\.py does not exist\. Did you mean cart\.py\?/],
      ["deleting a missing file", wrap("*** Delete File: nope.py"), /nope\.py does not exist/],
      [
        "moving onto another file",
        wrap("*** Update File: cart.py\n*** Move to: other.py\n-class Order:\n+class B:"),
        /other\.py exists already/,
      ],
      [
        "a file twice",
        wrap("*** Update File: cart.py\n-class Order:\n+class B:\n*** Delete File: cart.py"),
        /names cart\.py twice/,
      ],
      ["an empty path", wrap("*** Delete File: "), /names no path/],
    ];
    for (const [title, patch, words] of rows) {
      it(title, async () => {
        work.put("other.py", "other\n");
        await read("cart.py");
        assert.match(await work.refusal("apply_patch", { input: patch }), words);
        assert.equal(work.text("cart.py"), code);
        assert.equal(work.text("other.py"), "other\n");
      });
    }

    it("all files when one cannot be changed", async () => {
      work.put("b.txt", "b\n");
      const patch = wrap(
        "*** Update File: b.txt\n-b\n+c\n*** Add File: n.txt\n+n\n*** Update File: cart.py\n-nope\n+x",
      );
      await work.refusal("apply_patch", { input: patch });
      assert.equal(work.text("b.txt"), "b\n");
      assert.ok(!existsSync(work.path("n.txt")));
    });

    it("restores written files when a later one fails", async () => {
      work.put("b.txt", "b\n");
      work.put("gone.txt", "x\n");
      await read("gone.txt");
      const patch = wrap(
        "*** Add File: n.txt\n+n\n*** Update File: b.txt\n-b\n+c\n*** Delete File: gone.txt\n*** Update File: cart.py\n-class Order:\n+class B:\n*** Add File: d/n.txt\n+n",
      );
      const plan = await work.plan("apply_patch", { input: patch });
      mkdirSync(work.path("d/n.txt"), { recursive: true });
      await assert.rejects(
        plan.run(() => {}),
        /d\/n\.txt .*Nothing was changed\.$/,
      );
      assert.equal(work.text("b.txt"), "b\n");
      assert.equal(work.text("cart.py"), code);
      assert.equal(work.text("gone.txt"), "x\n");
      assert.ok(!existsSync(work.path("n.txt")));
    });

    it("restores a deleted file, too", async () => {
      work.put("b.txt", "b\n");
      work.put("gone.txt", "x\n");
      await read("gone.txt", "cart.py");
      const patch = wrap("*** Update File: b.txt\n-b\n+c\n*** Delete File: gone.txt\n*** Delete File: cart.py");
      const plan = await work.plan("apply_patch", { input: patch });
      work.put("cart.py", "other\n");
      await assert.rejects(
        plan.run(() => {}),
        /cart\.py has changed since it was read.*Nothing was changed\.$/,
      );
      assert.deepEqual([work.text("b.txt"), work.text("gone.txt"), work.text("cart.py")], ["b\n", "x\n", "other\n"]);
    });
  });
});
