/** What the panel sends to be attached: pasted and dropped files and texts, and the selection that follows. */
import * as z from "zod/mini";

/** Images that all providers take, and PDFs. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = (typeof imageTypes)[number];

/**
 * The longest side of an image, in pixels. Anthropic refuses more than 2,000 where a request has more than 20 images
 * (platform.claude.com/docs/en/build-with-claude/vision), and a session has many.
 */
export const maxImageSide = 2_000;

/** Anthropic refuses images of more than 5 MB, counted as base64 (the same page). */
export const maxDataChars = 5_000_000;

/** Larger files are not read: an image of more bytes is not one of a screen. */
export const maxReadBytes = 50_000_000;

/** A name, which may come from outside of VS Code. */
const name = z.string().check(z.minLength(1), z.maxLength(300));

export const attachRequests = [
  /** `data`: base64. */
  z.object({
    type: z.literal("attach-data"),
    name,
    mime: z.enum([...imageTypes, "application/pdf"]),
    data: z.string().check(z.maxLength(maxDataChars)),
  }),
  z.object({ type: z.literal("attach-text"), name, text: z.string().check(z.maxLength(1 << 20)) }),
  /** Files and folders that were dropped. */
  z.object({
    type: z.literal("attach-uris"),
    uris: z.array(z.string().check(z.maxLength(8192))).check(z.maxLength(100)),
  }),
  /** Whether the selection of the editor is sent with each message. */
  z.object({ type: z.literal("send-selection"), on: z.boolean() }),
  /** Shows what is attached: the file, else its text or image. */
  z.object({ type: z.literal("open-attachment"), index: z.int().check(z.gte(0)) }),
  /** Shows what a sent message has in itself: the text or image of an attachment. */
  z.object({ type: z.literal("open-sent"), messageID: z.string(), partID: z.string() }),
] as const;

/** A file that was to be attached and cannot be. */
export interface RefusedFile {
  name: string;
  /** The reason, as the end of a sentence. */
  why: string;
  /** What helps; empty if nothing does. */
  next: string;
}

/** The selection of the editor, as it would be sent now. */
export interface SelectionView {
  /** The file's path in the workspace. */
  filename: string;
  uri: string;
  /** From 1, both included. */
  start: number;
  end: number;
  on: boolean;
  /** Why it is not sent, as the end of a sentence; empty if it can be. */
  why: string;
}
