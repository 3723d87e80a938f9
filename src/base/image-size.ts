/**
 * Reads how large a picture is from its first bytes. A file of some kilobytes can be a picture of gigabytes: what is too
 * large is not handed to the browser, which would unpack it.
 */

/** Four bytes each. */
const maxPixels = 25_000_000;

interface ImageSize {
  width: number;
  height: number;
}

/** Returns undefined for bytes that are no PNG, GIF, JPEG or WebP. */
export function imageSize(bytes: Uint8Array): ImageSize | "too-large" | undefined {
  const size = readSize(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (!size || size.width === 0 || size.height === 0) return undefined;
  return size.width * size.height > maxPixels ? "too-large" : size;
}

function readSize(view: DataView): ImageSize | undefined {
  if (view.byteLength < 30) return undefined;
  // https://www.w3.org/TR/png-3/#11IHDR
  if (view.getUint32(0) === 0x89504e47) return { width: view.getUint32(16), height: view.getUint32(20) };
  // https://www.w3.org/Graphics/GIF/spec-gif89a.txt, 18
  if (view.getUint32(0) === 0x47494638) return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (view.getUint16(0) === 0xffd8) return jpegSize(view);
  if (view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250) return webpSize(view);
  return undefined;
}

/** Goes from segment to segment up to the frame (ITU T.81, B.2.2). */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; at + 9 < view.byteLength; at += 2 + view.getUint16(at + 2)) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return undefined;
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(view: DataView): ImageSize | undefined {
  switch (view.getUint32(12)) {
    // "VP8 "
    case 0x56503820:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    // "VP8L"
    case 0x5650384c: {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    // "VP8X"
    case 0x56503858: {
      const size = (at: number) => (view.getUint16(at, true) | (view.getUint8(at + 2) << 16)) + 1;
      return { width: size(24), height: size(27) };
    }
    default:
      return undefined;
  }
}
