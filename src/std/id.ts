/** Ids: a session's is a UUIDv7, shown by its last eight digits, which are random where the first are time. */

/** A new UUIDv7 for the millisecond `now`, from `random` (16 bytes). */
export function uuidv7(now: number, random: Uint8Array = crypto.getRandomValues(new Uint8Array(16))): string {
  const bytes = Uint8Array.from(random)
  for (let place = 0; place < 6; place++) bytes[place] = Math.floor(now / 2 ** (8 * (5 - place))) % 256
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toHex()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** What people see and type of a session's id. */
export function shortId(id: string): string {
  return id.slice(-8)
}

/** A request id, made by the client that asks, so that asking twice is admitted once. */
export function requestId(): string {
  return crypto.randomUUID()
}

/** The millisecond at which an id was made, as it says. */
export function createdAt(id: string): number {
  return Number.parseInt(id.replace("-", "").slice(0, 12), 16)
}
