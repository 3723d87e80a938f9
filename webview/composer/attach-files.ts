/** Attaches what is pasted or dropped: images, PDFs and texts. */
import { type ImageType, imageTypes, maxDataChars, maxImageSide, maxReadBytes } from "../../src/chat/attach.ts";
import { counted, formatted, t } from "../../src/l10n/l10n.ts";
import { send } from "../panel/vscode-api.ts";
import { refusedFiles } from "./refused-files.svelte.ts";

/** A paste of more becomes a chip: it would hide what the user writes. */
const longPaste = { chars: 4_000, lines: 60 };
const maxTextBytes = 1_000_000;

/** Files that are still read. A message that is sent now waits for them. */
const reading = new Set<Promise<void>>();

/** Resolves when all that was pasted and dropped is attached, or was refused. */
export async function allRead(): Promise<void> {
  while (reading.size > 0) await Promise.all(reading);
}

export const isReading = (): boolean => reading.size > 0;

export function attachFiles(files: Iterable<File>): void {
  for (const file of files) track(file.name, attach(file));
}

/** Attaches an image that the host has read. `data`: base64. */
export function attachImage(name: string, mime: string, data: string): void {
  track(name, attachScaled(name, `data:${mime};base64,${data}`));
}

/** Attaches a text that is too long for the message. Returns false if it belongs into the message. */
export function attachPaste(text: string): boolean {
  const lines = text.split("\n").length;
  if (text.length < longPaste.chars && lines < longPaste.lines) return false;
  if (text.length > maxTextBytes) {
    refuse(t("The pasted text"), t("it is larger than 1 MB"));
    return true;
  }
  send({ type: "attach-text", name: counted(lines, "Pasted text, {0} line", "Pasted text, {0} lines"), text });
  return true;
}

/** Whether a text is nothing but the names or the paths of the files, one in each line. */
export function isNamesOf(text: string, files: readonly File[]): boolean {
  const names = text.split(/[\r\n]+/).filter((line) => line !== "");
  return names.length === files.length && names.every((line, at) => line.split(/[/\\]/).at(-1) === files[at]?.name);
}

function track(name: string, done: Promise<void>): void {
  const all = done
    .catch((error: unknown) => refuse(name, error instanceof Error ? error.message : String(error)))
    .finally(() => reading.delete(all));
  reading.add(all);
}

async function attach(file: File): Promise<void> {
  if (file.size > maxReadBytes) throw new Error(t("it is larger than 50 MB"));
  const name = file.name || "image";
  if (file.type.startsWith("image/")) return await attachScaled(name, await dataURL(file));
  if (file.type === "application/pdf") {
    const url = await dataURL(file);
    const data = url.slice(url.indexOf(",") + 1);
    if (data.length > maxDataChars) throw new Error(t("it is larger than {0} MB", formatted(3.7)));
    send({ type: "attach-data", name, mime: "application/pdf", data });
    return;
  }
  if (file.size > maxTextBytes) throw new Error(t("it is larger than 1 MB"));
  send({ type: "attach-text", name, text: await plainText(file) });
}

async function attachScaled(name: string, url: string): Promise<void> {
  const { mime, data } = await scaleImage(url);
  send({ type: "attach-data", name, mime, data });
}

async function plainText(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Said below.
  }
  throw new Error(t("it is neither text nor an image"));
}

function dataURL(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(new Error(t("it cannot be read"))));
    reader.readAsDataURL(file);
  });
}

function refuse(name: string, why: string): void {
  refusedFiles.add({ name, why, next: "" });
}

// Makes an image that providers take of any image that the browser can draw.

interface ScaledImage {
  mime: ImageType;
  /** Base64. */
  data: string;
}

/** More pixels than this fill the memory when they are drawn: a small file can have as many as it likes. */
const maxPixels = 100_000_000;

const isTaken = (mime: string): mime is ImageType => (imageTypes as readonly string[]).includes(mime);

/** @throws Error with a sentence about the image, if it cannot be read or has too many pixels */
async function scaleImage(url: string): Promise<ScaledImage> {
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
