/**
 * Extended attributes of files, access control lists among them: what a file that takes another's place would lose.
 *
 * - Where they cannot be read there are none; one that cannot be given is told, and the caller does without a new file.
 * - What belongs to the content and not to the file is left out: the kernel takes it away at any write.
 * - macOS has one call for all of it.
 */
import { dlopen, FFIType, type Pointer } from "bun:ffi"

/** Names and values beyond this are no attributes that a person made. */
const bytesMax = 64 * 1024
const ofContent = new Set(["security.capability", "security.ima", "security.evm"])

const { ptr, i32, i64 } = FFIType

const linuxCalls = {
  listxattr: { args: [ptr, ptr, i64], returns: i64 },
  getxattr: { args: [ptr, ptr, ptr, i64], returns: i64 },
  setxattr: { args: [ptr, ptr, ptr, i64, i32], returns: i32 },
  removexattr: { args: [ptr, ptr], returns: i32 },
} as const

type LinuxCalls = ReturnType<typeof dlopen<typeof linuxCalls>>["symbols"]

let linux: LinuxCalls | null | undefined

/** null where there is no C library that can be called. */
function calls(): LinuxCalls | null {
  linux ??= opened(["libc.so.6", "libc.so"], linuxCalls)
  return linux
}

function opened<T extends Parameters<typeof dlopen>[1]>(names: readonly string[], wanted: T) {
  for (const name of names) {
    try {
      return dlopen(name, wanted).symbols
    } catch {
      // Another C library has another name; without any, attributes are not known.
    }
  }
  return null
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`)

/** The names of what `path` has. */
export function attributeNames(path: string): readonly string[] {
  const library = calls()
  const names = Buffer.alloc(bytesMax)
  const length = Number(library?.listxattr(text(path), names, names.length) ?? -1)
  if (length <= 0) return []
  return names
    .toString("utf8", 0, length)
    .split("\0")
    .filter((name) => name !== "")
}

/** null where there is none of that name. */
export function readAttribute(path: string, name: string): Uint8Array | null {
  const value = Buffer.alloc(bytesMax)
  const length = Number(calls()?.getxattr(text(path), text(name), value, value.length) ?? -1)
  return length < 0 ? null : value.subarray(0, length)
}

/** False where it cannot be given. */
export function writeAttribute(path: string, name: string, value: Uint8Array): boolean {
  // An empty value has no place in memory that could be named.
  const bytes = value.length === 0 ? Buffer.alloc(1) : value
  return Number(calls()?.setxattr(text(path), text(name), bytes, value.length, 0) ?? -1) === 0
}

/** Give `to` the attributes of `from`, and no others; false where that is not possible. */
export function copyAttributes(from: string, to: string): boolean {
  if (process.platform === "darwin") return copiedByCopyfile(from, to)
  const names = attributeNames(from).filter((name) => !ofContent.has(name))
  for (const name of attributeNames(to)) {
    // What a folder gives to each new file in it: a list of who may open it.
    if (!names.includes(name) && name.startsWith("system.")) calls()?.removexattr(text(to), text(name))
  }
  return names.every((name) => {
    const value = readAttribute(from, name)
    if (value === null) return false
    const now = readAttribute(to, name)
    return (now !== null && Buffer.compare(now, value) === 0) || writeAttribute(to, name, value)
  })
}

/** Attributes and lists of who may open a file. */
const copyfileFlags = (1 << 0) | (1 << 2)

function copiedByCopyfile(from: string, to: string): boolean {
  const wanted = { copyfile: { args: [ptr, ptr, ptr, i32], returns: i32 } } as const
  const none: Pointer | null = null
  return opened(["libSystem.B.dylib"], wanted)?.copyfile(text(from), text(to), none, copyfileFlags) === 0
}
