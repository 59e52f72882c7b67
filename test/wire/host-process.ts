/** A host in a process of its own: `host-process.ts <socket> [pipes]`. Its session does what a `shell` command says. */
import { overPipes } from "../../src/wire/pipes.ts"
import { servePort } from "../../src/wire/serve.ts"
import { listenSocket } from "../../src/wire/socket.ts"
import type { Command } from "../../src/protocol/port.ts"
import { ScriptedPort, scriptedService } from "./scripted-port.ts"

const [path = "", pipes] = process.argv.slice(2)
const port = new ScriptedPort()

port.answer = async (command: Command) => {
  if (command.type !== "shell") return null
  const [what, times, size] = command.command.split(" ")
  if (what === "die") process.kill(process.pid, "SIGKILL")
  if (what === "hang") return new Promise(() => {})
  for (let left = Number(times); left > 0; left--) port.commit("x".repeat(Number(size)))
  return { entry: port.seq, output: String(port.watchers), exit: 0 }
}

const service = scriptedService(port)
await listenSocket(path, (connection) => servePort(connection, service))
if (pipes === undefined) process.stdout.write("ready\n")
else {
  overPipes({ input: Bun.stdin.stream(), output: Bun.stdout.writer() }, (connection) => servePort(connection, service))
}
