import assert from "node:assert/strict";
import { test } from "node:test";
import { add, format, remove, subtotal, total } from "../src/cart.js";

const tea = { name: "tea", cents: 335 };
const bread = { name: "bread", cents: 335 };
const honey = { name: "honey", cents: 335 };
const plum = { name: "plum", cents: 40 };

test("adds a product", () => {
  assert.deepEqual(add([], tea), [{ name: "tea", cents: 335, quantity: 1 }]);
});

test("adds more of the same product", () => {
  assert.deepEqual(add(add([], plum, 2), plum, 3), [{ name: "plum", cents: 40, quantity: 5 }]);
});

test("removes a product", () => {
  assert.deepEqual(remove(add(add([], tea), plum), "tea"), [{ name: "plum", cents: 40, quantity: 1 }]);
});

test("an empty cart costs nothing", () => {
  assert.equal(total([]), 0);
});

test("sums up what is in the cart", () => {
  assert.equal(subtotal(add(add([], tea, 2), plum)), 710);
  assert.equal(total(add(add([], tea, 2), plum)), 710);
});

test("rounds once, at the end", () => {
  const cart = [tea, bread, honey].reduce((all, product) => add(all, product), []);
  // 1005 cents less 10 % are 904.5: the invoice says 905.
  assert.equal(total(cart), 905);
});

test("formats cents", () => {
  assert.equal(format(905), "9.05");
});
