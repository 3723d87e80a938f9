/** Rondo's version, also sent to servers. A test compares it with package.json. */
export const version = "0.4.0";
