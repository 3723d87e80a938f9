/**
 * Every state of the panel looks as committed, in each size and theme, has no grave finding of axe, and shows its
 * answers. `npm run pictures` writes the pictures; a failure leaves the expected, the actual and the difference in
 * out/pictures.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import process from "node:process";
import { states } from "../panel/states.ts";
import { Sheet } from "./sheet.ts";
import { type Drawn, Studio } from "./studio.ts";

const committed = new URL("committed/", import.meta.url);
const out = new URL("../../out/pictures/", import.meta.url);
const writes = process.env["RONDO_WRITE_PICTURES"] === "1";
/** Other systems draw letters in their own way, also with the same fonts. */
const comparable = process.platform === "linux";

describe("pictures", () => {
  let studio: Studio;
  before(async () => {
    await rm(out, { recursive: true, force: true });
    await mkdir(committed, { recursive: true });
    studio = await Studio.open();
  });
  after(() => studio?.close());

  for (const [name, state] of Object.entries(states)) {
    it(name, async () => {
      const drawn = await studio.draw(state);
      const sheet = drawn.sheet.reduced();
      if (writes) await write(name, sheet);
      else if (comparable) drawn.faults.push(...(await differences(name, sheet, drawn.shots)));
      assert.deepEqual(drawn.faults, []);
    });
  }

  it("has no picture of a state that is gone", async () => {
    const gone = (await readdir(committed)).filter((file) => !(file.slice(0, -".png".length) in states));
    if (writes) for (const file of gone) await rm(new URL(file, committed));
    else assert.deepEqual(gone, []);
  });
});

/** Replaces a picture that differs. One that does not stays as it is, so that only what has changed is committed. */
async function write(name: string, sheet: Sheet): Promise<void> {
  const place = new URL(`${name}.png`, committed);
  const old = existsSync(place) ? Sheet.read(await readFile(place)) : undefined;
  if (!old || sheet.compare(old).differing.length > 0) await writeFile(place, sheet.encode());
}

async function differences(name: string, sheet: Sheet, shots: Drawn["shots"]): Promise<string[]> {
  const place = new URL(`${name}.png`, committed);
  if (!existsSync(place)) return ["no picture is committed: look at what `npm run pictures` draws"];
  const expected = await readFile(place);
  const { differing, marked } = sheet.compare(Sheet.read(expected));
  if (differing.length === 0) return [];
  const folder = new URL(`${name}/`, out);
  await mkdir(folder, { recursive: true });
  const files = { expected, actual: sheet.encode(), difference: marked.encode() };
  for (const [kind, file] of Object.entries(files)) await writeFile(new URL(`${kind}.png`, folder), file);
  return await Promise.all(
    differing.map(async ([{ width, height }, theme]) => {
      const look = `${width}x${height}-${theme}`;
      await writeFile(new URL(`${look}.png`, folder), shots.get(look) ?? "");
      return `${look}: differs from the committed picture, see out/pictures/${name}`;
    }),
  );
}
