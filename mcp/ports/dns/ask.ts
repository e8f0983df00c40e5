import type { Fetch } from '../fetch/port.ts'
import { askHttps } from './doh.ts'
import { type Question, type Reply, readReply, writeQuestion } from './message.ts'
import type { DnsAnswer, DnsType } from './port.ts'
import type { Server } from './server.ts'
import { askTcp } from './tcp.ts'
import { askUdp, type Plain } from './udp.ts'

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
