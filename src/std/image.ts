/** What an image is, by its first bytes: which of the kinds that models take, and how large. */
export type ImageSize = { readonly width: number; readonly height: number }

/** First bytes, as Latin-1. */
const kinds: readonly { readonly at: number; readonly bytes: string; readonly mimeType: string }[] = [
  { at: 0, bytes: "\x89PNG\r\n\x1a\n", mimeType: "image/png" },
  { at: 0, bytes: "\xff\xd8\xff", mimeType: "image/jpeg" },
  { at: 0, bytes: "GIF87a", mimeType: "image/gif" },
  { at: 0, bytes: "GIF89a", mimeType: "image/gif" },
  { at: 8, bytes: "WEBP", mimeType: "image/webp" },
]

/** So many bytes tell the kind. */
export const imageKindBytes = 16
/** So many bytes tell the size of nearly every image. */
export const imageHeadBytes = 64 * 1024

/** The MIME type of an image that models take; null for anything else. */
export function imageType(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, imageKindBytes)).toString("latin1")
  return kinds.find((kind) => start.startsWith(kind.bytes, kind.at))?.mimeType ?? null
}

/** Width and height in pixels from the header; null where the header does not say. */
export function imageSize(bytes: Uint8Array, mimeType: string): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    switch (mimeType) {
      case "image/png":
        return { width: view.getUint32(16), height: view.getUint32(20) }
      case "image/gif":
        return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
      case "image/jpeg":
        return jpegSize(view)
      case "image/webp":
        return webpSize(view)
      default:
        return null
    }
  } catch (error) {
    // A header that ends too early says nothing.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Segments follow one another, each with its length, up to the one that starts the frame. */
function jpegSize(view: DataView): ImageSize | null {
  let at = 2
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    const startsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (startsFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    // A marker may be preceded by any number of filling 0xff.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
  return null
}

function webpSize(view: DataView): ImageSize | null {
  switch (view.getUint8(15)) {
    case 0x58: // "VP8X": 24 bits each, less one
      return {
        width: 1 + view.getUint16(24, true) + (view.getUint8(26) << 16),
        height: 1 + view.getUint16(27, true) + (view.getUint8(29) << 16),
      }
    case 0x4c: {
      // "VP8L": 14 bits each, less one
      const bits = view.getUint32(21, true)
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
    }
    case 0x20: // "VP8 "
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    default:
      return null
  }
}
