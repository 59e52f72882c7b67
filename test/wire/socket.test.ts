import { expect, test } from "bun:test"
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { listenSocket, socketFolder, socketName, socketPath, socketsIn, sweepSocket } from "../../src/wire/socket.ts"
import { tempFolder } from "./temp.ts"

const uid = process.getuid?.() ?? 0
const deaf = { data() {}, drained() {}, closed() {} }

test("sockets live in the runtime folder, made for this user alone", () => {
  using folder = tempFolder()
  const made = socketFolder({ runtime: folder.path, temporary: "/nowhere", uid })
  expect(made).toEqual({ ok: true, path: join(folder.path, "cairn") })
  expect(statSync(join(folder.path, "cairn")).mode & 0o777).toBe(0o700)
  expect(socketFolder({ runtime: folder.path, temporary: "/nowhere", uid })).toEqual(made)
})

test("a loose umask does not open the folder, and a tight one does not close it", () => {
  using folder = tempFolder()
  for (const mask of [0, 0o777]) {
    const before = process.umask(mask)
    const temporary = join(folder.path, String(mask))
    try {
      mkdirSync(temporary)
      chmodSync(temporary, 0o700)
      expect(socketFolder({ runtime: undefined, temporary, uid }).ok).toBe(true)
    } finally {
      process.umask(before)
    }
    expect(statSync(join(temporary, `cairn-${uid}`)).mode & 0o777).toBe(0o700)
  }
})

test.each([
  ["unset", () => undefined],
  ["relative", () => "run"],
  ["missing", (path: string) => join(path, "none")],
  ["too long for a socket's path", (path: string) => join(path, "x".repeat(90))],
])("where the runtime folder is %s, a folder of the user's own in the temporary one serves", (_, runtime) => {
  using folder = tempFolder()
  const found = socketFolder({ runtime: runtime(folder.path), temporary: folder.path, uid })
  expect(found).toEqual({ ok: true, path: join(folder.path, `cairn-${uid}`) })
})

test.each([
  ["a link", (path: string) => symlinkSync("/", path), "is a link: remove it."],
  ["a file", (path: string) => writeFileSync(path, ""), "is not a folder: remove it."],
  [
    "open to others",
    (path: string) => {
      mkdirSync(path)
      chmodSync(path, 0o750)
    },
    "is open to others or closed to you: set its mode to 700.",
  ],
])("a folder that is %s is not used, and the reason is a sentence", (_, plant, sentence) => {
  using folder = tempFolder()
  const own = join(folder.path, `cairn-${uid}`)
  plant(own)
  const found = socketFolder({ runtime: undefined, temporary: folder.path, uid })
  expect(found).toEqual({ ok: false, reasons: [`${own} ${sentence}`] })
})

test("a folder that another user planted is not used", () => {
  using folder = tempFolder()
  mkdirSync(join(folder.path, `cairn-${uid + 1}`), { mode: 0o700 })
  const found = socketFolder({ runtime: undefined, temporary: folder.path, uid: uid + 1 })
  expect(found.ok ? [] : found.reasons).toEqual([
    `${join(folder.path, `cairn-${uid + 1}`)} belongs to user ${uid}, not to you.`,
  ])
})

test("the sockets of a folder are those with a name of eight hex digits, and a missing folder has none", () => {
  using folder = tempFolder()
  const path = socketPath(folder.path, socketName(Uint8Array.of(0xab, 1, 2, 3)))
  expect(path).toBe(join(folder.path, "ab010203.sock"))
  for (const name of ["ab010203.sock", "00000000.sock", "lock", "xyz.sock", "ab010203.sock.old"]) {
    writeFileSync(join(folder.path, name), "")
  }
  expect(socketsIn(folder.path)).toEqual([join(folder.path, "00000000.sock"), path])
  expect(socketsIn(join(folder.path, "none"))).toEqual([])
})

test("only a socket that nobody listens on is swept", async () => {
  using folder = tempFolder()
  const live = socketPath(folder.path, "00000001")
  const listener = await listenSocket(live, () => deaf)
  const stale = socketPath(folder.path, "00000002")
  writeFileSync(stale, "")
  expect(await sweepSocket(live)).toBe(false)
  expect(await sweepSocket(stale)).toBe(true)
  expect(await sweepSocket(stale)).toBe(false)
  expect(socketsIn(folder.path)).toEqual([live])
  listener.stop()
  expect(socketsIn(folder.path)).toEqual([])
})
