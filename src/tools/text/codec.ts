/** Recognizes file types and decodes and encodes text (T12). Pure. */

export type Encoding = "utf8" | "utf8-bom" | "utf16le" | "utf16be";

export interface DecodedText {
  text: string;
  encoding: Encoding;
}

/** Returns undefined unless the bytes are text in an encoding that can be restored byte by byte. */
export function decode(bytes: Buffer): DecodedText | undefined {
  const found = decoded(bytes);
  // `encode` writes one byte order mark, also where the file had two.
  return found?.text.startsWith("\ufeff") ? undefined : found;
}

function decoded(bytes: Buffer): DecodedText | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe && bytes.length % 2 === 0) {
    return { text: bytes.toString("utf16le", 2), encoding: "utf16le" };
  }
  if (bytes[0] === 0xfe && bytes[1] === 0xff && bytes.length % 2 === 0) {
    return { text: Buffer.from(bytes).swap16().toString("utf16le", 2), encoding: "utf16be" };
  }
  if (bytes.includes(0)) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith("\ufeff") ? { text: text.slice(1), encoding: "utf8-bom" } : { text, encoding: "utf8" };
  } catch {
    // Latin-1 and similar encodings cannot be told apart with certainty.
    return undefined;
  }
}

/** Control characters other than those of texts: tab, line and page ends, escape. */
const isControl = (byte: number) => byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b;
const maxControlShare = 0.01;

/** Decodes text of an unknown encoding, with U+FFFD for what is not UTF-8. Returns undefined for binary data. */
export function decodeLossily(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  let controls = 0;
  for (const byte of bytes) if (isControl(byte)) controls++;
  return controls > bytes.length * maxControlShare ? undefined : new TextDecoder().decode(bytes);
}

/** Encodes `text` without doubling its byte order mark. */
export function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === "utf8") return Buffer.from(text, "utf8");
  const marked = text.startsWith("\ufeff") ? text : `\ufeff${text}`;
  if (encoding === "utf8-bom") return Buffer.from(marked, "utf8");
  const bytes = Buffer.from(marked, "utf16le");
  return encoding === "utf16be" ? bytes.swap16() : bytes;
}

const signatures: readonly [mime: string, begins: readonly number[]][] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["application/pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
];

/** Returns the MIME type of an image or a PDF by its first bytes. */
export function mediaType(bytes: Buffer): string | undefined {
  if (bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP") return "image/webp";
  return signatures.find(([, begins]) => begins.every((byte, index) => bytes[index] === byte))?.[0];
}
