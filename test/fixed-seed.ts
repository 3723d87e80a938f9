/**
 * Loaded before the tests. Random tests play the same programs in each run of `npm test`, so that a failure comes from
 * the change at hand. `npm run fuzz`, and RONDO_RANDOM=1 with any suite, play new ones.
 */
import fc from "fast-check";

const given = process.env["RONDO_FUZZ_SEED"];
const isRandom = process.env["RONDO_RANDOM"] === "1" || process.env["RONDO_FUZZ_RUNS"] !== undefined;

/** The seed of this run, which the titles of random sessions name. */
export const seed = given !== undefined ? Number(given) : isRandom ? Date.now() % 2 ** 31 : 20_260_115;

fc.configureGlobal({ seed });
