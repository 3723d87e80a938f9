import assert from "node:assert/strict";
import { statSync } from "node:fs";
import fc from "fast-check";
import { replaceText } from "../../src/tools/fuzzy-match/replace-text.ts";
import { randomly } from "../random.ts";
import { TestWorkspace } from "./workspace.ts";

describe("edit", () => {
  let work: TestWorkspace;
  beforeEach(() => {
    work = new TestWorkspace();
  });
  afterEach(() => work.dispose());

  const edit = (old_string: string, new_string: string, more = {}) => ({
    file_path: "f.txt",
    old_string,
    new_string,
    ...more,
  });

  describe("the file's content", () => {
    const cases: [
      title: string,
      before: string,
      old: string,
      by: string,
      after: string,
      more?: { replace_all: true },
    ][] = [
      ["a word", "an oldString!", "oldString", "newString", "an newString!"],
      ["a line with its newline", "a\nb\nc", "b\n", "", "a\nc"],
      ["a line with the preceding newline", "a\nb\nc", "\nb", "", "a\nc"],
      ["replacement patterns of JavaScript", "a\nb\nc", "b", "$$ $& $` $' $1", "a\n$$ $& $` $' $1\nc"],
      ["regular expression characters", "axb a.b", "a.b", "(ok)", "axb (ok)"],
      ["all matches", "x1x2x3", "x", "", "123", { replace_all: true }],
      ["no new final newline", "one\ntwo", "two", "2", "one\n2"],
      ["keeps all final newlines", "a\n\n\n", "a", "b", "b\n\n\n"],
      ["T12 LF matches CRLF, which is kept", "a\r\nb\r\nc\r\n", "a\nb", "a\nx\ny", "a\r\nx\r\ny\r\nc\r\n"],
      ["T12 CRLF matches CRLF", "a\r\nb\r\n", "a\r\nb", "a\r\nc", "a\r\nc\r\n"],
      ["T12 a line is deleted with its whole ending", "a\r\nb\r\nc", "\nb", "", "a\r\nc"],
      ["T12 LF is kept when the model sends CRLF", "a\nb\n", "a\r\nb", "a\r\nx\r\nb", "a\nx\nb\n"],
      ["T12 mixed endings are each kept", "a\r\nb\nc\r\nd", "a\nb\nc\nd", "a\nB\nc\nd", "a\r\nB\nc\r\nd"],
      ["T12 new lines get the surrounding line ending", "a\r\nb\nc\n", "c", "c\nd", "a\r\nb\nc\nd\n"],
      ["CRLF in all matches", "a\r\nb\r\na\r\nb\r\n", "a\nb", "a\nc", "a\r\nc\r\na\r\nc\r\n", { replace_all: true }],
      ["U+2028 is no line break", "a\u2028b\nc\n", "c", "d", "a\u2028b\nd\n"],
      ["emoji of several code points", "x 👨‍👩‍👧‍👦 y", "👨‍👩‍👧‍👦", "👪", "x 👪 y"],
      ["a lone carriage return is text", "a\rb\nc", "a\rb", "d", "d\nc"],
    ];
    for (const [title, before, old, by, after, more] of cases) {
      it(title, async () => {
        work.put("f.txt", before);
        await work.run("edit", edit(old, by, more));
        assert.equal(work.text("f.txt"), after);
      });
    }

    randomly("T12 changes the matched bytes and no others", () => {
      const pieces = ["a", "b", " ", "\t", "\n", "\r\n", "$&", "é", "👪"];
      const textOf = (some: string[]) =>
        fc.array(fc.constantFrom(...some), { maxLength: 30 }).map((all) => all.join(""));
      const text = textOf(pieces);
      const around = textOf([...pieces, "\r"]);
      fc.assert(
        fc.property(around, text, around, text, (before, wanted, after, by) => {
          const whole = `${before}<${wanted}>${after}`;
          const result = replaceText(whole, `<${wanted}>`, `<${by}>`, false);
          if (result.type === "same") return wanted.replaceAll("\r\n", "\n") === by.replaceAll("\r\n", "\n");
          assert.equal(result.type, "replaced");
          if (result.type !== "replaced") return false;
          assert.ok(result.text.startsWith(`${before}<`) && result.text.endsWith(`>${after}`));
          const middle = result.text.slice(before.length + 1, result.text.length - after.length - 1);
          return middle.replaceAll("\r\n", "\n") === by.replaceAll("\r\n", "\n");
        }),
      );
    });

    it("T12 keeps a byte order mark", async () => {
      work.put("f.txt", "\ufeffusing System;\n");
      await work.run("edit", edit("using System;", "using Up;"));
      assert.equal(work.text("f.txt"), "\ufeffusing Up;\n");
    });

    it("T12 keeps UTF-16 of both byte orders", async () => {
      const little = Buffer.from("\ufeff你好\r\n", "utf16le");
      work.put("f.txt", little);
      await work.run("edit", edit("你好", "再见"));
      assert.deepEqual(work.bytes("f.txt"), Buffer.from("\ufeff再见\r\n", "utf16le"));
      work.seen.clear();
      work.put("f.txt", Buffer.from(little).swap16());
      await work.run("edit", edit("你好", "再见"));
      assert.deepEqual(work.bytes("f.txt"), Buffer.from("\ufeff再见\r\n", "utf16le").swap16());
    });

    it("T12 keeps the mode", async () => {
      const file = work.put("f.txt", "echo a\n", 0o755);
      await work.run("edit", edit("a", "b"));
      assert.equal(statSync(file).mode & 0o777, 0o755);
    });

    it("changes one line of a large file", async () => {
      const half = "0123456789abcdef\n".repeat(60_000);
      work.put("f.txt", `${half}NEEDLE\n${half}`);
      const { metadata, output } = await work.run("edit", edit("NEEDLE", "needle"));
      assert.equal(work.text("f.txt"), `${half}needle\n${half}`);
      assert.equal(
        metadata.diff?.patch,
        "@@ -59998,7 +59998,7 @@\n 0123456789abcdef\n 0123456789abcdef\n 0123456789abcdef\n-NEEDLE\n+needle\n 0123456789abcdef\n 0123456789abcdef\n 0123456789abcdef",
      );
      assert.match(output, / 60001\tneedle\n/);
    });
  });

  describe("its result", () => {
    it("T10 shows the change in context", async () => {
      work.put("f.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
      const plan = await work.plan("edit", edit("5\n", "five\nfünf\n"));
      assert.equal(plan.title, "Edit f.txt");
      assert.equal(work.text("f.txt"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "prepare only reads");
      const result = await plan.run(() => {});
      assert.equal(
        result.output,
        "f.txt is changed. It reads there now:\n     2\t2\n     3\t3\n     4\t4\n     5\tfive\n     6\tfünf\n     7\t6\n     8\t7\n     9\t8",
      );
      assert.deepEqual(result.metadata.diff, {
        path: "f.txt",
        added: 2,
        removed: 1,
        patch: "@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+fünf\n 6\n 7\n 8",
      });
      assert.deepEqual(plan.preview, { type: "diff", diff: result.metadata.diff });
    });

    it("says when the editor changed the file on save", async () => {
      work.put("f.txt", "a\n");
      const { workspace } = work.host;
      const write = workspace.write;
      workspace.write = async (location, text, expected, signal) =>
        await write.call(workspace, location, `${text.trim()};\n`, expected, signal);
      const { output } = await work.run("edit", edit("a", "b"));
      assert.equal(
        output,
        "f.txt is changed. The editor changed it further on save (a formatter, perhaps). It reads there now:\n     1\tb;",
      );
    });

    it("says how old_string differed", async () => {
      work.put("f.txt", "\tone()\n\ttwo()\n");
      const { output } = await work.run("edit", edit("one()\ntwo()", "one()\n2()"));
      assert.equal(
        output,
        "f.txt is changed. old_string differed in indentation; the replacement was re-indented. It reads there now:\n     1\t\tone()\n     2\t\t2()",
      );
    });

    it("says that a file is now empty, and accepts its literal text", async () => {
      work.put("f.txt", "a\n b\n");
      assert.match(await work.refusal("edit", edit("a\nb\n", "")), /not found/);
      assert.equal((await work.run("edit", edit("a\n b\n", ""))).output, "f.txt is changed. It is empty now.");
      assert.equal(work.text("f.txt"), "");
    });

    it("creates a file when old_string is empty", async () => {
      await work.run("edit", { file_path: "new/dir/f.txt", old_string: "", new_string: "hi" });
      assert.equal(work.text("new/dir/f.txt"), "hi");
    });
  });

  describe("its errors", () => {
    const refuse = async (before: string, old: string, by: string, isRead = true) => {
      work.put("f.txt", before);
      if (isRead) await work.run("read", { file_path: "f.txt" });
      const message = await work.refusal("edit", edit(old, by));
      assert.equal(work.text("f.txt"), before);
      return message;
    };

    it("several matches, with their lines", async () => {
      assert.equal(
        await refuse("line1\nline2\nline1\n", "line1\n", "x"),
        "old_string occurs 2 times in f.txt, on lines 1, 3. Add lines around the one you mean, or set replace_all.",
      );
      assert.match(await refuse("aaa", "aa", "b"), /occurs 2 times in f\.txt, on line 1\./);
    });

    it("white space within a line, made visible", async () => {
      assert.equal(
        await refuse("if (a) {\n\tb =\t1;\n}\n", "if (a) {\n\tb = 1;\n}", "x"),
        "old_string was not found in f.txt. Lines 1–3 differ from it only in white space. The file reads there:\n     1\tif (a) {\n     2\t\tb =\t1;\n     3\t}\nLine 2 is the first that differs (→ is a tab, · a space). In the file, then in yours:\n→b·=→1;\n→b·=·1;\nCopy the text exactly, tabs and spaces too.",
      );
    });

    it("a text that does not occur, with the nearest match", async () => {
      const message = await refuse(
        "const a = {\n  on: true,\n  tries: 3\n};\n",
        "const a = {\n  on: true\n  tries: 3\n};",
        "x",
      );
      assert.match(message, /Lines 1–4 are the nearest\. The file reads there:\n {5}1\tconst a = \{/);
      assert.match(
        message,
        /Line 2 is the first that differs\. In the file, then in yours:\n {2}on: true,\n {2}on: true\n/,
      );
      assert.match(await refuse("alpha\n", "zzz", "x"), /Nothing like it is among its 1 line: read it again\./);
    });

    it("line numbers in an old_string that does not occur without them either", async () => {
      assert.match(
        await refuse("alpha\nbeta\n", "     1\talpha\n     2\tbetta", "x"),
        /line numbers, which are no part of the file/,
      );
    });

    it("a wrong letter in a file of a megabyte", async () => {
      const lines = Array.from({ length: 16_000 }, (_, at) => `\tconst value${at} = compute(input, ${at}); // "${at}"`);
      const old = lines.slice(8_000, 8_003).join("\n").replace("value8001", "valeu8001");
      const message = await refuse(lines.join("\n"), old, "x");
      assert.match(message, /Lines 8001–8003 are the nearest\..*\n {2}8001\t\tconst value8000/);
      assert.match(
        message,
        /Line 8002 is the first that differs\. In the file, then in yours:\n\tconst value8001.*\n\tconst valeu8001/,
      );
      assert.ok(message.length < 1_000, "a few lines, not the file");
    });

    it("several matches that differ only in indentation", async () => {
      assert.equal(
        await refuse("  a()\n  b()\n\ta()\n\tb()\n", "a()\nb()", "x"),
        "old_string occurs 2 times in f.txt, not exactly but nearly, on lines 1, 3. Add lines around the one you mean, or set replace_all.",
      );
    });

    it("half a character, which no encoding could store", async () => {
      assert.match(await refuse("a\n", "a", "\ud83d"), /half a character/);
    });

    it("an edit that has already been made", async () => {
      assert.equal(
        await refuse("\tone()\n\ttwo()\n", "one() \ntwo()", "one()\ntwo()"),
        "f.txt already contains new_string there: nothing to do. old_string differed in indentation; the replacement was re-indented.",
      );
    });

    it("does not show the text of a file that was not read", async () => {
      const message = await refuse("secret = 1\n", "secret  = 1", "x", false);
      assert.equal(
        message,
        "old_string was not found in f.txt. Line 1 differs from it only in white space. You have not read this file: read it first.",
      );
    });

    it("equal strings, an empty old_string, a missing file, a folder, binary content", async () => {
      assert.match(await refuse("a\n", "a", "a"), /are the same/);
      assert.match(await refuse("a\n", "", "b"), /old_string is empty, which is only for new files/);
      work.put("d/cart.ts", "");
      assert.equal(
        await work.refusal("edit", { file_path: "d/crat.ts", old_string: "a", new_string: "b" }),
        "d/crat.ts does not exist. Did you mean d/cart.ts?",
      );
      assert.equal(
        await work.refusal("edit", { file_path: "d", old_string: "a", new_string: "b" }),
        "d is a folder, not a file.",
      );
      work.put("f.txt", Buffer.from("xOO6w8rAvecK", "base64"));
      assert.match(
        await work.refusal("edit", edit("a", "b")),
        /^f\.txt is not text in UTF-8, and its encoding is not known/,
      );
    });

    it("T12 a file that has changed since it was read", async () => {
      work.put("f.txt", "a\n");
      await work.run("read", { file_path: "f.txt" });
      work.put("f.txt", "a\nb\n");
      const stale = "f.txt has changed since it was read: read it again, then repeat the change.";
      assert.equal(await work.refusal("edit", edit("a", "c")), stale);
      await work.run("read", { file_path: "f.txt" });
      const plan = await work.plan("edit", edit("a", "c"));
      work.put("f.txt", "a\nother\n");
      await assert.rejects(
        plan.run(() => {}),
        { name: "ToolError", message: stale },
      );
      assert.equal(work.text("f.txt"), "a\nother\n");
    });

    it("several edits in a row are not stale", async () => {
      work.put("f.txt", "a b\n");
      await work.run("read", { file_path: "f.txt" });
      await work.run("edit", edit("a", "c"));
      await work.run("edit", edit("b", "d"));
      assert.equal(work.text("f.txt"), "c d\n");
    });

    it("everything in an untrusted workspace", async () => {
      work.dispose();
      work = new TestWorkspace({ trusted: false });
      work.put("f.txt", "a\n");
      assert.match(await work.refusal("edit", edit("a", "b")), /not trusted/);
      assert.match(await work.refusal("write", { file_path: "new", content: "b" }), /not trusted/);
      assert.match(await work.refusal("bash", { command: "true" }), /not trusted/);
      assert.equal((await work.run("read", { file_path: "f.txt" })).output, "     1\ta");
    });
  });
});
