import { setMaxListeners } from 'node:events'
import type { Dns, DnsAnswer } from '../../../ports/dns/port.ts'

/** The DNS for one call: each question is asked once, and none beyond a limit. */
export type QueryBudget = Dns & {
  /** Questions that were not asked because of the limit. */
  refused(): number
  /** Those who answered. */
  resolvers(): string[]
}

const noAnswer: DnsAnswer = {
  rcode: 'LIMIT',
  authentic: false,
  records: [],
  authorities: [],
  transport: 'udp',
  resolver: '',
}

/**
 * Remembers the answers of one call. A question beyond `most` is answered with the code `LIMIT`, so its answer is unknown. `end`
 * ends all of them.
 */
export const openQueryBudget = (dns: Dns, maxQueries: number, end: AbortSignal): QueryBudget => {
  const signal = AbortSignal.any([end])
  setMaxListeners(0, signal)
  const pending = new Map<string, Promise<DnsAnswer>>()
  const resolvers = new Set<string>()
  let refused = 0
  return {
    query(name, type) {
      const key = `${type} ${name.toLowerCase()}`
      const earlier = pending.get(key)
      if (earlier) return earlier
      if (pending.size >= maxQueries) {
        refused++
        return Promise.resolve(noAnswer)
      }
      const answer = dns.query(name, type, { signal })
      pending.set(key, answer)
      answer.then(
        ({ resolver }) => resolvers.add(resolver),
        () => {},
      )
      return answer
    },
    refused: () => refused,
    resolvers: () => [...resolvers],
  }
}
