import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { checkEvent, readEvent } from '../../../mcp/services/proof/proofs/verify/event.ts'

type Socket = { send(text: string): void; on(name: 'message', heard: (data: Buffer) => void): void }
type Server = {
  on(name: 'connection', met: (socket: Socket) => void): void
  on(name: 'listening', ready: () => void): void
  address(): AddressInfo
  clients: Set<{ terminate(): void }>
  close(): void
}
const { WebSocketServer } = createRequire(import.meta.url)('ws') as {
  WebSocketServer: new (options: { port: number; host: string }) => Server
}

/** A Nostr relay on loopback (NIP-01): it takes events whose signature holds. `reply` makes it say something else. */
export const startRelay = async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise<void>(ready => server.on('listening', ready))
  const events = new Map<string, unknown>()
  const relay = {
    url: `ws://127.0.0.1:${server.address().port}`,
    events,
    /** What it says of an event; nothing for undefined. */
    reply: (id: string): unknown[] | undefined => ['OK', id, true, ''],
    stop() {
      for (const client of server.clients) client.terminate()
      server.close()
    },
  }
  server.on('connection', socket =>
    socket.on('message', data => {
      const [kind, value] = JSON.parse(data.toString()) as [string, unknown]
      const reading = readEvent(value)
      if (kind !== 'EVENT' || 'fault' in reading) return
      const { event } = reading
      const isValid = checkEvent(event).signature_valid
      const answer = isValid ? relay.reply(event.id) : ['OK', event.id, false, 'invalid: bad signature']
      if (answer?.[2] === true) events.set(event.id, event)
      if (answer) socket.send(JSON.stringify(answer))
    }),
  )
  return relay
}
