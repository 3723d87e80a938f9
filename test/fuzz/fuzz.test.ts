/** The ten invariants over random scripts (spec I), through the real SDKs. `npm run fuzz` plays twenty times as many. */
import fc from "fast-check";
import { seed } from "../fixed-seed.ts";
import { Playground } from "./play.ts";
import { script } from "./scripts.ts";

const runs = Number(process.env["RONDO_FUZZ_RUNS"] ?? 1000);

describe("random sessions", () => {
  let playground: Playground;
  before(async () => {
    playground = await Playground.open();
  });
  after(() => playground.close());

  it(`I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 the invariants hold in ${runs} sessions (RONDO_FUZZ_SEED=${seed})`, async () => {
    const property = fc.asyncProperty(script, (one) => playground.play(one));
    await fc.assert(property, { numRuns: runs });
  }).timeout(60_000 + runs * 400);
});
