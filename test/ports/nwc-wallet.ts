import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { openPeerEncryption, type Scheme } from '../../mcp/ports/lightning/nwc/encryption.ts'
import {
  type NostrEvent,
  readSignedEvent,
  signEvent,
  toPublicKey,
} from '../../mcp/ports/lightning/nwc/event.ts'

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

type Request = { method: string; params: Record<string, unknown> }

/** What a wallet answers; undefined for nothing at all. */
export type Answer = { result?: object; error?: { code: string; message: string } } | undefined

/**
 * A Nostr relay on loopback and a wallet behind it that speaks Wallet Connect (NIP-47). The relay knows subscriptions by kind, author
 * and `p`, and keeps no request or response, as those are ephemeral.
 */
export const startWallet = async (answer: (request: Request) => Answer | Promise<Answer>) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise<void>(ready => server.on('listening', ready))
  const walletSecret = randomBytes(32).toString('hex')
  const secret = randomBytes(32).toString('hex')
  const wallet = toPublicKey(walletSecret)
  const client = toPublicKey(secret)
  const encryption = openPeerEncryption(walletSecret, client)
  const subscriptions = new Map<Socket, string>()
  const requests: (Request & { scheme: Scheme })[] = []
  const knobs = {
    scheme: 'nip44_v2' as Scheme,
    /** Changes what the wallet sends back. */
    change: (event: NostrEvent): NostrEvent => event,
    accepts: true,
  }

  const sign = (kind: number, tags: string[][], content: string): NostrEvent =>
    signEvent({ kind, tags, content, created_at: Math.floor(Date.now() / 1000) }, walletSecret)

  const publish = (event: NostrEvent) => {
    for (const [socket, id] of subscriptions) socket.send(JSON.stringify(['EVENT', id, event]))
  }

  const serve = async (event: NostrEvent) => {
    const request = JSON.parse(encryption.decrypt(event.content)) as Request
    const scheme = event.content.includes('?iv=') ? 'nip04' : 'nip44_v2'
    requests.push({ ...request, scheme })
    const said = await answer(request)
    if (!said) return
    const { result = null, error = null } = said
    const content = encryption.encrypt(JSON.stringify({ result_type: request.method, result, error }), scheme)
    const tags = [
      ['p', event.pubkey],
      ['e', event.id],
    ]
    publish(knobs.change(sign(23_195, tags, content)))
  }

  server.on('connection', socket =>
    socket.on('message', data => {
      const [kind, value] = JSON.parse(data.toString()) as [string, unknown]
      if (kind === 'REQ') {
        const id = String(value)
        subscriptions.set(socket, id)
        const tags = [['encryption', knobs.scheme === 'nip44_v2' ? 'nip44_v2 nip04' : 'nip04']]
        socket.send(JSON.stringify(['EVENT', id, sign(13_194, tags, 'pay_invoice make_invoice')]))
        socket.send(JSON.stringify(['EOSE', id]))
      }
      if (kind !== 'EVENT') return
      const event = readSignedEvent(value)
      const isOk = event !== undefined && knobs.accepts
      socket.send(JSON.stringify(['OK', event?.id ?? '', isOk, isOk ? '' : 'blocked: not today']))
      if (event && isOk && event.pubkey === client) void serve(event).catch(() => undefined)
    }),
  )

  return {
    uri: `nostr+walletconnect://${wallet}?relay=${encodeURIComponent(`ws://127.0.0.1:${server.address().port}`)}&secret=${secret}`,
    wallet,
    requests,
    knobs,
    /** Breaks all connections. */
    breakOff() {
      for (const each of server.clients) each.terminate()
      subscriptions.clear()
    },
    stop() {
      for (const each of server.clients) each.terminate()
      server.close()
    },
  }
}
