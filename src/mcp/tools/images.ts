/** Images that a server sends. Types and sizes that it claims are not trusted. Its texts are for the model. */
import { plural } from "../../tools/text/text.ts";

/** Limits of providers for images: their number, the size of one and of all. */
export const maxImages = 10;
const maxImageBytes = 4 * 1024 * 1024;
export const maxTotalImageBytes = 10 * 1024 * 1024;

/** Detects the type from the bytes, because providers reject a wrong type. @returns the reason if it is not usable */
export function imageOf(data: string): { mime: string; url: string } | string {
  const size = base64Bytes(data);
  if (size > maxImageBytes) return `it has ${plural(size, "byte")}`;
  const bytes = Buffer.from(data, "base64");
  const head = bytes.subarray(0, 12).toString("hex");
  const mime = Object.entries(imageSignatures).find(([, signature]) => signature.test(head))?.[0];
  if (mime === undefined) return "it is not a PNG, JPEG, GIF or WebP";
  return { mime, url: `data:${mime};base64,${bytes.toString("base64")}` };
}

/** Patterns for the first bytes as hexadecimal digits. */
const imageSignatures = {
  "image/png": /^89504e470d0a1a0a/,
  "image/jpeg": /^ffd8ff/,
  "image/gif": /^474946383[79]61/,
  "image/webp": /^52494646.{8}57454250/,
};

export const base64Bytes = (base64: string): number => Math.floor((base64.length * 3) / 4);
