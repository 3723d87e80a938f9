/** PNG with a palette: a third of the size, which matters for hundreds of committed pictures. pngjs only reads it. */
import { crc32, deflateSync } from "node:zlib";
import type { Picture } from "./raster.ts";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const maxColours = 256;
/** Colours are rounded to multiples of this, which makes this many levels of a channel. */
const step = 16;
const levels = 17;

/** A picture of at most 256 colours. */
export interface Reduced {
  width: number;
  height: number;
  /** Red, green and blue as one number, the most frequent first. */
  palette: number[];
  /** Index of each pixel's colour. */
  pixels: Uint8Array;
}

/** Returns a picture whose colours are nearly those of the given one: each channel differs by half a step, or little more. */
export function reduceColours({ width, height, data }: Picture): Reduced {
  const counts = new Uint32Array(levels ** 3);
  const keys = new Uint16Array(width * height);
  for (let at = 0, byte = 0; at < keys.length; at++, byte += 4) {
    const key = (level(data[byte]) * levels + level(data[byte + 1])) * levels + level(data[byte + 2]);
    keys[at] = key;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  const used = [...counts.keys()].filter((key) => counts[key]);
  const sorted = used.sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || a - b);
  const palette = sorted.slice(0, maxColours).map(colourOf);
  const index = new Uint8Array(counts.length);
  for (const [at, key] of sorted.entries()) index[key] = at < maxColours ? at : nearest(colourOf(key), palette);
  // A loop: with a function for each pixel, this takes as long as the browser takes to draw them.
  const pixels = new Uint8Array(keys.length);
  for (let at = 0; at < keys.length; at++) pixels[at] = index[keys[at] ?? 0] ?? 0;
  return { width, height, palette, pixels };
}

/** Returns the picture as it is read again after it was written. */
export function withReducedColours({ width, height, palette, pixels }: Reduced): Picture {
  const data = Buffer.alloc(width * height * 4, 255);
  for (let at = 0, byte = 0; at < pixels.length; at++, byte += 4) {
    const colour = palette[pixels[at] ?? 0] ?? 0;
    data[byte] = colour >> 16;
    data[byte + 1] = colour >> 8;
    data[byte + 2] = colour;
  }
  return { width, height, data };
}

export function encode({ width, height, palette, pixels }: Reduced): Buffer {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap((colour) => channels(colour)))),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function level(channel = 0): number {
  return (channel + step / 2) >> 4;
}

function colourOf(key: number): number {
  const channel = (level: number) => Math.min(255, (level % levels) * step);
  return (channel(Math.floor(key / levels ** 2)) << 16) | (channel(Math.floor(key / levels)) << 8) | channel(key);
}

const channels = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255] as const;

function nearest(colour: number, palette: readonly number[]): number {
  const [red, green, blue] = channels(colour);
  const distance = (other: number) => {
    const [r, g, b] = channels(other);
    return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  };
  return palette.reduce((best, other, at) => (distance(other) < distance(palette[best] ?? 0) ? at : best), 0);
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const frame = Buffer.alloc(named.length + 8);
  frame.writeUInt32BE(content.length, 0);
  frame.set(named, 4);
  frame.writeUInt32BE(crc32(named), named.length + 4);
  return frame;
}
