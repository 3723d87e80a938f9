import type { ReadBoundary } from "../src/tools/node-host/config-files.ts";

/** A user without settings for reading. */
export const usualBoundary: ReadBoundary = { secrets: [], ruledOut: () => undefined, onLeftOut: () => {} };
