import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

type Tick = { timestamp: number; value: number; full_accuracy_value: string }
type Message = { op?: string; rid?: string; auth?: { apiKey?: string }; subscriptions?: Subscription[] }
type Subscription = { channel: string; filter: { symbol: string; window_seconds: number } }

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** A text frame of RFC 6455, unmasked as servers send them. */
const toFrame = (text: string): Buffer => {
  const body = Buffer.from(text)
  if (body.length < 126) return Buffer.concat([Buffer.from([0x81, body.length]), body])
  const head = Buffer.alloc(10)
  head[0] = 0x81
  head[1] = 127
  head.writeBigUInt64BE(BigInt(body.length), 2)
  return Buffer.concat([head, body])
}

/** The text frames of a client, masked and shorter than 64 KiB; other frames are left out. */
const readFrames = (bytes: Buffer): { texts: string[]; rest: Buffer } => {
  const texts: string[] = []
  let at = 0
  while (bytes.length - at >= 6) {
    const [first = 0, second = 0] = bytes.subarray(at, at + 2)
    const short = second & 0x7f
    const head = short === 126 ? 4 : 2
    const length = short === 126 ? bytes.readUInt16BE(at + 2) : short
    const end = at + head + 4 + length
    if (bytes.length < end) break
    const mask = bytes.subarray(at + head, at + head + 4)
    const body = Buffer.from(bytes.subarray(at + head + 4, end))
    for (const index of body.keys()) body[index] = (body[index] ?? 0) ^ (mask[index % 4] ?? 0)
    if ((first & 0x0f) === 1) texts.push(body.toString('utf8'))
    at = end
  }
  return { texts, rest: bytes.subarray(at) }
}

/** A server with the wire format of the market's socket: authentication, subscriptions, snapshots of two minutes, and reports. */
export const startPolybolt = async (atPort = 0) => {
  const clients = new Set<Socket>()
  const subscribed = new Set<Socket>()
  const tapes = new Map<string, Tick[]>()
  let connections = 0
  let waiting: { count: number; resolve: () => void }[] = []

  const send = (socket: Socket, message: object) => socket.write(toFrame(JSON.stringify(message)))
  const envelope = (payload: object, more: object = {}) => ({
    v: 1,
    channel: 'price.crypto.twap',
    seq: 1,
    ts: 0,
    ...more,
    payload: { window_seconds: 60, source: 'chainlink', ...payload },
  })

  const answer = (socket: Socket, { op, rid, auth, subscriptions = [] }: Message) => {
    if (op === 'auth') {
      const isKnown = auth?.apiKey === 'key'
      return send(socket, isKnown ? { op: 'authed', rid } : { op: 'error', code: 'auth_invalid', rid })
    }
    if (op !== 'subscribe') return
    for (const { filter } of subscriptions) {
      const tape = tapes.get(filter.symbol) ?? []
      const last = tape.at(-1)?.timestamp ?? 0
      const data = tape.filter(({ timestamp }) => timestamp > last - 120_000)
      send(socket, envelope({ symbol: filter.symbol, data }, { snapshot: true }))
    }
    subscribed.add(socket)
    waiting = waiting.filter(({ count, resolve }) => {
      if (connections < count) return true
      resolve()
      return false
    })
  }

  const server = createServer((_, response) => response.writeHead(426).end())
  server.on('upgrade', (request, stream) => {
    const socket = stream as Socket
    connections++
    clients.add(socket)
    socket.on('close', () => {
      clients.delete(socket)
      subscribed.delete(socket)
    })
    socket.on('error', () => undefined)
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}${magic}`)
      .digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    let rest: Buffer = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      const frames = readFrames(Buffer.concat([rest, bytes]))
      rest = frames.rest
      for (const text of frames.texts) answer(socket, JSON.parse(text))
    })
  })
  server.listen(atPort, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `ws://127.0.0.1:${port}`,
    /** Writes a report to the tape, and to whoever listens. */
    report(symbol: string, timestamp: number, price: string) {
      const tick = { timestamp, value: Math.round(Number(price)), full_accuracy_value: price }
      tapes.set(symbol, [...(tapes.get(symbol) ?? []), tick])
      for (const socket of subscribed) send(socket, envelope({ symbol, ...tick }))
    },
    /** Sends any text to whoever listens. */
    say(text: string) {
      for (const socket of subscribed) socket.write(toFrame(text))
    },
    /** Breaks every connection. */
    drop() {
      for (const socket of clients) socket.destroy()
    },
    /** Resolves when a client has subscribed on the n-th connection, or later. */
    subscription(count: number): Promise<void> {
      if (subscribed.size > 0 && connections >= count) return Promise.resolve()
      return new Promise(resolve => waiting.push({ count, resolve }))
    },
    async stop() {
      for (const socket of clients) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
