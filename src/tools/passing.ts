/** The bytes of a file as they pass by: their hash, and a copy of them where they are few. */
import { createHash } from "node:crypto"

/** Of a file whose content is kept when it is read, so that what others change in it can be told. */
const copyBytesMax = 256 * 1024

export class Passing {
  readonly #hash = createHash("sha256")
  #pieces: Uint8Array[] | null = []
  #size = 0

  push(bytes: Uint8Array): void {
    this.#hash.update(bytes)
    this.#size += bytes.length
    if (this.#size > copyBytesMax) this.#pieces = null
    // The caller's buffer is used again for the next bytes.
    this.#pieces?.push(bytes.slice())
  }

  /** After the last bytes. `bytes` is null where there were many. */
  end(): { readonly hash: string; readonly bytes: Uint8Array | null } {
    return { hash: this.#hash.digest("hex"), bytes: this.#pieces === null ? null : Buffer.concat(this.#pieces) }
  }
}
