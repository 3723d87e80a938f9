/**
 * Gives each random test its seeds. In an ordinary run these are one fixed seed, so that a failure comes from the change
 * at hand, and those with which the test has failed before (failed-seeds.json). Of such a seed fast-check plays only the
 * case that failed, if its path is known. `RONDO_SEED` names others instead, with commas between them. `npm run fuzz`
 * plays new ones.
 */
import { relative } from "node:path";
import process from "node:process";
import fc from "fast-check";
import failedSeeds from "./failed-seeds.json" with { type: "json" };

const fixedSeed = 20_260_115;

const named = process.env["RONDO_SEED"]?.split(",").map(Number);
if (named?.some((seed) => !Number.isInteger(seed)))
  throw new Error(`RONDO_SEED=${process.env["RONDO_SEED"]} is no whole number, or several with commas between them.`);

interface Played {
  seed: number;
  /** Fast-check's path to one case; empty: all cases. */
  path: string;
}

/** What the test that runs plays. */
let current: Played | undefined;

const played = (): Played => {
  if (current === undefined) throw new Error("A random test is declared by `randomly` of test/random.ts.");
  return current;
};

/** Read when a property begins to play. The type of global parameters has no path, though they are read alike. */
const parameters = {
  get seed() {
    return played().seed;
  },
  get path() {
    return played().path;
  },
};
fc.configureGlobal(parameters);

/**
 * Declares a random test: one for each of its seeds, which properties of fast-check get by themselves. The title ends
 * with the seed, also when the test does not end.
 */
export function randomly(title: string, play: (this: Mocha.Context, seed: number) => void | Promise<void>): void {
  const whole = (named ?? [fixedSeed]).map((seed) => ({ seed, path: "" }));
  const failed = named ? [] : failedSeeds.filter(({ test }) => test === title);
  for (const { seed, path } of [...whole, ...failed]) {
    const test = it(`${title} (seed ${seed})`, async function () {
      current = { seed, path };
      try {
        await play.call(this, seed);
      } catch (error) {
        throw withRepeat(error, seed, test.file);
      } finally {
        current = undefined;
      }
    });
  }
}

/** Adds the line that repeats the failure. */
function withRepeat(error: unknown, seed: number, file: string | undefined): unknown {
  if (!(error instanceof Error)) return error;
  const { message, stack } = error;
  error.message = `${message}\nRepeat it: RONDO_SEED=${seed} npm run test:file -- ${relative("", file ?? "FILE")}`;
  // Reporters look for the message in the stack.
  if (stack !== undefined) error.stack = stack.replace(message, () => error.message);
  return error;
}

/** Random numbers that a seed repeats, for tests that fast-check does not play. */
export class RandomNumbers {
  #state: number;

  /** @param about sets tests with one seed apart */
  constructor(seed: number, about = "") {
    this.#state = [...about].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed | 0);
  }

  /** Returns a number from 0 to 1 (mulberry32). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 to below the limit. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  pick<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T; // `all` is not empty
  }
}
