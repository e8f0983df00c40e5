import * as z from 'zod'
import { factTable, words } from '../../../lib/facts.ts'

const freeDomains = factTable(
  new URL('./data/free-domains.json', import.meta.url),
  z
    .strictObject({
      /** Names, and the endings that each has them under. */
      endings: z.record(z.string(), words),
      domains: z.array(words),
      /** Domains that hand mail on to a mailbox which is not shown, each with its provider. */
      relays: z.record(z.string(), z.string()),
    })
    .transform(({ endings, domains, relays }) => ({
      domains: new Set([
        ...Object.entries(endings).flatMap(([name, all]) => all.map(ending => `${name}.${ending}`)),
        ...domains.flat(),
      ]),
      relays: new Map(Object.entries(relays)),
    })),
)

/** True for a domain under which anybody gets a mailbox for nothing. */
export const isFreeMailDomain = (domain: string): boolean => freeDomains().domains.has(domain)

/** The provider that hands mail on for the parents of a domain. */
export const findRelay = (parents: readonly string[]): string | null =>
  parents.map(parent => freeDomains().relays.get(parent)).find(relay => relay !== undefined) ?? null
