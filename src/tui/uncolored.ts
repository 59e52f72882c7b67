/** For a screen without colours: the renderer draws what nobody wrote on in white, which is a colour too, and on white paper a wrong one. */
import { RGBA, type OptimizedBuffer } from "@opentui/core"

const own = new BigUint64Array(RGBA.defaultForeground().buffer.slice().buffer, 0, 1)[0] ?? 0n

/** Gives every cell the terminal's own foreground. */
export function uncolored(buffer: OptimizedBuffer): void {
  const { fg } = buffer.buffers
  new BigUint64Array(fg.buffer, fg.byteOffset, fg.length / 4).fill(own)
}
