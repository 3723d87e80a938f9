import assert from "node:assert/strict";
import { decodeConsole, decodeUtf8, type OutputDecoder } from "../../../src/tools/run-command/decode-output.ts";

function all(decode: OutputDecoder, ...pieces: (string | readonly number[])[]): string {
  const bytes = pieces.map((piece) => Buffer.from(piece as string));
  return bytes.map((piece) => decode(piece)).join("") + decode(undefined);
}

describe("bytes of a command's output", () => {
  it("T10 are UTF-8, split anywhere, with U+FFFD for invalid bytes", () => {
    const bytes = [...Buffer.from("aé你👍")];
    for (let at = 0; at <= bytes.length; at++) {
      assert.equal(all(decodeUtf8(), bytes.slice(0, at), bytes.slice(at)), "aé你👍");
      assert.equal(all(decodeConsole(850), bytes.slice(0, at), bytes.slice(at)), "aé你👍");
    }
    assert.equal(all(decodeUtf8(), [0x63, 0xe9, 0x0a]), "c\ufffd\n");
    assert.equal(all(decodeUtf8(), [0x63, 0xe4, 0xbd]), "c\ufffd");
  });

  for (const [codePage, bytes, text] of [
    [437, [0x81, 0xe1, 0xdb, 0x0a], "üß█\n"],
    [850, [0x81, 0xe1, 0x9b, 0xff], "üßø\u00a0"],
    [866, [0x8f, 0xe0], "Пр"],
    [932, [0x93, 0xfa, 0x96, 0x7b], "日本"],
    [936, [0xd6, 0xd0], "中"],
    [949, [0xb0, 0xa1], "가"],
    [950, [0xa4, 0xa4], "中"],
    [1252, [0x80, 0xe9], "€é"],
    [65_001, [0x61, 0xe9], "a\ufffd"],
    [99_999, [0x61, 0xe9], "a\ufffd"],
  ] as const) {
    it(`T10 use the console's code page ${codePage} when they are not UTF-8`, () => {
      assert.equal(all(decodeConsole(codePage), "ok é ", bytes), `ok é ${text}`);
    });
  }

  it("T10 a split character of a code page is joined", () => {
    assert.equal(all(decodeConsole(932), [0x93], [0xfa, 0x96], [0x7b]), "日本");
  });
});
