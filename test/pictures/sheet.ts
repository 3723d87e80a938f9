/**
 * One picture for each state of the panel: its sizes side by side, a row for each kind of theme, all at half size. Half
 * size keeps the repository small, and averages what differs between versions of Chromium: how letters are smoothed.
 */
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import type { Theme } from "../panel/page.ts";
import { encode, reduceColours, withReducedColours } from "./indexed-png.ts";
import { blank, cut, halved, type Picture, paste } from "./raster.ts";

export interface Size {
  width: number;
  height: number;
}

export const themes: readonly Theme[] = ["dark", "light", "hc", "hcl"];

export const usualSize: Size = { width: 400, height: 640 };

/** The narrowest, the usual and a wide panel; a short one; and the narrowest of a small window at a zoom of 200 %. */
export const sizes: readonly Size[] = [
  { width: 320, height: 640 },
  usualSize,
  { width: 600, height: 640 },
  { width: 320, height: 480 },
  { width: 240, height: 330 },
];

const rowHeight = Math.max(...sizes.map(({ height }) => height)) / 2;
const sheetWidth = sizes.reduce((sum, { width }) => sum + width / 2, 0);

/**
 * A colour counts as another from about this difference of pixelmatch, between 0 and 1: more than the palette of the
 * committed picture may change, less than the faintest line.
 */
const threshold = 0.06;
/** Pixels of half size that may differ, after those that pixelmatch takes for smoothing: less than a small letter. */
const tolerated = 8;

export class Sheet {
  readonly #picture: Picture;

  constructor(picture = blank(sheetWidth, rowHeight * themes.length)) {
    this.#picture = picture;
  }

  static read(file: Buffer): Sheet {
    return new Sheet(PNG.sync.read(file));
  }

  /** Returns the file to commit. */
  encode(): Buffer {
    return encode(reduceColours(this.#picture));
  }

  /** Returns the sheet as it is read from its file. */
  reduced(): Sheet {
    return new Sheet(withReducedColours(reduceColours(this.#picture)));
  }

  /** Puts a screenshot at its place. */
  put(shot: Picture, size: Size, theme: Theme): void {
    const { left, top } = placeOf(size, theme);
    paste(halved(shot), this.#picture, left, top);
  }

  /** Compares with a committed sheet. Returns the looks that differ, and a sheet that marks the differences. */
  compare(committed: Sheet): { differing: [Size, Theme][]; marked: Sheet } {
    const { width, height } = this.#picture;
    if (committed.#picture.width !== width || committed.#picture.height !== height) {
      return { differing: everyLook(), marked: this };
    }
    const marked = new Sheet();
    const differing = everyLook().filter(([size, theme]) => {
      const { left, top } = placeOf(size, theme);
      const [w, h] = [size.width / 2, size.height / 2];
      const [expected, actual] = [committed, this].map((sheet) => cut(sheet.#picture, left, top, w, h).data);
      const difference = blank(w, h);
      const options = { threshold, alpha: 0.3 };
      const count = expected && actual ? pixelmatch(expected, actual, difference.data, w, h, options) : 0;
      paste(difference, marked.#picture, left, top);
      return count > tolerated;
    });
    return { differing, marked };
  }
}

function everyLook(): [Size, Theme][] {
  return sizes.flatMap((size) => themes.map((theme): [Size, Theme] => [size, theme]));
}

function placeOf(size: Size, theme: Theme): { left: number; top: number } {
  const before = sizes.slice(0, sizes.indexOf(size));
  return { left: before.reduce((sum, { width }) => sum + width / 2, 0), top: themes.indexOf(theme) * rowHeight };
}
