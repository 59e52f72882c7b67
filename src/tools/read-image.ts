/**
 * read, where the file is an image: the image itself, within what a model takes, and a line that says what it is.
 *
 * - Where it was scaled, the line says by how much, so that places in it can be told in the file's own pixels.
 */
import { imageSize } from "../std/image.ts"
import { fitImage, imageFileBytesMax } from "../std/fit-image.ts"
import { sizeText } from "./show.ts"
import { errorResult, textResult, type ToolContext, type ToolResult } from "./tool.ts"

export type ImageFile = {
  /** As the model named it. */
  readonly path: string
  readonly mimeType: string
  /** Bytes of the file, as its folder tells them. */
  readonly bytes: number
  /** Its beginning, which says how large it is. */
  readonly head: Uint8Array
  /** All of it. */
  read(): Promise<Uint8Array>
}

export async function readImage(file: ImageFile, context: ToolContext): Promise<ToolResult> {
  const { path, mimeType, bytes, head } = file
  const header = imageSize(head, mimeType)
  const pixels = header === null ? "" : `, ${header.width}×${header.height} pixels`
  const label = `${mimeType}, ${sizeText(bytes)}${pixels}`
  const details = { path, mimeType, bytes, width: header?.width, height: header?.height }
  if (!context.images) return textResult(`[${path}: ${label}. This model takes no images.]`, { details })
  if (bytes > imageFileBytesMax)
    return errorResult(
      `${path} is too large to look at (${label}): make a copy of at most ${sizeText(imageFileBytesMax)}.`,
    )
  const fitted = await fitImage(await file.read(), mimeType)
  if (!fitted.ok) return errorResult(`${path} (${label}) cannot be shown: ${fitted.reason}.`)
  const { scaledFrom, size } = fitted
  const factor = scaledFrom === null ? 1 : scaledFrom.width / size.width
  const scale =
    scaledFrom === null
      ? ""
      : factor === 1
        ? `; shown as ${fitted.mimeType}`
        : `; shown at ${size.width}×${size.height}: multiply by ${factor.toFixed(2)} for places in the file`
  return {
    content: [
      { type: "text", text: `[${label}${scale}]` },
      { type: "image", data: Buffer.from(fitted.bytes).toString("base64"), mimeType: fitted.mimeType },
    ],
    isError: false,
    details,
  }
}
