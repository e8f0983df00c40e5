import { domainToASCII } from 'node:url'
import { ToolError } from '../../kernel/error.ts'
import { toStopError, withDeadline } from '../fetch/deadline.ts'
import type { Fetch } from '../fetch/port.ts'
import type { Turn } from '../scheduler/port.ts'
import { openResourceLane } from '../scheduler/scheduler.ts'
import type { Dns, DnsAnswer } from './port.ts'
import { parseServer } from './server.ts'

const ascii = /^[!-~]+$/
const label = /^[!-[\]-~]{1,63}$/

const refuse = (message: string): never => {
  throw new ToolError('invalid_input', `The domain name cannot be asked for: ${message}.`, {
    issues: [{ path: 'name', message }],
    hint: 'Give a domain name such as example.com.',
  })
}

/**
 * A domain name as it goes on the wire: lower case, IDN as punycode, no trailing dot; the root is `.`.
 * Throws `invalid_input` for labels over 63 and names over 253 characters (RFC 1035 section 2.3.4).
 */
const asciiName = (input: string): string => {
  const trimmed = input.trim()
  if (trimmed === '.') return '.'
  if (trimmed.length > 1000) return refuse('it is longer than 253 characters')
  const name = (ascii.test(trimmed) ? trimmed : domainToASCII(trimmed)).replace(/\.$/, '').toLowerCase()
  if (name === '') return refuse('it is empty or holds characters that no domain name has')
  if (name.length > 253) return refuse('it is longer than 253 characters')
  if (!name.split('.').every(part => label.test(part)))
    return refuse('each part between dots has 1 to 63 characters')
  return name
}

export type DnsSettings = {
  /** Asked in this order: `address:port`, `[v6]:port` or an https URL (DNS over HTTPS). At least one. */
  servers: readonly string[]
  /** Carries DNS over HTTPS. Its own names must not be resolved through this same client. */
  fetch?: Fetch
  /** Milliseconds for one question to one server. Default 2,000. */
  timeoutMs?: number
  /** Rounds through all servers while they stay silent. Default 2. */
  tries?: number
  /**
   * Questions under way at once; more wait. One network alone may have half, and so may the house, which asks for the addresses of
   * all requests: two for each of the 32 that are under way. Default 128.
   */
  maxInFlight?: number
}

const silent = (name: string, type: string) =>
  new ToolError('upstream', `No DNS server answered for the ${type} records of ${name}.`, { retryable: true })

const isAnswer = (answer: DnsAnswer) => answer.rcode === 'NOERROR' || answer.rcode === 'NXDOMAIN'

/**
 * A stub resolver of our own. A server that fails to answer or answers SERVFAIL or REFUSED passes the question to the
 * next; when no server does better, that is the answer. Throws an Error when a server is misspelt.
 */
export const openDns = (settings: DnsSettings): Dns => {
  const servers = settings.servers.map(parseServer)
  if (servers.length === 0) throw new Error('Name at least one DNS server.')
  if (servers.some(server => server.kind === 'https') && !settings.fetch) {
    throw new Error('DNS over HTTPS needs the fetch port.')
  }
  const lane = openResourceLane('dns', settings.maxInFlight ?? 128)
  const timeoutMs = settings.timeoutMs ?? 2000

  const query: Dns['query'] = async (input, type, { signal } = {}) => {
    const name = asciiName(input)
    const { askNameServer } = await import('./ask.ts')
    for (let round = 0; round < (settings.tries ?? 2); round++) {
      let failed: DnsAnswer | undefined
      for (const server of servers) {
        const answer = await withDeadline(
          { ms: timeoutMs, signal, late: () => silent(name, type) },
          deadline => askNameServer(server, name, type, settings.fetch, deadline),
        ).catch(() => undefined)
        if (signal?.aborted) throw toStopError(signal)
        if (answer && isAnswer(answer)) return answer
        failed ??= answer
      }
      if (failed) return failed
    }
    throw silent(name, type)
  }

  const forCall = ({ asker }: Partial<Turn>): Dns => ({
    async query(name, type, options) {
      const place = await lane.enter({ asker, signal: options?.signal })
      try {
        return await query(name, type, options)
      } finally {
        place.leave()
      }
    },
    forCall,
  })
  return forCall({})
}
