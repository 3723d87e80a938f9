import assert from "node:assert/strict";
import fc from "fast-check";
import { DisplaySanitizer, PlainTextRenderer } from "../../../src/tools/run-command/plain-text.ts";
import { randomly } from "../../random.ts";

function plain(...pieces: string[]): string {
  let out = "";
  const lines = new PlainTextRenderer((text) => {
    out += text;
  });
  for (const piece of pieces) lines.push(piece);
  lines.end();
  return out;
}

function seen(...pieces: string[]): string {
  const eye = new DisplaySanitizer();
  return pieces.map((piece) => eye.push(piece)).join("");
}

interface Case {
  title: string;
  output: string;
  /** For the model. */
  plain: string;
  /** For the terminal. */
  eye: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is about control characters
const eyeOnly = /^(\x1b\[[\d;:]*[mKG]|[\0\t\n\r\b]|\P{Cc})*$/u;
const colour = "\x1b[1;31mred\x1b[0m";
const cases: Case[] = [
  { title: "plain text", output: "a\tb\nc", plain: "a\tb\nc", eye: "a\tb\nc" },
  { title: "colours", output: `${colour}\n`, plain: "red\n", eye: `${colour}\n` },
  { title: "true colours", output: "\x1b[38:2::1:2:3mx", plain: "x", eye: "\x1b[38:2::1:2:3mx" },
  { title: "CRLF", output: "a\r\nb\r\n", plain: "a\nb\n", eye: "a\r\nb\r\n" },
  { title: "CR CR LF", output: "a\r\r\nb", plain: "a\nb", eye: "a\r\r\nb" },
  { title: "a progress bar", output: "10%\r20%\r100%\n", plain: "100%\n", eye: "10%\r20%\r100%\n" },
  { title: "a cleared progress bar", output: "10%\r\x1b[Kok\n", plain: "ok\n", eye: "10%\r\x1b[Kok\n" },
  { title: "a cleared line", output: "10%\x1b[2K\rok", plain: "ok", eye: "10%\x1b[2K\rok" },
  { title: "a line cleared without new text", output: "10%\r\x1b[K", plain: "", eye: "10%\r\x1b[K" },
  { title: "a progress bar that was not overwritten", output: "100%\r", plain: "100%", eye: "100%\r" },
  { title: "to the first column", output: "10%\x1b[1G20%", plain: "20%", eye: "10%\x1b[1G20%" },
  { title: "backspaces", output: "|\b/\b-\bdone", plain: "done", eye: "|\b/\b-\bdone" },
  { title: "backspaces over a whole character", output: "👍\bx", plain: "x", eye: "👍\bx" },
  { title: "backspaces at the end", output: "10%\b\b\b\n", plain: "10%\n", eye: "10%\b\b\b\n" },
  { title: "bold text as in manual pages", output: "N\bNA\bA", plain: "NA", eye: "N\bNA\bA" },
  { title: "moving the cursor back", output: "10%\x1b[3D20%", plain: "20%", eye: "10%20%" },
  { title: "a title", output: "\x1b]0;title\x07text", plain: "text", eye: "text" },
  { title: "a title with ST", output: "\x1b]2;title\x1b\\text", plain: "text", eye: "text" },
  {
    title: "a link",
    output: "\x1b]8;;https://evil.invalid\x1b\\safe\x1b]8;;\x1b\\ text",
    plain: "safe text",
    eye: "safe text",
  },
  { title: "a clipboard write", output: "\x1b]52;c;cm0gLXJmIC8=\x07ok", plain: "ok", eye: "ok" },
  { title: "shell integration marks", output: "\x1b]633;C\x07out\x1b]633;D;0\x07", plain: "out", eye: "out" },
  { title: "an image", output: "\x1bPq#0;2;0;0;0~-\x1b\\text", plain: "text", eye: "text" },
  { title: "a query to the terminal", output: "\x1bP$qm\x1b\\\x1b[c\x1b[6n\x1b[21tok", plain: "ok", eye: "ok" },
  { title: "an answerback", output: "\x05ok", plain: "ok", eye: "ok" },
  {
    title: "private, start of string and program strings",
    output: "\x1b^a\x1b\\b\x1bXc\x1b\\d\x1b_e\x1b\\f",
    plain: "bdf",
    eye: "bdf",
  },
  {
    title: "the alternate screen, mouse and paste modes",
    output: "\x1b[?1049h\x1b[?1000h\x1b[?2004hok",
    plain: "ok",
    eye: "ok",
  },
  { title: "overwriting the lines above", output: "a\n\x1b[1A\x1b[2J\x1b[Hb", plain: "a\nb", eye: "a\nb" },
  { title: "a reset and other letters", output: "\x1bc\x1b(0a\x1b)B\x1b=b", plain: "ab", eye: "ab" },
  { title: "bells", output: "\x07a\x07", plain: "a", eye: "a" },
  { title: "one-character forms", output: "\x9b31mred\x9d0;title\x9cok\x85", plain: "redok", eye: "\x1b[31mredok" },
  {
    title: "an unterminated string, up to the end of its line",
    output: "\x1b]0;title\nnext",
    plain: "\nnext",
    eye: "\nnext",
  },
  { title: "an incomplete sequence", output: "\x1b[31\nnext", plain: "\nnext", eye: "\nnext" },
  { title: "a sequence inside a sequence", output: "\x1b[31\x1b[0mx", plain: "x", eye: "\x1b[0mx" },
  { title: "null characters", output: "a\0\0\0b", plain: "a␀b", eye: "a\0\0\0b" },
];

describe("output as plain text", () => {
  for (const { title, output, plain: lines, eye } of cases) {
    it(`T10 for the model: ${title}`, () => assert.equal(plain(output), lines));
    it(`T10 for the terminal: ${title}`, () => assert.equal(seen(output), eye));
  }

  it("T10 is the same wherever the output is split", () => {
    for (const { title, output, plain: lines, eye } of cases.filter(({ title }) => title !== "null characters")) {
      for (let at = 1; at < output.length; at++) {
        // Bytes are decoded before, so it never gets half a character.
        if (!output.slice(0, at).isWellFormed()) continue;
        assert.equal(plain(output.slice(0, at), output.slice(at)), lines, `${title}, cut at ${at}`);
        assert.equal(seen(output.slice(0, at), output.slice(at)), eye, `${title}, cut at ${at}`);
      }
      assert.equal(plain(...output), lines, title);
    }
  });

  randomly("T10 the model gets plain text, and a terminal nothing that affects other lines", () => {
    const bits = [
      "a",
      "é",
      "\n",
      "\r",
      "\b",
      "\t",
      "\0",
      "\x07",
      "\x1b",
      "\x1b[",
      "31",
      ";",
      "?",
      "m",
      "K",
      "H",
      "]",
      "52",
      "P",
      "\\",
      "\x9b",
      "\x9d",
      "\x9c",
      "(",
      "0",
      "c",
      "\x18",
    ];
    const output = fc.array(fc.constantFrom(...bits), { maxLength: 40 });
    fc.assert(
      fc.property(output, fc.nat(), (pieces, at) => {
        const whole = pieces.join("");
        const lines = plain(whole);
        assert.match(lines, /^[\t\n\P{Cc}]*$/u);
        assert.match(seen(whole), eyeOnly);
        assert.equal(seen(seen(whole)), seen(whole));
        const cut = at % (whole.length + 1);
        assert.equal(seen(whole.slice(0, cut), whole.slice(cut)), seen(whole));
      }),
      { numRuns: 1_000 },
    );
  });

  it("an unterminated terminal string is shown in the end", () => {
    assert.ok(
      plain(
        "\x1b]0;",
        ..."x"
          .repeat(12)
          .split("")
          .map((x) => x.repeat(100_000)),
        "end",
      ).endsWith("end"),
    );
  });

  it("buffers at most one line, and little of a long one", () => {
    let out = 0;
    const lines = new PlainTextRenderer((text) => {
      out += text.length;
    });
    for (let piece = 0; piece < 100; piece++) lines.push("x".repeat(1_000));
    assert.ok(out >= 90_000);
  });

  it("returns the incomplete last line", () => {
    const lines = new PlainTextRenderer(() => {});
    lines.push("a\nPass\x1b[1mword: ");
    assert.equal(lines.open, "Password: ");
  });
});
