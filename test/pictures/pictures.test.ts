/**
 * Every state of the panel looks as committed, in each size and theme, has no grave finding of axe, and shows its
 * answers. `npm run pictures` writes the pictures; a failure leaves the expected, the actual and the difference in
 * out/pictures.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { useLanguage } from "../../src/l10n/l10n.ts";
import { textsOf } from "../panel/page.ts";
import { states } from "../panel/states.ts";
import { Sheet } from "./sheet.ts";
import { type Drawn, Studio } from "./studio.ts";

const committed = new URL("committed/", import.meta.url);
const out = new URL("../../out/pictures/", import.meta.url);
const writes = process.env["RONDO_WRITE_PICTURES"] === "1";
/** Other systems draw letters in their own way, also with the same fonts. */
const comparable = process.platform === "linux";

/** States that are drawn in German, too, whose words are the longest: those with the most texts in the least space. */
const inGerman = [
  ...["answer-again", "answer-cost", "answer-tools", "attached", "attached-trouble", "commands"],
  ...["commands-asking", "commands-values", "consent-always", "consent-long", "context", "context-kept"],
  ...["context-locked", "context-pieces", "diagrams", "dragged", "earlier-messages", "find-asked"],
  ...["fresh-context", "images", "maths", "mentions", "mentions-found", "mentions-nothing"],
  ...["mentions-template", "mentions-variable", "mode-menu", "plan", "plan-comments", "queue", "review"],
  ...["selection-off", "send-menu", "sessions", "tasks"],
];
const languages = [
  { language: "en", drawn: Object.keys(states), end: ".png" },
  { language: "de", drawn: inGerman, end: ".de.png" },
] as const;

before(async () => {
  await rm(out, { recursive: true, force: true });
  await mkdir(committed, { recursive: true });
});

for (const { language, drawn, end } of languages) {
  describe(language === "en" ? "pictures" : `pictures in the language ${language}`, () => {
    let studio: Studio;
    before(async () => {
      useLanguage(language, await textsOf(language));
      studio = await Studio.open(language);
    });
    after(async () => {
      useLanguage("en");
      await studio?.close();
    });

    for (const name of drawn) {
      it(name, async () => {
        const state = states[name];
        assert.ok(state, "there is such a state");
        const picture = await studio.draw(state);
        const sheet = picture.sheet.reduced();
        if (writes) await write(name + end, sheet);
        else if (comparable) picture.faults.push(...(await differences(name + end, sheet, picture.shots)));
        assert.deepEqual(picture.faults, []);
      });
    }
  });
}

it("pictures are those of states that there are", async () => {
  const names = new Set(languages.flatMap(({ drawn, end }) => drawn.map((name) => name + end)));
  const gone = (await readdir(committed)).filter((file) => !names.has(file));
  if (writes) for (const file of gone) await rm(new URL(file, committed));
  else assert.deepEqual(gone, []);
});

/** Replaces a picture that differs. One that does not stays as it is, so that only what has changed is committed. */
async function write(file: string, sheet: Sheet): Promise<void> {
  const place = new URL(file, committed);
  const old = existsSync(place) ? Sheet.read(await readFile(place)) : undefined;
  if (!old || sheet.compare(old).differing.length > 0) await writeFile(place, sheet.encode());
}

async function differences(picture: string, sheet: Sheet, shots: Drawn["shots"]): Promise<string[]> {
  const place = new URL(picture, committed);
  const name = path.basename(picture, ".png");
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
