import { connect } from 'node:net'
import type { Plain } from './udp.ts'

/** Length-prefixed as DNS over TCP wants it (RFC 1035 section 4.2.2). */
const frameMessage = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** Sends one query over TCP and returns the one answer's bytes. Rejects with the signal's reason or the socket's error. */
export const askTcp = (server: Plain, bytes: Buffer, signal: AbortSignal): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: server.address, port: server.port, signal })
    let received = Buffer.alloc(0)
    socket.on('error', cause => reject(signal.aborted ? signal.reason : cause))
    socket.on('close', () => reject(new Error('The connection closed before the answer was whole.')))
    socket.on('data', chunk => {
      received = Buffer.concat([received, chunk])
      if (received.length < 2) return
      const length = received.readUInt16BE()
      if (received.length < 2 + length) return
      resolve(received.subarray(2, 2 + length))
      socket.destroy()
    })
    socket.write(frameMessage(bytes))
  })
