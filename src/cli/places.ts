/** Where sockets live on this machine, for this user. */
import type { SocketPlaces } from "../wire/socket.ts"

export function socketPlaces(): SocketPlaces {
  return { runtime: process.env.XDG_RUNTIME_DIR, temporary: "/tmp", uid: process.getuid?.() ?? 0 }
}
