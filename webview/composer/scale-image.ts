/** Makes an image that providers take of any image that the browser can draw. */

import { type ImageType, imageTypes, maxDataChars, maxImageSide } from "../../src/chat/attach.ts";
import { t } from "../../src/l10n/l10n.ts";

export interface ScaledImage {
  mime: ImageType;
  /** Base64. */
  data: string;
}

/** More pixels than this fill the memory when they are drawn: a small file can have as many as it likes. */
const maxPixels = 100_000_000;

const isTaken = (mime: string): mime is ImageType => (imageTypes as readonly string[]).includes(mime);

/** @throws Error with a sentence about the image, if it cannot be read or has too many pixels */
export async function scaleImage(url: string): Promise<ScaledImage> {
  const comma = url.indexOf(",");
  const [mime = ""] = url.slice("data:".length, comma).split(";");
  const data = url.slice(comma + 1);
  const image = await load(url);
  const { naturalWidth: width, naturalHeight: height } = image;
  if (width === 0 || height === 0) throw new Error(t("it has no size"));
  if (width * height > maxPixels)
    throw new Error(t("it has {0} million pixels", Math.round((width * height) / 1_000_000)));
  const isSmall = Math.max(width, height) <= maxImageSide && data.length <= maxDataChars;
  // Kept as it is: an animation stays one, and nothing is lost.
  if (isSmall && isTaken(mime) && isWhole(mime, data)) return { mime, data };
  for (let side = maxImageSide; ; side = Math.round(side * 0.75)) {
    const drawn = draw(image, Math.min(1, side / Math.max(width, height)));
    const lossless = encoded(drawn, "image/png");
    if (lossless.data.length <= maxDataChars) return lossless;
    const smaller = encoded(drawn, "image/jpeg");
    if (smaller.data.length <= maxDataChars) return smaller;
  }
}

/** The last bytes of a file that is whole; a WebP begins with its length. */
const ends: Record<Exclude<ImageType, "image/webp">, string> = {
  "image/png": "IEND\xaeB`\x82",
  "image/jpeg": "\xff\xd9",
  "image/gif": ";",
};

/** Whether the file has an end: browsers draw what there is of it, providers refuse the request. */
function isWhole(mime: ImageType, data: string): boolean {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  const length = Math.floor(((data.length - padding) * 3) / 4);
  if (mime === "image/webp") {
    const head = Uint8Array.from(atob(data.slice(0, 12)), (char) => char.charCodeAt(0));
    return new DataView(head.buffer).getUint32(4, true) + 8 <= length;
  }
  let tail = atob(data.slice(-(64 + (data.length % 4))));
  // Some programs write zeros after the end.
  while (tail.endsWith("\0")) tail = tail.slice(0, -1);
  return tail.endsWith(ends[mime]);
}

async function load(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = url;
  await new Promise<void>((resolve, reject) => {
    image.addEventListener("load", () => resolve());
    image.addEventListener("error", () => reject(new Error(t("it is not an image that can be read"))));
  });
  return image;
}

function draw(image: HTMLImageElement, scale: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(image.naturalWidth * scale));
  canvas.height = Math.max(1, Math.round(image.naturalHeight * scale));
  const context = canvas.getContext("2d");
  if (!context) throw new Error(t("it cannot be drawn"));
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function encoded(canvas: HTMLCanvasElement, mime: "image/png" | "image/jpeg"): ScaledImage {
  const url = canvas.toDataURL(mime, 0.85);
  return { mime, data: url.slice(url.indexOf(",") + 1) };
}
