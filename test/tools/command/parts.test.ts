// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of the shell
/** The parts of words, code and texts that may name files (T8). `…` is unknown text. */
import assert from "node:assert/strict";
import { filesInCode } from "../../../src/tools/command/code.ts";
import { guessedPaths, likelyPaths, likelyPatterns, pathWords } from "../../../src/tools/command/paths.ts";
import { marks } from "../../../src/tools/command/shell/pattern.ts";
import { windowsPlaces } from "../../../src/tools/command/windows/windows-files.ts";
import { windowsWords } from "../../../src/tools/command/windows/windows-words.ts";

const shown = (texts: readonly string[]) => texts.map((text) => text.replaceAll(marks.any, "…"));

describe("T8 what may name a file", () => {
  const inCode: [program: string, words: string[], files: string[]][] = [
    ["python3", ["f('a.b')"], ["a.b"]],
    ["node", ["f(\"a b\", 'c.d')"], ["a b", "c.d"]],
    ["perl", ["-ne", 'open F, "<x.y"'], ["<x.y", "x.y"]],
    ["ruby", ["x `cat a.b`"], ["cat a.b", "cat", "a.b"]],
    ["awk", ["a.b/c"], []],
    ["vim", ["-c", ":r a/b"], ["a/b"]],
    ["make", ["X='a/b'"], ["a/b"]],
    ["ssh", ["host", "cat a/b"], ["a/b"]],
    ["xargs", ["sh -c 'a/b'"], ["a/b"]],
    ["node", ["f('\\x2e')"], []],
    ["node", ['{a:"b.c"}'], ["b.c"]],
    ["node", ["f('a;b.c|d.e')"], ["a;b.c|d.e", "b.c", "d.e"]],
    ["node", ["f('x,y=z@w')"], ["x,y=z@w"]],
    ["node", ["a=[./b]"], ["[./b]"]],
    ["node", ["f(../a, ~/b, .c)"], ["../a", "~/b", ".c"]],
    ["node", ["a.b/c; (d/e)"], ["a.b/c", "d/e"]],
    ["node", ["f(\"a\" + 'b')"], ["ab"]],
    ["node", ["f('a' + 'b' + 'c.d')"], ["c.d", "abc.d"]],
    ["jq", ["a/b"], []],
    ["yq", ['load("a.b")'], ["a.b"]],
    ["mawk", ['{print > "a.b"}'], ["a.b"]],
    ["sed", ["W a;R b"], ["a", "b"]],
    ["sed", ["/x/r a"], ["a"]],
    ["sed", ["$r a"], ["a"]],
    ["sed", ["{r a}"], ["a"]],
    ["sed", ["!w a"], ["a"]],
    ["sedx", ["r a"], []],
    ["Rscript", ["f('a.b')"], ["a.b"]],
    ["xnode", ["f('a.b')"], []],
    ["nodex", ["f('a.b')"], []],
    ["node", ["f('\\u{110000}a')"], ["u{110000}a"]],
    ["node", ["f('\\n')"], []],
    ["node", ["f('[a')"], ["[a"]],
    ["node", ["f('a*b c')"], ["a*b"]],
    ["node", ["f('a*b')"], ["a*b"]],
  ];
  for (const [program, words, files] of inCode)
    it(`code: ${program} ${words.join(" ")}`, () =>
      assert.deepEqual(shown(filesInCode(program, words, undefined)), files));

  it("here-documents are code for interpreters alone", () => {
    assert.deepEqual(filesInCode("python3", ["-"], "open('.env')"), [".env"]);
    assert.deepEqual(filesInCode("cat", [], "open('.env')"), []);
    assert.deepEqual(filesInCode("jq", [], "open('.env')"), []);
  });

  it("names in code are shorter than 300 characters, and at most 200", () => {
    assert.deepEqual(filesInCode("node", [`f('${"a".repeat(300)}')`], undefined), []);
    assert.equal(filesInCode("node", [`f('${"a".repeat(299)}')`], undefined).length, 1);
    const many = Array.from({ length: 201 }, (_, at) => `'a${at}'`).join();
    assert.equal(filesInCode("node", [`f(${many})`], undefined).length, 200);
  });

  const named: [words: string[], paths: string[]][] = [
    [
      ["x", "a", "-b", "--c=d", "-I../e", "-ff", "5", "-", "if=/g", "=h"],
      ["a", "d", "../e", "if=/g", "/g", "=h", "h"],
    ],
    [
      ["./x", "a"],
      ["./x", "a"],
    ],
    [["/usr/bin/x", "a"], ["a"]],
    [["grep", "a", "b"], ["b"]],
    [["grep", "-e", "a", "b"], ["b"]],
    [["rg", "--files", "a"], ["a"]],
    [
      ["git", "show", "HEAD:a.b"],
      ["show", "HEAD:a.b", "a.b"],
    ],
    [
      ["git", "log", ":(top)a", ":/b", ":!c", "d:e:f", "x:/y", "x: y", "x:~y"],
      ["log", ":(top)a", ":/b", ":!c", "d:e:f", "x:/y", "x: y", "x:~y", "a", "b", "c", "e:f", "f"],
    ],
    [["cat", "HEAD:a"], ["HEAD:a"]],
    [
      ["x", "-I/a", "-Iab", "-xy~z", "-1/a"],
      ["/a", "~z"],
    ],
    [["x", "0", "12a", ""], ["12a"]],
  ];
  for (const [words, paths] of named) it(`words: ${words.join(" ")}`, () => assert.deepEqual(pathWords(words), paths));

  const guessed: [words: string[], paths: string[]][] = [
    [
      ["curl", "-d@a.b"],
      ["-d", "a.b"],
    ],
    [
      ["curl", "-F", "x=@a.b;type=c"],
      ["a.b", "type"],
    ],
    [["curl", "file:///a/b%2ec"], ["/a/b.c"]],
    [["curl", "https://a/b:c"], []],
    [["scp", "h:a.b"], ["a.b"]],
    [
      ["docker", "-v", "~/a:/b"],
      ["~/a", "/b"],
    ],
    [["grep", "-f.ab", "x"], [".ab"]],
    [["x", "a,bc"], ["bc"]],
    [
      ["x", "ab\\:cd"],
      ["ab", "cd"],
    ],
    [["x", "-xa"], []],
    [["x", "-xabc"], ["abc"]],
    [["x", "a"], []],
    [
      ["x", "--a=bc"],
      ["--a", "bc"],
    ],
    [
      ["x", "a<bc>de"],
      ["bc", "de"],
    ],
    [
      ["grep", "a:bc", "de:fg"],
      ["de", "fg"],
    ],
    [
      ["grep", "-e", "a:bc", "de:fg"],
      ["de", "fg"],
    ],
    [["x", "FILE://h/ab"], ["/ab"]],
    [["x", "a:"], []],
    [["x", "a:b"], []],
  ];
  for (const [words, paths] of guessed)
    it(`parts of words: ${words.join(" ")}`, () => assert.deepEqual(guessedPaths(words), paths));

  const likely: [text: string, paths: string[]][] = [
    ["a /b ~/c ./d e/f", ["/b", "~/c", "./d", "e/f"]],
    ["x=$HOME/a ${HOME}/b $HOMES/c", ["~/a", "~/b", "$HOMES/c"]],
    ["a;/b&/c|/d</e>/f(/g)`/h`\"/i\"'/j',/k={/l}", ["/b", "/c", "/d", "/e", "/f", "/g", "/h", "/i", "/j", "/k", "/l"]],
    ["a .b c.d", [".b"]],
  ];
  for (const [text, paths] of likely) it(`text: ${text}`, () => assert.deepEqual(likelyPaths(text), paths));

  const partly: [text: string, patterns: string[]][] = [
    ["a $(b) c", ["a", "c"]],
    ["a `b` ${c} $d $@ $# $?", ["a"]],
    ["$HOME/a ${HOME}/b", ["~/a", "~/b"]],
    ["$(a $(b $(c $(d))))", ["$(a", "$(b", "a", "b"]],
    ["$((1))x", ["…x"]],
    ["{a,b}.c", ["a.c", "b.c", "{a", "b}.c"]],
    ["a'b'\"c\"\\\nd", ["abcd"]],
    ["a=b", ["a=b", "a", "b"]],
    ["a|b", ["a|b", "a", "b"]],
    ["-- ; &", []],
    ["x$(a)y", ["x…y"]],
    ["a(b)c", ["a(b)c", "a", "b", "c"]],
  ];
  for (const [text, patterns] of partly)
    it(`text with unknown parts: ${JSON.stringify(text)}`, () =>
      assert.deepEqual(shown(likelyPatterns(text)), patterns));

  it("of a long text the first 100 paths and 300 patterns count", () => {
    const text = Array.from({ length: 400 }, (_, at) => `/a${at}`).join(" ");
    assert.equal(likelyPaths(text).length, 100);
    assert.equal(likelyPatterns(text).length, 300);
  });

  const places: [word: string, ...places: string[]][] = [
    ["a", "a"],
    [".env", ".env"],
    ["a\\b", "a/b"],
    ["-Path:a", "a"],
    ["-Path=a", "a"],
    ["/g:a", "/g:a", "a"],
    ["--data=a", "a"],
    ["-d@a", "a"],
    ["@a", "@a", "a"],
    ["x=a", "x=a", "a"],
    ["x=", "x="],
    ["type.\\a", "type/a", "./a"],
    ["cd..", "cd", ".."],
    ["copy/a", "copy/a"],
    ["typea", "typea"],
    ["http://x/a"],
    ["file:///C:/a", "C:/a"],
    ["file://localhost/C:/a", "C:/a"],
    ["file:///a/b", "/a/b"],
    ["file://host/a", "host/a"],
    ["FileSystem::a", "a"],
    ["Microsoft.PowerShell.Core\\FileSystem::a", "a"],
    ["Environment::", "(environment)"],
    ["Registry::a", "(elsewhere)"],
    ["Certificate::a", "(elsewhere)"],
    ["Function::a", "(elsewhere)"],
    ["Other::a", "Other"],
    ["Env:", "(environment)"],
    ["env:\\*", "(environment)"],
    ["Env:/", "(environment)"],
    ["env:PATH", "(elsewhere)"],
    ["env:P*", "(environment)"],
    ["HKLM:\\a", "(elsewhere)"],
    ["cert:\\a", "(elsewhere)"],
    ["C:\\a", "C:/a"],
    ["C:a", "C:a"],
    ["\\\\host\\a", "(elsewhere)"],
    ["//host/a", "(elsewhere)"],
    ["\\\\?\\C:\\a", "C:/a"],
    ["\\\\.\\C:\\a", "C:/a"],
    ["\\\\?\\UNC\\host\\a", "(elsewhere)"],
    ["\\\\.\\Disk0", "(elsewhere)"],
    ["-a"],
    ["–a"],
    ["/s"],
    ["/a/b", "/a/b"],
    ["/abcd", "/abcd"],
    ["/abc"],
    ["/?"],
    ["a.", "a"],
    ["a..", "a"],
    ["a. .", "a"],
    [".", "."],
    ["..", ".."],
    ["...", "..."],
    ["a::$DATA", "a::$DATA"],
    ["a:b", "a:b"],
    ["ABCDEF~1", "*AB*"],
    ["AB~1.TXT", "*AB*.TXT*"],
    ["A~12.C", "*A*.C*"],
    ["ABCDEFG~1", "ABCDEFG~1"],
    ["a~b", "a~b"],
    ["A~1.", "*A*"],
    ["src/AB~1/c", "src/*AB*/c"],
    ["a /b", "a/b"],
    [" a", " a"],
    ["=a", "=a", "a"],
    ["a=b=c", "a=b=c", "b=c"],
    ["-x:y:z", "y:z"],
    ["x:/y", "x:/y"],
    ["1:a", "1"],
  ];
  for (const [word, ...found] of places) {
    it(`Windows: ${word}`, () => {
      const names = windowsPlaces(word).map((place) => (place.type === "path" ? place.path : `(${place.type})`));
      assert.deepEqual(names, found);
    });
  }

  const words: Record<"powershell" | "cmd", [command: string, words: string[]][]> = {
    powershell: [
      ["a 'b c'", ["a", "b", "c", "b c"]],
      ['a "b $x c"', ["a", "b", "…", "c", "b … c"]],
      ["a $HOME/b", ["a", "~/b"]],
      ["a ${PWD}\\b", ["a", ".\\b"]],
      ['a "$env:USERPROFILE\\b"', ["a", "~\\b"]],
      ["a `b`nc", ["a", "bnc"]],
      ["a $(b c) d", ["a", "…b", "c", "d"]],
      ["a 'b''c'", ["a", "bc", "b'c"]],
      ['a "b""c"', ["a", "bc", 'b"c']],
      ["a 'b' + 'c'", ["a", "bc"]],
      ["a @'\nb c\n'@ d", ["a", "b", "c", "b c", "d"]],
      ['a @"\nb\n"@', ["a", "b"]],
      ["a @'\nb", ["a", "b"]],
      ["a;b|c&d(e)f{g},h<i>j", ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]],
      ["a ‘b’ “c”", ["a", "b", "c"]],
      ['a "$(pwd)/b" "$(x)/c"', ["a", "./b", "…/c"]],
      ["a 'b", ["a", "b"]],
      ['a "b', ["a", "b"]],
      ["a $x$y", ["a", "…"]],
      ["a 'b;c d'", ["a", "b", "c", "d", "b;c d"]],
      ["a '(\"(e f)\")'", ["a", "e", "f", "(e f)", '("(e f)")']],
      ["a $env:PWD/b", ["a", "./b"]],
      ["a '$x'", ["a", "$x"]],
      ['a "`$x `"y"', ["a", "…", "y", '… "y']],
      ["a $_ $? $^", ["a", "…", "…", "…"]],
      ["a b`\r\nc", ["a", "bc"]],
    ],
    cmd: [
      ['a "b c" d', ["a", "b", "c", "b c", "d"]],
      ["a b^c^^d", ["a", "bc^d"]],
      ["a %X%b %CD%\\c %USERPROFILE%\\d !X!e %1 %%i %~dp0", ["a", "…b", ".\\c", "~\\d", "…e", "…", "…", "…"]],
      ["a;b,c=d&e|f(g)h<i>j+k@l", ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]],
      ["a b^\nc", ["a", "bc"]],
      ['a "%X%"', ["a", "…"]],
      ['a "b', ["a", "b"]],
      ["a %HOME% !CD! !HOMEDRIVE%%HOMEPATH!", ["a", "~", ".", "~"]],
      ["a% b", ["a%", "b"]],
      ['a "b;c d"', ["a", "b", "c", "d", "b;c d"]],
      ["a b^", ["a", "b"]],
    ],
  };
  for (const shell of ["powershell", "cmd"] as const) {
    for (const [command, found] of words[shell])
      it(`${shell}: ${JSON.stringify(command)}`, () => assert.deepEqual(shown(windowsWords(command, shell)), found));
  }
});
