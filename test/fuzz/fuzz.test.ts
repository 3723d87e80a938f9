/** The ten invariants over random scripts (spec I), through the real SDKs. */
import fc from "fast-check";
import { randomly } from "../random.ts";
import { Playground } from "./play.ts";
import { script } from "./scripts.ts";

const runs = 1000;

describe("random sessions", () => {
  let playground: Playground;
  before(async () => {
    playground = await Playground.open();
  });
  after(() => playground.close());

  randomly(`I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 the invariants hold in ${runs} sessions`, async function () {
    this.timeout(60_000 + runs * 400);
    const property = fc.asyncProperty(script, (one) => playground.play(one));
    await fc.assert(property, { numRuns: runs });
  });
});
