/** How large a picture is, by its first bytes. */
import assert from "node:assert/strict";
import { PNG } from "pngjs";
import { imageSize } from "../../src/base/image-size.ts";

const padded = (bytes: readonly number[]) => Uint8Array.from([...bytes, ...Array(40).fill(0)]);
const ascii = (text: string) => [...Buffer.from(text, "latin1")];

describe("the size of a picture", () => {
  it("is that of a PNG", () => {
    assert.deepEqual(imageSize(PNG.sync.write(new PNG({ width: 70, height: 9 }))), { width: 70, height: 9 });
  });

  it("is that of a GIF, a JPEG and a WebP", () => {
    assert.deepEqual(imageSize(padded([...ascii("GIF89a"), 0x40, 1, 0x10, 0])), { width: 320, height: 16 });
    const jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 16, 1, 64];
    assert.deepEqual(imageSize(padded(jpeg)), { width: 320, height: 16 });
    const riff = (kind: string, ...rest: number[]) =>
      padded([...ascii("RIFF____WEBP"), ...ascii(kind), 0, 0, 0, 0, ...rest]);
    assert.deepEqual(imageSize(riff("VP8X", 0, 0, 0, 0, 0x3f, 1, 0, 15, 0, 0)), { width: 320, height: 16 });
    assert.deepEqual(imageSize(riff("VP8L", 0x2f, 0x3f, 0xc1, 3, 0)), { width: 320, height: 16 });
    assert.deepEqual(imageSize(riff("VP8 ", 0, 0, 0, 0x9d, 1, 0x2a, 0x40, 1, 16, 0)), { width: 320, height: 16 });
  });

  it("is too large for a bomb", () => {
    const bomb = PNG.sync.write(new PNG({ width: 1, height: 1 }));
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    assert.equal(imageSize(bomb), "too-large");
  });

  it("is unknown for anything else", () => {
    for (const bytes of [[], ascii("<svg xmlns='http://www.w3.org/2000/svg'/>"), [0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0]])
      assert.equal(imageSize(Uint8Array.from(bytes)), undefined);
    assert.equal(imageSize(padded([0xff, 0xd8, 0xff, 0xe0, 0, 0])), undefined);
  });
});
