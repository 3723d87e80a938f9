/** Pixels: four bytes each, row by row. */
export interface Picture {
  width: number;
  height: number;
  data: Uint8Array;
}

export function blank(width: number, height: number): Picture {
  return { width, height, data: new Uint8Array(width * height * 4) };
}

/** Copies a picture to a place in another one. */
export function paste(from: Picture, to: Picture, left: number, top: number): void {
  const row = from.width * 4;
  for (let y = 0; y < from.height; y++) {
    to.data.set(from.data.subarray(y * row, (y + 1) * row), ((top + y) * to.width + left) * 4);
  }
}

export function cut(from: Picture, left: number, top: number, width: number, height: number): Picture {
  const piece = blank(width, height);
  for (let y = 0; y < height; y++) {
    const start = ((top + y) * from.width + left) * 4;
    piece.data.set(from.data.subarray(start, start + width * 4), y * width * 4);
  }
  return piece;
}

/** Returns the picture at half size: each pixel is the mean of four. */
export function halved({ width, height, data }: Picture): Picture {
  const half = blank(width / 2, height / 2);
  const row = width * 4;
  let to = 0;
  for (let y = 0; y < half.height; y++) {
    for (let x = 0, from = y * 2 * row; x < half.width; x++, from += 8) {
      for (let channel = from; channel < from + 4; channel++) half.data[to++] = mean(data, channel, row);
    }
  }
  return half;
}

function mean(data: Uint8Array, at: number, row: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = [data[at], data[at + 4], data[at + row], data[at + row + 4]];
  return (a + b + c + d + 2) >> 2;
}
