/** Closes a `switch` over a union: a new member makes this a type error, and an unknown value a clear bug. */
export function never(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
