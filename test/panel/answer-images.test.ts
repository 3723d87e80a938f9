/** Which files of a workspace are shown as images of an answer. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PNG } from "pngjs";
import { readAnswerImage } from "../../src/extension/answers/answer-images.ts";

const png = PNG.sync.write(new PNG({ width: 4, height: 3 }));
const bomb = Buffer.from(png);
bomb.writeUInt32BE(60_000, 16);
bomb.writeUInt32BE(60_000, 20);

describe("images of the workspace in answers", () => {
  let root: string;
  let folders: string[];
  before(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), "rondo-images-")));
    folders = [path.join(root, "one"), path.join(root, "two")];
    const files: Record<string, string | Buffer> = {
      "one/docs/a.png": png,
      "two/docs/b.png": png,
      "one/.env.png": png,
      "one/id_rsa": png,
      "one/hidden.png": png,
      "one/ruled/c.png": png,
      "one/.rondoignore": "hidden.png\n",
      "one/text.png": "only text",
      "one/drawing.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
      "one/bomb.png": bomb,
      "one/cut.png": png.subarray(0, 20),
      "one/huge.png": Buffer.concat([png, Buffer.alloc(3 << 20)]),
      "outside.png": png,
    };
    for (const [name, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(root, name)), { recursive: true });
      await writeFile(path.join(root, name), content);
    }
    await symlink(path.join(root, "outside.png"), path.join(root, "one/out.png"));
    await symlink(path.join(root, "one/hidden.png"), path.join(root, "one/link.png"));
    await symlink(path.join(root, "one/docs/a.png"), path.join(root, "one/fine.png"));
  });
  after(() => rm(root, { recursive: true, force: true }));

  const ruledOut = ({ relative }: { relative: string }) =>
    relative.startsWith("ruled/") ? "the rule `ruled/**` denies reading it" : undefined;
  const read = async (file: string) => {
    const image = await readAnswerImage(file, folders, [], () => ({ ruledOut }));
    return image.type === "shown" ? image.url : image.why;
  };
  const url = `data:image/png;base64,${png.toString("base64")}`;

  for (const file of ["docs/a.png", "./docs/../docs/a.png", "docs/b.png", "fine.png"]) {
    it(`${file} is shown`, async () => assert.equal(await read(file), url));
  }

  const refused: readonly [file: string, why: RegExp][] = [
    ["none.png", /no such file/],
    ["docs", /not an image/],
    ["text.png", /not an image/],
    ["drawing.svg", /not an image/],
    ["cut.png", /damaged|not an image/],
    ["bomb.png", /too large/],
    ["huge.png", /too large/],
    ["../outside.png", /outside of the workspace/],
    ["docs/../../outside.png", /outside of the workspace/],
    ["out.png", /outside of the workspace/],
    ["/etc/hostname", /outside of the workspace/],
    ["id_rsa", /may hold secrets/],
    ["hidden.png", /\.rondoignore/],
    ["link.png", /\.rondoignore/],
    ["ruled/c.png", /the rule `ruled/],
    ["\0.png", /./],
  ];
  for (const [file, why] of refused) {
    it(`${JSON.stringify(file)} is not shown`, async () => assert.match(await read(file), why));
  }
});
