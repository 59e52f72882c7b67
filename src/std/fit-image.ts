/**
 * An image as a model takes it: decoded whole, so that a broken one is told here and not by a provider at every later request; scaled down
 * where it is too large.
 *
 * - The codecs are the runtime's own; they work on threads of theirs. The image stands upright as its EXIF data say, once it is written anew.
 * - What fits goes as it is. Else a PNG stays a PNG where that fits, and becomes a JPEG where it does not: what every server takes.
 */
import { errorCode } from "./files.ts"
import type { ImageSize } from "./image.ts"

/** Providers take up to 5 MB of base64 for an image. */
export const imageBytesMax = 3_500_000
/** With many images in a request, some providers take no more pixels a side than this. */
export const imageSideMax = 2_000
/** What is read and decoded at all: four bytes a pixel while it is at work. */
export const imageFileBytesMax = 64 * 1024 * 1024
export const imagePixelsMax = 100_000_000

const jpegQualities = [85, 70, 50]
/** Sides to try, each three quarters of the one before: the last fits whatever is in it. */
const sides = [imageSideMax, 1_500, 1_125, 844, 633, 475]

export type Fitted =
  | {
      readonly ok: true
      readonly bytes: Uint8Array
      readonly mimeType: string
      readonly size: ImageSize
      /** The size that it had, where it has another now. */
      readonly scaledFrom: ImageSize | null
    }
  | { readonly ok: false; readonly reason: string }

/** `bytes`, an image of type `mimeType`, within the limits; `bytesMax`: a narrower one, where several share what one message takes. */
export async function fitImage(bytes: Uint8Array, mimeType: string, bytesMax = imageBytesMax): Promise<Fitted> {
  try {
    const { width, height } = await image(bytes).metadata()
    const fits = bytes.length <= bytesMax && Math.max(width, height) <= imageSideMax
    if (!fits) return await scaled(bytes, mimeType, { width, height }, bytesMax)
    // Decoded for nothing but to know that it can be.
    await image(bytes).resize(8, 8, { filter: "box" }).png().bytes()
    return { ok: true, bytes, mimeType, size: { width, height }, scaledFrom: null }
  } catch (error) {
    const reason = reasons[errorCode(error) ?? ""]
    if (reason === undefined) throw error
    return { ok: false, reason }
  }
}

const reasons: Readonly<Record<string, string>> = {
  ERR_IMAGE_DECODE_FAILED: "it is damaged: it cannot be decoded",
  ERR_IMAGE_UNKNOWN_FORMAT: "it is damaged: it cannot be decoded",
  ERR_IMAGE_FORMAT_UNSUPPORTED: "it is of a kind that cannot be decoded here",
  ERR_IMAGE_TOO_MANY_PIXELS: `it has more than ${imagePixelsMax / 1_000_000} million pixels`,
}

function image(bytes: Uint8Array): Bun.Image {
  return new Bun.Image(bytes, { maxPixels: imagePixelsMax })
}

async function scaled(bytes: Uint8Array, mimeType: string, scaledFrom: ImageSize, bytesMax: number): Promise<Fitted> {
  for (const side of sides) {
    const smaller = (): Bun.Image => image(bytes).resize(side, side, { fit: "inside", withoutEnlargement: true })
    if (mimeType === "image/png" || mimeType === "image/gif") {
      const png = await smaller().png().bytes()
      if (png.length <= bytesMax) return done(png, "image/png", scaledFrom)
    }
    for (const quality of jpegQualities) {
      const jpeg = await smaller().jpeg({ quality }).bytes()
      if (jpeg.length <= bytesMax) return done(jpeg, "image/jpeg", scaledFrom)
    }
  }
  return { ok: false, reason: "it could not be made small enough" }
}

async function done(bytes: Uint8Array, mimeType: string, scaledFrom: ImageSize): Promise<Fitted> {
  const { width, height } = await image(bytes).metadata()
  return { ok: true, bytes, mimeType, size: { width, height }, scaledFrom }
}
