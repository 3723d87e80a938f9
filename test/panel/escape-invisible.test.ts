/** Invisible characters are shown by code point. */
import assert from "node:assert/strict";
import { escapeInvisible } from "../../webview/text/escape-invisible.ts";

describe("hidden characters", () => {
  it("are escaped: bidirectional controls, zero-width characters and terminal controls", () => {
    assert.equal(escapeInvisible("a\u202egpj.exe\u202c"), "a[U+202E]gpj.exe[U+202C]");
    assert.equal(escapeInvisible("\u001b[31m z\u200bz r\u200dm a\rb"), "[U+001B][31m z[U+200B]z r[U+200D]m a[U+000D]b");
    assert.equal(escapeInvisible("\u{e0041}\u2028"), "[U+E0041][U+2028]");
  });

  it("do not include tabs, line ends, words of any script and emoji", () => {
    const text = "a\tb\r\nc\n é 日本 שלום 👨‍👩‍👧 👩🏽‍💻 ❤️‍🔥\r";
    assert.equal(escapeInvisible(text), text);
  });
});
