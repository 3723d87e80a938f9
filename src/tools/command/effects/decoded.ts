/** Decodes what a command hides in base64 or in escapes, for the card of its question. Pure. */

const maxShown = 200;

/** Returns the decoded texts of a command that decodes something, each as one line. */
export function decodedTexts(text: string): string[] {
  const found = [...base64In(text), ...hexIn(text), ...escapesIn(text)];
  const readable = found.map((one) => one.replace(/\s+/g, " ").trim()).filter((one) => one !== "" && isReadable(one));
  return [...new Set(readable)].map((one) => (one.length > maxShown ? `${one.slice(0, maxShown)}…` : one));
}

function base64In(text: string): string[] {
  if (!/base64|b64decode|atob|openssl\s+enc|FromBase64/i.test(text)) return [];
  const texts = [...text.matchAll(/[A-Za-z0-9+/_-]{8,}={0,2}/g)].map(([match]) => match);
  return texts.filter(isBase64).map((one) => decode(Buffer.from(one, "base64")));
}

/** A word such as `FromBase64String` has no length of a code, or decodes to nothing that can be read. */
const isBase64 = (text: string) => text.replaceAll("=", "").length % 4 !== 1;

function hexIn(text: string): string[] {
  if (!/xxd|unhex|fromhex|hex/i.test(text)) return [];
  const texts = [...text.matchAll(/\b(?:[\da-f]{2}){4,}\b/gi)].map(([match]) => match);
  return texts.map((one) => decode(Buffer.from(one, "hex")));
}

/** `$'\x72\x6d'`, `printf '\162\155'` */
function escapesIn(text: string): string[] {
  const runs = (text.match(/(?:\\x[\da-f]{2}|\\[0-7]{3}|[\w ./-])+/gi) ?? []).filter((run) =>
    /(?:\\x[\da-f]{2}|\\[0-7]{3}){2}/i.test(run),
  );
  return runs.map((run) =>
    run.replace(/\\x([\da-f]{2})|\\([0-7]{3})/gi, (_, hex, octal) =>
      String.fromCharCode(hex ? Number.parseInt(hex, 16) : Number.parseInt(octal, 8)),
    ),
  );
}

const decode = (bytes: Buffer) => new TextDecoder().decode(bytes);

/** Whether most of it are characters of a text, and none is a control character. */
function isReadable(text: string): boolean {
  if (/[\p{Cc}\p{Cf}\ufffd]/u.test(text)) return false;
  const plain = text.match(/[\x20-\x7e]/g)?.length ?? 0;
  return text.length >= 2 && plain / text.length > 0.8 && /[a-z]/i.test(text);
}
