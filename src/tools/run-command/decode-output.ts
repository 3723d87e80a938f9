/** Decodes the output of commands: UTF-8, or on Windows a console code page. */
import { isUtf8 } from "node:buffer";

/** Decodes bytes piece by piece; without bytes, returns the rest of the last piece. */
export type OutputDecoder = (bytes: Uint8Array | undefined) => string;

export function decodeUtf8(): OutputDecoder {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return (bytes) => (bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode());
}

/** Decodes UTF-8, and from the first invalid piece on the console's code page. */
export function decodeConsole(codePage: number): OutputDecoder {
  let rest = Buffer.alloc(0);
  let legacy: OutputDecoder | undefined;
  return (bytes) => {
    const all = Buffer.concat([rest, bytes ?? Buffer.alloc(0)]);
    rest = Buffer.alloc(0);
    if (!legacy) {
      const whole = bytes ? all.subarray(0, all.length - openBytes(all)) : all;
      if (isUtf8(whole)) {
        rest = Buffer.from(all.subarray(whole.length));
        return whole.toString("utf8");
      }
      legacy = decodeCodePage(codePage);
    }
    return legacy(all) + (bytes ? "" : legacy(undefined));
  };
}

function openBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return back < length ? back : 0;
  }
  return 0;
}

/** The upper halves of the most common code pages that `TextDecoder` does not support. */
const upperHalves: Readonly<Record<number, string>> = {
  437: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  850: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
};

const labels: Readonly<Record<number, string>> = {
  866: "ibm866",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
};

function decodeCodePage(codePage: number): OutputDecoder {
  const upper = upperHalves[codePage];
  if (upper !== undefined) {
    const toCharacter = (byte: number) => (byte < 0x80 ? String.fromCharCode(byte) : upper.charAt(byte - 0x80));
    return (bytes) => (bytes ? Array.from(bytes, toCharacter).join("") : "");
  }
  const windowsLabel = codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : "utf-8";
  try {
    const decoder = new TextDecoder(labels[codePage] ?? windowsLabel);
    return (bytes) => (bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode());
  } catch {
    return decodeUtf8();
  }
}
