import { connect } from 'node:net'
import type { Fetch } from '../fetch/port.ts'
import { type Question, type Reply, readReply, writeQuestion } from './message.ts'
import type { DnsAnswer, DnsType } from './port.ts'
import type { Server } from './server.ts'
import { askUdp, type Plain } from './udp.ts'

/** Length-prefixed as DNS over TCP wants it (RFC 1035 section 4.2.2). */
const frameMessage = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** Sends one query over TCP and returns the one answer's bytes. Rejects with the signal's reason or the socket's error. */
const askTcp = (server: Plain, bytes: Buffer, signal: AbortSignal): Promise<Buffer> =>
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

/** Sends one query to a DNS-over-HTTPS endpoint and returns the answer's bytes (RFC 8484). Throws what `fetch` throws. */
const askHttps = async (fetch: Fetch, url: string, bytes: Buffer, signal: AbortSignal): Promise<Buffer> => {
  const { status, body } = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/dns-message' },
    accept: 'application/dns-message',
    types: /^application\/dns-message\b/i,
    body: bytes,
    maxBytes: 65_535,
    maxRedirects: 0,
    namedBy: 'operator',
    signal,
  })
  if (status !== 200) throw new Error(`The resolver answered with status ${status}.`)
  return body
}

type DnsReply = { reply: Reply; transport: DnsAnswer['transport'] }

const parseCheckedReply = (question: Question, bytes: Buffer): Reply => {
  const reply = readReply(question, bytes)
  if (!reply) throw new Error('The resolver sent something that is no answer to the question.')
  return reply
}

/**
 * UDP first. A truncated answer is asked for again over TCP, and so is one that changed the spelling of the name: it
 * may be forged. A server that folds case and has no TCP is believed.
 */
const askPlain = async (server: Plain, question: Question, signal: AbortSignal): Promise<DnsReply> => {
  const udp = await askUdp(server, question.bytes, bytes => readReply(question, bytes), signal)
  if (udp.echoed && !udp.truncated) return { reply: udp, transport: 'udp' }
  try {
    return {
      reply: parseCheckedReply(question, await askTcp(server, question.bytes, signal)),
      transport: 'tcp',
    }
  } catch (cause) {
    if (udp.truncated || signal.aborted) throw cause
    return { reply: udp, transport: 'udp' }
  }
}

/** Puts one question to one server. A server that does not know EDNS is asked again without. */
export const askNameServer = async (
  server: Server,
  name: string,
  type: DnsType,
  fetch: Fetch | undefined,
  signal: AbortSignal,
): Promise<DnsAnswer> => {
  const once = async (edns: boolean): Promise<DnsReply> => {
    if (server.kind === 'plain') return askPlain(server, writeQuestion(name, type, { edns }), signal)
    if (!fetch) throw new Error('There is no fetch for DNS over HTTPS.')
    const question = writeQuestion(name, type, { edns, id: 0 })
    return {
      reply: parseCheckedReply(question, await askHttps(fetch, server.name, question.bytes, signal)),
      transport: 'https',
    }
  }
  const first = await once(true)
  const { reply, transport } = first.reply.rcode === 'FORMERR' ? await once(false) : first
  const { rcode, authentic, records, authorities } = reply
  return { rcode, authentic, records, authorities, transport, resolver: server.name }
}
