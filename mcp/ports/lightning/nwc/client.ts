import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { parseJson } from '../../../lib/json.ts'
import type { Sockets } from '../../sockets/port.ts'
import { openPeerEncryption, type Scheme } from './encryption.ts'
import { type NostrEvent, readSignedEvent, signEvent, toPublicKey } from './event.ts'
import type { Connection } from './uri.ts'

/** A wallet's reply that it did not act. `code` is one of NIP-47. */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message.slice(0, 200))
    this.code = code
  }
}

export type NwcClient = {
  /** Asks the wallet. Throws WalletError for what it refuses, an Error where it does not answer in time. */
  ask(method: string, params: object): Promise<unknown>
  close(): void
}

type Options = { sockets: Sockets; now: () => Date; timeoutMs?: number }

const kinds = { info: 13_194, request: 23_194, response: 23_195 }

const silenceMs = 300_000

/** Time for a relay to say what the wallet can do, before it is asked all the same. */
const infoMs = 3_000

const Response = z.object({
  error: z.object({ code: z.string(), message: z.string().catch('') }).nullish(),
  result: z.unknown(),
})

type Waiting = {
  text: string
  /** The relay has it: it is not sent again where the connection breaks. */
  isTaken: boolean
  resolve(result: unknown): void
  reject(error: Error): void
}

/** True when the wallet reads NIP-44: where it does not say so, it reads the older scheme only. */
const readScheme = ({ tags }: NostrEvent): Scheme => {
  const [, names = ''] = tags.find(([name]) => name === 'encryption') ?? []
  return names.split(/\s+/).includes('nip44_v2') ? 'nip44_v2' : 'nip04'
}

/** Opens a connection to a wallet. It is made with the first question, and made again when it breaks. */
export const openClient = (
  { wallet, relay, secret }: Connection,
  { sockets, now, timeoutMs = 30_000 }: Options,
): NwcClient => {
  const own = toPublicKey(secret)
  const encryption = openPeerEncryption(secret, wallet)
  const subscription = randomBytes(8).toString('hex')
  const waiting = new Map<string, Waiting>()
  let send: ((text: string) => void) | undefined
  let scheme: Scheme = 'nip04'
  let learn = () => {}
  const learned = new Promise<void>(resolve => {
    learn = resolve
  })

  /** Sends what the relay may lack. To be asked twice does no harm: an invoice is paid once. */
  const sendWaiting = () => {
    for (const request of waiting.values()) if (!request.isTaken) send?.(request.text)
  }

  const readResponse = ({ tags, content }: NostrEvent) => {
    const [, id = ''] = tags.find(([name]) => name === 'e') ?? []
    const request = waiting.get(id)
    if (!request) return
    try {
      const { error, result } = Response.parse(parseJson(encryption.decrypt(content)))
      if (error) request.reject(new WalletError(error.code, error.message))
      else request.resolve(result)
    } catch {
      request.reject(new Error('the wallet answers what cannot be read'))
    }
  }

  const onEvent = (value: unknown) => {
    const event = readSignedEvent(value)
    if (event?.pubkey !== wallet) return
    if (event.kind === kinds.response) readResponse(event)
    if (event.kind !== kinds.info) return
    scheme = readScheme(event)
    learn()
  }

  const onMessage = (text: string) => {
    const message = parseJson(text)
    if (!Array.isArray(message)) return
    const [kind, id, value, note] = message
    if (kind === 'EVENT') onEvent(value)
    if (kind === 'EOSE') learn()
    const request = kind === 'OK' ? waiting.get(String(id)) : undefined
    if (request && value === true) request.isTaken = true
    if (request && value === false)
      request.reject(new WalletError('RELAY', `the relay refuses it: ${String(note)}`))
  }

  const connect = () =>
    sockets.keep(relay, {
      silenceMs,
      onOpen(sendText) {
        send = sendText
        const filters = [
          { kinds: [kinds.response], authors: [wallet], '#p': [own] },
          { kinds: [kinds.info], authors: [wallet], limit: 1 },
        ]
        sendText(JSON.stringify(['REQ', subscription, ...filters]))
        sendWaiting()
      },
      onMessage,
    })
  let socket: ReturnType<typeof connect> | undefined

  const request = (method: string, params: object) => {
    const created_at = Math.floor(now().getTime() / 1000)
    const event = signEvent(
      {
        kind: kinds.request,
        created_at,
        // A wallet that comes too late must not do it any more: nobody waits for it.
        tags: [
          ['p', wallet],
          ['encryption', scheme],
          ['expiration', String(created_at + Math.ceil(timeoutMs / 1000))],
        ],
        content: encryption.encrypt(JSON.stringify({ method, params }), scheme),
      },
      secret,
    )
    return { id: event.id, text: JSON.stringify(['EVENT', event]) }
  }

  return {
    async ask(method, params) {
      socket ??= connect()
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<void>(resolve => {
        timer = setTimeout(resolve, infoMs)
      })
      await Promise.race([learned, patience]).finally(() => clearTimeout(timer))
      const { id, text } = request(method, params)
      try {
        return await new Promise((resolve, reject) => {
          timer = setTimeout(() => reject(new Error('the wallet does not answer')), timeoutMs)
          waiting.set(id, { text, isTaken: false, resolve, reject })
          send?.(text)
        })
      } finally {
        clearTimeout(timer)
        waiting.delete(id)
      }
    },
    close() {
      socket?.close()
      for (const { reject } of waiting.values()) reject(new Error('the connection was closed'))
    },
  }
}
