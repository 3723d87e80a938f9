/** Rondo's version, the same as in package.json, which a test compares. Servers are told of it. */
export const version = "0.4.0";
