/** The search of "@" in the names of files and folders. */
import assert from "node:assert/strict";
import { FileNames } from "../../src/extension/mentions/file-search.ts";
import { fitting, marksOf } from "../../src/extension/mentions/fuzzy.ts";

const names = new FileNames([
  "README.md",
  "src/cart.ts",
  "src/discount.ts",
  "src/model/CustomerArticle.ts",
  "src/model/cartLine.ts",
  "src/shopping-cart.css",
  "src/fixtures/carts/one.json",
  "src/fixtures/carts/two.json",
  "test/cart.test.ts",
  "docs/überblick.md",
  "docs/购物车.md",
]);
const find = (words: string, most = 20) => names.files(words, most, () => false);
const marked = (name: string, words: string) =>
  marksOf(name, words)
    .map(([from, to]) => name.slice(from, to))
    .join("|");

describe("search of files", () => {
  it("V14 names that begin with the words come first, then words that do, then letters in a row, then single letters", () => {
    assert.deepEqual(find("cart").slice(0, 5), [
      "src/cart.ts",
      "test/cart.test.ts",
      "src/model/cartLine.ts",
      "src/shopping-cart.css",
      "src/model/CustomerArticle.ts",
    ]);
  });

  it("V14 files whose folder fits come after those whose name does", () => {
    const found = find("cart");
    assert.deepEqual(found.slice(-2), ["src/fixtures/carts/one.json", "src/fixtures/carts/two.json"]);
  });

  it("V14 finds paths, also by their end and by a folder's beginning", () => {
    assert.equal(find("src/cart")[0], "src/cart.ts");
    assert.equal(find("model/c")[0], "src/model/cartLine.ts");
    assert.deepEqual(find("carts/t"), ["src/fixtures/carts/two.json"]);
  });

  it("V14 finds letters of any case and any script", () => {
    assert.equal(find("CARTLINE")[0], "src/model/cartLine.ts");
    assert.equal(find("readme")[0], "README.md");
    assert.deepEqual(find("überb"), ["docs/überblick.md"]);
    assert.deepEqual(find("Ü"), ["docs/überblick.md"]);
    assert.deepEqual(find("购物"), ["docs/购物车.md"]);
  });

  it("V14 what is preferred comes first among equals only", () => {
    const found = names.files("cart", 20, (path) => path === "test/cart.test.ts" || path.startsWith("src/model/Cust"));
    assert.deepEqual(found.slice(0, 3), ["test/cart.test.ts", "src/cart.ts", "src/model/cartLine.ts"]);
  });

  it("V14 without words there is only what is preferred", () => {
    assert.deepEqual(
      names.files("", 20, (path) => path === "README.md"),
      ["README.md"],
    );
    assert.deepEqual(find(""), []);
  });

  it("V14 words that are patterns, or that nothing fits, are words", () => {
    for (const words of ["(", "[", "*", "\\", ".*", "a{9}", "zzz", "c++", "$&", "^"]) {
      assert.doesNotThrow(() => find(words), words);
      assert.doesNotThrow(() => marksOf("src/cart.ts", words), words);
    }
    assert.deepEqual(find("zzz"), []);
  });

  it("V14 finds folders with the number of their files, and what is in one", () => {
    assert.deepEqual(names.foldersFor("carts", 3)[0], { path: "src/fixtures/carts/", files: 2 });
    assert.deepEqual(names.inside("src/"), [
      "src/fixtures/",
      "src/model/",
      "src/cart.ts",
      "src/discount.ts",
      "src/shopping-cart.css",
    ]);
    assert.deepEqual(names.inside(""), ["docs/", "src/", "test/", "README.md"]);
    assert.deepEqual(names.inside("nowhere/"), []);
  });

  it("a path relative to a folder further down means the one file that ends so", () => {
    assert.equal(names.onlyWithEnd("model/cartLine.ts"), "src/model/cartLine.ts");
    assert.equal(names.onlyWithEnd("cartLine.ts"), "src/model/cartLine.ts");
    assert.equal(names.onlyWithEnd("Line.ts"), undefined);
    assert.equal(new FileNames(["a/x.ts", "b/x.ts"]).onlyWithEnd("x.ts"), undefined, "two can be meant");
  });

  it("V14 marks the letters that fit: in a row where they are, else each", () => {
    assert.equal(marked("shopping-cart.css", "cart"), "cart");
    assert.equal(marked("CustomerArticle.ts", "cart").replaceAll("|", "").toLowerCase(), "cart");
    assert.equal(marked("cart.ts", ""), "");
    assert.equal(marked("cart.ts", "zzz"), "");
  });

  it("V14 takes no more than asked for, also where everything fits", () => {
    const many = new FileNames(Array.from({ length: 5_000 }, (_, at) => `src/a${at % 70}/file${at}.ts`));
    assert.equal(many.files("f", 3, () => false).length, 3);
    assert.equal(many.files("src/", 7, () => false).length, 7);
    assert.equal(many.foldersFor("a", 3).length, 3);
    assert.equal(new Set(many.files("1", 500, () => false)).size, 500, "each once");
  });

  it("V14 finds names with umlauts, also where a disk keeps them as two characters", () => {
    const all = ["docs/Größe.md".normalize("NFD"), "docs/über uns.md"];
    const umlauts = new FileNames(all);
    for (const words of ["größe", "größe".normalize("NFD"), "docs/grö"]) {
      assert.deepEqual(
        umlauts.files(words, 3, () => false),
        [all[0]],
        words,
      );
    }
    assert.deepEqual(
      umlauts.files("über", 3, () => false),
      [all[1]],
    );
  });

  it("V14 fits single names", () => {
    assert.deepEqual(fitting(["Split the cart module", "Other"], "cart"), [0]);
  });
});
