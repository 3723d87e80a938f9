import type { Attachment } from "./prompt-input.ts";

/** Returns a text that is no file of the workspace as an attachment, whole. */
export function textFile(filename: string, text: string): Attachment {
  const data = Buffer.from(text.toWellFormed()).toString("base64");
  return { mime: "text/plain", filename, url: `data:text/plain;base64,${data}` };
}
