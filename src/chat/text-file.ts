import type { Attachment } from "./prompt-input.ts";

/** Returns a text that is no file of the workspace as an attachment, whole. */
export function textFile(filename: string, text: string): Attachment {
  const data = Buffer.from(text.toWellFormed()).toString("base64");
  return { mime: "text/plain", filename, url: `data:text/plain;base64,${data}` };
}

/** Returns the content of a data URL, in base64; undefined for other addresses. */
export function base64In(url: string): string | undefined {
  return /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
}
