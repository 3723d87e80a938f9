/** Bytes of a page as text. */

/** By its byte order mark, else as the server said, else as markup says at its beginning, else UTF-8. */
export function decodePage(bytes: Uint8Array, charset: string | undefined, mime: string): string {
  const isMarkup = mime === "" || /html|xml/.test(mime);
  const label = byteOrderCharset(bytes) ?? charset ?? (isMarkup ? declaredCharset(bytes) : undefined) ?? "utf-8";
  return decoderFor(label).decode(bytes);
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    // A charset that nobody knows.
    return new TextDecoder();
  }
}

function byteOrderCharset(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** What `<meta charset>`, `<meta http-equiv>` or an XML declaration says, in the first bytes, where browsers look. */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1_024));
  const said =
    /<meta\b[^>]*?charset\s*=\s*["']?\s*([\w-]+)/i.exec(head) ?? /^<\?xml[^>]*?encoding=["']([\w-]+)/i.exec(head);
  // A page whose declaration can be read is not in UTF-16.
  return /^utf-?16/i.test(said?.[1] ?? "") ? "utf-8" : said?.[1];
}
