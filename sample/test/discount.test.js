import assert from "node:assert/strict";
import { test } from "node:test";
import { discountFor } from "../src/discount.js";

test("a small purchase has no discount", () => {
  assert.equal(discountFor(999), 0);
});

test("from 10.00 it is 10 %", () => {
  assert.equal(discountFor(1000), 0.1);
});

test("from 50.00 it is 15 %", () => {
  assert.equal(discountFor(5000), 0.15);
});
