/** From how many cents on which share is taken off, the largest first. */
const steps = [
  { from: 5000, rate: 0.15 },
  { from: 1000, rate: 0.1 },
];

/** The share of the price that is taken off, from 0 to 1. */
export function discountFor(cents) {
  return steps.find((step) => cents >= step.from)?.rate ?? 0;
}
