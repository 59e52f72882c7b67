/**
 * The sessions' port of a screen: its host's, so that nothing waits for a disk where keys are heard; this process's own while there is no host.
 */
import type { SessionsPort } from "../protocol/sessions.ts"
import { Unreachable } from "../wire/attach.ts"

export function screenSessions(own: SessionsPort, hosts: () => SessionsPort | null): SessionsPort {
  const ask = async <T>(work: (port: SessionsPort) => Promise<T>): Promise<T> => {
    const port = hosts()
    if (port === null) return work(own)
    try {
      return await work(port)
    } catch (error) {
      // The host has gone meanwhile: what is on the disk is there without it.
      if (error instanceof Unreachable) return work(own)
      throw error
    }
  }
  return {
    list: (query) => ask((port) => port.list(query)),
    find: (name) => ask((port) => port.find(name)),
    search: (query) => ask((port) => port.search(query)),
    preview: (id) => ask((port) => port.preview(id)),
    change: (id, change) => ask((port) => port.change(id, change)),
    remove: (id) => ask((port) => port.remove(id)),
    restore: (id) => ask((port) => port.restore(id)),
  }
}
