/** Random sequences of edits by tools, commands and the user, restores and undos (E1). */
import fc from "fast-check";
import { actions, Play } from "../checkpoints/play.ts";

const runs = Math.ceil(Number(process.env["RONDO_FUZZ_RUNS"] ?? 2000) / 10);
const seed = Number(process.env["RONDO_FUZZ_SEED"] ?? Date.now() % 2 ** 31);

describe("random checkpoints", () => {
  it(`E1 lose nothing of the user's and come back to the byte in ${runs} sequences (RONDO_FUZZ_SEED=${seed})`, async () => {
    const property = fc.asyncProperty(actions, fc.boolean(), (some, git) => new Play().play(some, git));
    await fc.assert(property, { numRuns: runs, seed });
  }).timeout(60_000 + runs * 2000);
});
