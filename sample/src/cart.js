import { discountFor } from "./discount.js";

/** A new cart with the product added; more of the same makes one line. */
export function add(cart, product, quantity = 1) {
  const line = cart.find((each) => each.name === product.name);
  if (!line) return [...cart, { ...product, quantity }];
  return cart.map((each) => (each === line ? { ...each, quantity: each.quantity + quantity } : each));
}

/** A new cart without the product. */
export function remove(cart, name) {
  return cart.filter((line) => line.name !== name);
}

/** The price before the discount, in cents. */
export function subtotal(cart) {
  return cart.reduce((sum, line) => sum + line.cents * line.quantity, 0);
}

/** The price after the discount, in whole cents. */
export function total(cart) {
  const rate = discountFor(subtotal(cart));
  let sum = 0;
  for (const line of cart) {
    sum += Math.round(line.cents * line.quantity * (1 - rate));
  }
  return sum;
}

/** "9.05" for 905 cents. */
export function format(cents) {
  return (cents / 100).toFixed(2);
}
