/** Literal matches in texts, in linear time. */
import assert from "node:assert/strict";
import { QueryMatcher } from "../../webview/find/query-matcher.ts";
import { stopwatch } from "../timing.ts";

const starts = (query: string, text: string) => new QueryMatcher(query).starts(text);

describe("the matcher of find", () => {
  it("U11 has no regard to case, unless the query has a capital letter", () => {
    assert.deepEqual(starts("cart", "Cart cart CART"), [0, 5, 10]);
    assert.deepEqual(starts("Cart", "Cart cart CART"), [0]);
    assert.deepEqual(starts("ΟΔΟΣ".toLowerCase(), "οδος ΟΔΟΣ"), [0, 5], "a letter with two small forms");
    assert.deepEqual(starts("i", "İi"), [1], "a sign that would become two keeps its place");
  });

  it("U11 takes every sign as it is, and all white space alike", () => {
    assert.deepEqual(starts("a.*(b", "a.*(b ab"), [0]);
    assert.deepEqual(starts("one two", "one\ntwo one\ttwo one\u00A0two"), [0, 8, 16]);
    assert.deepEqual(starts("👍", "a👍👍🏽"), [1, 3]);
    assert.deepEqual(starts("שלום", "(שלום)"), [1]);
  });

  it("U11 finds matches that begin within what nearly was one, and none that overlap", () => {
    assert.deepEqual(starts("abab", "abaabababab"), [3, 7]);
    assert.deepEqual(starts("aa", "aaaaa"), [0, 2]);
    assert.deepEqual(starts("aab", "aaaab"), [2]);
    assert.deepEqual(starts("", "abc"), []);
    assert.equal(new QueryMatcher("aa").count("aaaaa"), 2);
  });

  it("U11 is done with a query of 10,000 signs that nearly matches everywhere", () => {
    const text = "a".repeat(5_000_000);
    const elapsed = stopwatch();
    assert.equal(new QueryMatcher(`${"a".repeat(10_000)}b`).count(text), 0);
    // Each place compared with the whole query would take minutes.
    assert.ok(elapsed() < 5000, `${elapsed()} ms`);
  });
});
