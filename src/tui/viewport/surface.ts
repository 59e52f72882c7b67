/**
 * The one node that rows are drawn on.
 *
 * - All rows of a view go to the native renderer as one styled text, not as a node each: what a paint costs depends on the rows in view alone.
 * - Nothing is encoded anew while the rows stay the same, and the text buffer is made again when the terminal turns out to measure otherwise.
 */
import {
  Renderable,
  RGBA,
  StyledText,
  TextBuffer,
  TextBufferView,
  type OptimizedBuffer,
  type RenderableOptions,
  type RenderContext,
  type TextChunk,
} from "@opentui/core"
import { unjoined, type WidthMethod } from "../../std/text.ts"

export type SurfaceFill = { readonly row: number; readonly color: RGBA }
/** A cell beside the text: the scrollbar's thumb, the mark of the current block. */
export type SurfaceCell = { readonly row: number; readonly column: number; readonly text: string; readonly color: RGBA }

export type SurfaceContent = {
  /** Chunks of all rows, with a newline after each. */
  readonly chunks: TextChunk[]
  readonly fills: readonly SurfaceFill[]
  readonly cells: readonly SurfaceCell[]
  /** Columns before the text. */
  readonly left: number
}

const clear = RGBA.fromValues(0, 0, 0, 0)

export class Surface extends Renderable {
  #content: SurfaceContent = { chunks: [], fills: [], cells: [], left: 0 }
  #method: WidthMethod
  #text: TextBuffer
  #view: TextBufferView
  #stale = true

  /** Called right before a paint, so that rows are laid out at most once a frame. */
  onPaint: () => void = () => {}

  constructor(context: RenderContext, options: RenderableOptions<Surface>, method: WidthMethod) {
    super(context, options)
    this.#method = method
    this.#text = TextBuffer.create(method, context.nativeScene)
    this.#view = TextBufferView.create(this.#text)
    this.#view.setWrapMode("none")
  }

  set method(method: WidthMethod) {
    if (method === this.#method) return
    this.#method = method
    this.#view.destroy()
    this.#text.destroy()
    this.#text = TextBuffer.create(method, this._ctx.nativeScene)
    this.#view = TextBufferView.create(this.#text)
    this.#view.setWrapMode("none")
    this.#stale = true
    this.requestRender()
  }

  set content(content: SurfaceContent) {
    this.#content = content
    this.#stale = true
  }

  protected override renderSelf(buffer: OptimizedBuffer): void {
    this.onPaint()
    const { width, height } = this
    const x = Math.trunc(this._screenX)
    const y = Math.trunc(this._screenY)
    if (this.#stale) {
      this.#stale = false
      this.#text.setStyledText(new StyledText(this.#content.chunks.map((one) => this.#drawn(one))))
    }
    const { fills, cells, left } = this.#content
    for (const { row, color } of fills) if (row < height) buffer.fillRect(x, y + row, width, 1, color)
    if (width <= left || height < 1) return
    this.#view.setViewportSize(width - left, height)
    buffer.drawTextBuffer(this.#view, x + left, y)
    for (const { row, column, text, color } of cells) {
      if (row < height && column < width) buffer.drawText(text, x + column, y + row, color, clear)
    }
  }

  #drawn(chunk: TextChunk): TextChunk {
    const text = unjoined(chunk.text, this.#method)
    return text === chunk.text ? chunk : { ...chunk, text }
  }

  protected override destroyOwnedResources(): void {
    super.destroyOwnedResources()
    this.#view.destroy()
    this.#text.destroy()
  }
}
