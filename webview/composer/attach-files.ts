/** Attaches what is pasted or dropped: images, PDFs and texts. */

import { maxDataChars, maxReadBytes } from "../../src/chat/attach.ts";
import { counted, formatted, t } from "../../src/l10n/l10n.ts";
import { send } from "../panel/vscode-api.ts";
import { refusedFiles } from "./refused-files.svelte.ts";
import { scaleImage } from "./scale-image.ts";

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
