import { createSocket } from 'node:dgram'
import type { Server } from './server.ts'

export type Plain = Extract<Server, { kind: 'plain' }>

/**
 * Sends a query from a fresh socket, so from a random port, and gives each datagram of that server to `accept` until
 * one is taken. Rejects with the signal's reason or the socket's error.
 */
export const askUdp = <T>(
  server: Plain,
  bytes: Buffer,
  accept: (bytes: Buffer) => T | undefined,
  signal: AbortSignal,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const socket = createSocket(server.family === 6 ? 'udp6' : 'udp4')
    let over = false
    const end = (settle: () => void) => {
      if (over) return
      over = true
      signal.removeEventListener('abort', stop)
      socket.close()
      settle()
    }
    const fail = (cause: unknown) => end(() => reject(cause))
    const stop = () => fail(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    socket.on('error', fail)
    socket.on('message', message => {
      const reply = accept(message)
      if (reply !== undefined) end(() => resolve(reply))
    })
    socket.connect(server.port, server.address, (cause?: Error) => {
      if (cause) return fail(cause)
      if (!over) socket.send(bytes)
    })
  })
