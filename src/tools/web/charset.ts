/** Decodes the bytes of a page. */

/** Uses the byte order mark, else the server's charset, else the one declared in the markup, else UTF-8. */
export function decodePage(bytes: Uint8Array, charset: string | undefined, mime: string): string {
  const isMarkup = mime === "" || /html|xml/.test(mime);
  const label = byteOrderCharset(bytes) ?? charset ?? (isMarkup ? declaredCharset(bytes) : undefined) ?? "utf-8";
  return decoderFor(label).decode(bytes);
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    // The charset is unknown.
    return new TextDecoder();
  }
}

function byteOrderCharset(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** Reads `<meta charset>`, `<meta http-equiv>` or an XML declaration in the first bytes, as browsers do. */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1_024));
  const said =
    /<meta\b[^<>]*?charset\s*=\s*(?:["']\s*)?([\w-]+)/i.exec(head) ?? /^<\?xml[^>]*?encoding=["']([\w-]+)/i.exec(head);
  // A readable declaration is not in UTF-16.
  return /^utf-?16/i.test(said?.[1] ?? "") ? "utf-8" : said?.[1];
}
