/** Places in files that a text names. */
import assert from "node:assert/strict";
import { hrefOf, parseLink } from "../../webview/markdown/link-target.ts";
import { placesIn } from "../../webview/markdown/places.ts";

const cwd = "/home/dev/shop";
const windows = "C:\\work\\shop";
/** Returns each place with the text that stands for it. */
const found = (text: string, folder = cwd) =>
  placesIn(text, folder).map(({ start, end, path, line, lastLine }) => {
    const lines = lastLine === undefined ? `${line}` : `${line}–${lastLine}`;
    return `${text.slice(start, end)} → ${path} ${lines}`;
  });

describe("places in a text", () => {
  it("are found in sentences and in the output of programs", () => {
    for (const [text, ...expected] of [
      ["See src/a.ts:25.", "src/a.ts:25 → src/a.ts 25"],
      ["In src/a.ts:31-33, and src/b.ts:4–9", "src/a.ts:31-33 → src/a.ts 31–33", "src/b.ts:4–9 → src/b.ts 4–9"],
      ["src/a.ts:25:3: error TS2322", "src/a.ts:25:3 → src/a.ts 25"],
      ["src/a.ts(25,3): error TS2322", "src/a.ts(25,3) → src/a.ts 25"],
      // MSVC, PHP and .NET.
      ["src/a.c(25): error C2143, src/b.c(4) : note", "src/a.c(25) → src/a.c 25", "src/b.c(4) → src/b.c 4"],
      ["#1 /home/dev/shop/src/a.php(25): total()", "/home/dev/shop/src/a.php(25) → src/a.php 25"],
      ["   at T() in /home/dev/shop/src/a.cs:line 25", "/home/dev/shop/src/a.cs:line 25 → src/a.cs 25"],
      ["a.b(25), src/a.ts:lines 3"],
      ["    at total (/home/dev/shop/src/a.ts:25:3)", "/home/dev/shop/src/a.ts:25:3 → src/a.ts 25"],
      ["    at file:///home/dev/shop/src/a%20b.ts:25:3", "file:///home/dev/shop/src/a%20b.ts:25:3 → src/a b.ts 25"],
      ['  File "src/my code/a.py", line 25, in f', 'src/my code/a.py", line 25 → src/my code/a.py 25'],
      [" ❯ test/cart.test.ts:58:31", "test/cart.test.ts:58:31 → test/cart.test.ts 58"],
      ["src/a.ts#L25-L30, src/a.ts#L2-4", "src/a.ts#L25-L30 → src/a.ts 25–30", "src/a.ts#L2-4 → src/a.ts 2–4"],
      ["src/a.ts:9-3, src/a.ts:5-5", "src/a.ts:9-3 → src/a.ts 9", "src/a.ts:5-5 → src/a.ts 5"],
      ["main.go:4-9", "main.go:4-9 → main.go 4–9"],
      ["./src/a.ts 25:3-30, ./src/a.ts:25:3-30", "./src/a.ts:25:3-30 → src/a.ts 25"],
      ["./main.go:4:2: undefined", "./main.go:4:2 → main.go 4"],
      ["src/a.ts:15:export const a = 1", "src/a.ts:15 → src/a.ts 15"],
      ["app/(shop)/[id]/page.tsx:3", "app/(shop)/[id]/page.tsx:3 → app/(shop)/[id]/page.tsx 3"],
      ["[src/a.ts:3] (src/b.ts:4)", "src/a.ts:3 → src/a.ts 3", "src/b.ts:4 → src/b.ts 4"],
      ["error:src/a.ts:3", "src/a.ts:3 → src/a.ts 3"],
      ["src/x/../a.ts:3", "src/x/../a.ts:3 → src/a.ts 3"],
      ["Makefile:12: *** missing", "Makefile:12 → Makefile 12"],
      ["größe/日本.ts:3", "größe/日本.ts:3 → größe/日本.ts 3"],
    ] as const) {
      assert.deepEqual(found(text), expected, text);
    }
  });

  it("are written into a link, and read from it, with their lines", () => {
    for (const lines of [
      [undefined, undefined],
      [25, undefined],
      [25, 30],
    ] as const) {
      const [line, lastLine] = lines;
      const read = parseLink(hrefOf("a b/c#1%:2.ts", line, lastLine));
      assert.deepEqual(read, { type: "file", path: "a b/c#1%:2.ts", line, lastLine });
    }
    for (const [href, line, lastLine] of [
      ["a.ts#L3-L9", 3, 9],
      ["a.ts#L3-9", 3, 9],
      ["a.ts:3-9", 3, 9],
      ["a.ts:3–9", 3, 9],
      ["a.ts:3:9", 3, undefined],
      ["a.ts:9-3", 9, undefined],
    ] as const) {
      assert.deepEqual(parseLink(href), { type: "file", path: "a.ts", line, lastLine }, href);
    }
  });

  it("are those of Windows where the session's folder is", () => {
    assert.deepEqual(found("src\\a.ts:25:3", windows), ["src\\a.ts:25:3 → src/a.ts 25"]);
    assert.deepEqual(found("at f (c:\\work\\shop\\src\\a.ts:25:3)", windows), [
      "c:\\work\\shop\\src\\a.ts:25:3 → src/a.ts 25",
    ]);
    assert.deepEqual(found("file:///C:/work/shop/a.ts:2", windows), ["file:///C:/work/shop/a.ts:2 → a.ts 2"]);
    // At the beginning of the text, as in inline code.
    assert.deepEqual(found("C:\\work\\shop\\a.ts:2", windows), ["C:\\work\\shop\\a.ts:2 → a.ts 2"]);
    assert.deepEqual(found("D:\\work\\shop\\a.ts:2", windows), []);
    assert.deepEqual(found("D:\\work\\shop\\a.ts:2", windows), []);
  });

  it("are not: times, addresses, versions, and lines that are none", () => {
    for (const text of [
      "at 12:30:45, ratio 3:4",
      "http://localhost:3000 and https://example.com/a.ts:25",
      "example.com:443, 127.0.0.1:8080, shop.local:80",
      "version 1.2.3:4, a.ts:0, a.ts:12345678, a.ts:12px",
      '{"a.b":12, "file": 3}',
      "std::vec:3, Foo::bar:12, node:internal/modules:3",
      "a.ts: 25, a.ts :25, :25",
    ]) {
      assert.deepEqual(found(text), [], text);
    }
  });

  it("lead nowhere outside of the session's folder", () => {
    for (const text of [
      "/etc/passwd.txt:1",
      "../secrets.txt:1",
      "src/../../secrets.txt:1",
      "/home/dev/shop-2/a.ts:1",
      "/home/dev/shop/../other/a.ts:1",
      "~/notes.txt:1",
      "//server/share/a.ts:1",
      "\\\\server\\share\\a.ts:1",
      "file://server/share/a.ts:1",
      "file:///etc/passwd.txt:1",
      "file:///home/dev/shop/%2e%2e/a.ts:1",
      "file:///home/dev/shop/a%00.ts:1",
      'File "../../etc/passwd.txt", line 1',
      'File "command:x.y", line 1',
      "src/a\u202e.ts:1",
    ]) {
      for (const folder of [cwd, windows, ""]) {
        const outside = placesIn(text, folder).filter(({ path }) => path.includes("..") || path.includes(":"));
        assert.deepEqual(outside, [], `${text} in ${folder}`);
      }
      assert.deepEqual(found(text), [], text);
    }
  });

  it("are found in time that grows with the text alone", () => {
    const time = (text: string) => {
      const before = process.cpuUsage();
      placesIn(text, cwd);
      return process.cpuUsage(before).user / 1000;
    };
    for (const piece of [
      "a",
      "(",
      ")",
      "a/",
      ":1",
      "a:1",
      '"',
      '", line 1',
      "a.ts:1",
      `${"a".repeat(400)}:1 `,
      ")]:1",
    ]) {
      const text = piece.repeat(Math.ceil(400_000 / piece.length));
      const ms = Math.min(time(text), time(text));
      assert.ok(ms < 1500, `${piece.slice(0, 10)}: ${ms} ms`);
    }
  });
});
