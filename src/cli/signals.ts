/** Signals as exit statuses: 130 for an interrupt, 143 and 129 for an end with work pending. */
const statuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Calls `heard` with the status of each signal; the returned function takes the hooks away. */
export function onSignals(heard: (code: number) => void | Promise<void>): () => void {
  const hooks = Object.entries(statuses).map(([signal, code]) => {
    const hook = (): void => void heard(code)
    process.on(signal as NodeJS.Signals, hook)
    return () => process.off(signal as NodeJS.Signals, hook)
  })
  return () => hooks.forEach((unhook) => unhook())
}
