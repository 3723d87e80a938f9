/** Which inline code names a symbol, and which symbols of a language service it means. */
import assert from "node:assert/strict";
import { isSymbol, writtenSymbol } from "../../src/chat/symbol-names.ts";

describe("symbols in inline code", () => {
  it("are names, with what encloses them, and calls", () => {
    for (const [code, containers, name] of [
      ["parseConfig", [], "parseConfig"],
      ["Cart.total()", ["Cart"], "total"],
      ["Cart#total", ["Cart"], "total"],
      ["std::vector::push_back(x, y)", ["std", "vector"], "push_back"],
      ["$store", [], "$store"],
      ["größe()", [], "größe"],
      ["a.b.d", ["a", "b"], "d"],
    ] as const) {
      assert.deepEqual(writtenSymbol(code), { containers, name, isPlain: false }, code);
    }
    assert.deepEqual(writtenSymbol("total"), { containers: [], name: "total", isPlain: true });
  });

  it("are not: paths, files, commands, expressions, and what is long", () => {
    for (const code of [
      "",
      "src/a.ts",
      "a.ts",
      "package.json",
      "npm test",
      "--force",
      "a.ts:25",
      "1.2.3",
      "a + b",
      "f(g(x))",
      "f()()",
      "a..b",
      "a.",
      "<T>",
      "command:workbench.x",
      "a\u202eb",
      "a.b.c.d.e.f.g.h",
      `f(${"x".repeat(61)})`,
      "x".repeat(121),
    ]) {
      assert.equal(writtenSymbol(code), undefined, code);
    }
  });

  it("mean symbols of this very name, in what encloses them", () => {
    const means = (code: string, name: string, container = "") => {
      const written = writtenSymbol(code);
      return written !== undefined && isSymbol(written, { name, container });
    };
    assert.ok(means("Cart.total()", "total", "Cart"));
    assert.ok(means("Cart.total()", "total(int, int)", "shop.Cart"), "as in Java");
    assert.ok(means("Cart.total()", "Cart.total"), "as in Go");
    assert.ok(means("Cart.total()", "total", "Cart<T>"));
    assert.ok(means("total()", "total", "Cart"));
    assert.ok(means("std::vector", "vector", "std"));
    assert.ok(!means("Cart.total()", "total", "Basket"));
    assert.ok(!means("Cart.total()", "total"));
    assert.ok(!means("Cart.total()", "totals", "Cart"));
    assert.ok(!means("Shop.Cart.total()", "total", "Cart"));
    assert.ok(!means("total()", "Total"));
  });

  it("are judged in time that grows with the text alone", () => {
    for (const piece of ["a", "a.", "a::", "(", "f(", "$"]) {
      const before = process.cpuUsage();
      for (let length = 0; length < 2000; length++) writtenSymbol(piece.repeat(length));
      assert.ok(process.cpuUsage(before).user < 1_500_000, piece);
    }
  });
});
