/** Images of each kind, small, huge and broken, made here. */
import { deflateSync } from "node:zlib";

export interface ImageFile {
  name: string;
  type: string;
  /** Base64. */
  data: string;
}

const file = (name: string, type: string, bytes: Buffer): ImageFile => ({ name, type, data: bytes.toString("base64") });

/** CRC-32 as PNG defines it (www.w3.org/TR/png-3, annex D). */
function crc(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(crc(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** A black PNG with one bit for each pixel, so that many pixels take few bytes. */
export function png(name: string, width: number, height: number): ImageFile {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const bytes = [signature, chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))];
  return file(name, "image/png", Buffer.concat(bytes));
}

/** A BMP of 24 bits a pixel, which no provider takes. */
export function bmp(name: string, width: number, height: number): ImageFile {
  const row = Math.ceil((width * 3) / 4) * 4;
  const bytes = Buffer.alloc(54 + row * height, 0x80);
  bytes.fill(0, 0, 54);
  bytes.write("BM", 0, "latin1");
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return file(name, "image/bmp", bytes);
}

/** One pixel, in GIF89a. */
export const gif = file(
  "dot.gif",
  "image/gif",
  Buffer.from("R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=", "base64"),
);

export const svg = file(
  "drawing.svg",
  "image/svg+xml",
  Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>window.ran = 1</script>' +
      '<image href="http://127.0.0.1:9/loaded.png" width="9" height="9"/><rect width="40" height="30" fill="red"/></svg>',
  ),
);

/** Begins like a PNG and ends at once. */
export function cut(whole: ImageFile): ImageFile {
  const bytes = Buffer.from(whole.data, "base64");
  return { ...file("cut.png", whole.type, bytes.subarray(0, 60)) };
}

export const noImage = file("notes.png", "image/png", Buffer.from("these are words"));
