/** Images of a size, made here. */

/** One colour, or noise, which no codec makes small. */
export async function pngOf(width: number, height: number, of: "plain" | "noise" = "plain"): Promise<Uint8Array> {
  const rgb = new Uint8Array(width * height * 3)
  let seed = 1
  if (of === "noise") {
    for (let at = 0; at < rgb.length; at++) {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
      rgb[at] = seed >>> 16
    }
  }
  return new Bun.Image(bitmap(width, height, rgb)).png().bytes()
}

/** A Windows bitmap, the plainest of formats: rows of blue, green, red, each filled up to four bytes. */
function bitmap(width: number, height: number, rgb: Uint8Array): Uint8Array {
  const row = Math.ceil((width * 3) / 4) * 4
  const file = Buffer.alloc(54 + row * height)
  file.write("BM")
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(54, 10)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  for (let y = 0; y < height; y++) file.set(rgb.subarray(y * width * 3, (y + 1) * width * 3), 54 + y * row)
  return file
}
