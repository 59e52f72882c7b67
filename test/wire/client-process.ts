/** A client in a process of its own: `client-process.ts <socket> <seq>` says `watching`, and what it got once it has seen commit `seq`. */
import { protocolVersion } from "../../src/protocol/port.ts"
import { attachPort } from "../../src/wire/attach.ts"
import { connectSocket } from "../../src/wire/socket.ts"

const [path = "", last = "0"] = process.argv.slice(2)
const client = await attachPort({
  connect: (events) => connectSocket(path, events),
  hello: { protocol: protocolVersion, build: "1.2.3", client: "main", open: { how: "held" } },
  helloMsMax: 30_000,
})
let [snapshots, commits, gaps, seq] = [0, 0, 0, 0]
client.watch((frame) => {
  if (frame.type !== "snapshot" && frame.type !== "commit") return
  if (frame.type === "snapshot") snapshots++
  else {
    commits++
    if (frame.seq !== seq + 1) gaps++
  }
  seq = frame.seq
  if (snapshots === 1 && commits === 0) process.stdout.write("watching\n")
  if (seq === Number(last)) process.stdout.write(JSON.stringify({ snapshots, commits, gaps }) + "\n")
})
