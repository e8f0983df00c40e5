import * as z from 'zod'
import { factTable, words } from '../../../lib/facts.ts'
import { nameAndParents } from '../dns/parents.ts'

const facts = factTable(
  new URL('./data/name-servers.json', import.meta.url),
  z.strictObject({
    /** Providers of a domain's name servers, by the names these lie under. */
    providers: z.record(z.string(), z.string()).transform(all => new Map(Object.entries(all))),
    /** Name servers of domains that are only kept for sale or for advertisements. */
    parking: words,
    /** Markets that visitors of a domain for sale are sent to. */
    markets: words,
  }),
)

/** Providers whose servers are numbered below the top: `ns-1.awsdns-01.co.uk`, `ns1-01.azure-dns.com`. */
const numberedProviders: readonly (readonly [RegExp, string])[] = [
  [/\.awsdns-\d{2}\.(?:com|net|org|co\.uk)$/, 'Amazon Route 53'],
  [/\.azure-dns\.(?:com|net|org|info)$/, 'Azure'],
]

/** Operator of the first name server that is known. */
export const dnsProvider = (servers: readonly string[]): string | null => {
  for (const server of servers) {
    const known = nameAndParents(server).find(name => facts().providers.has(name))
    const provider =
      known === undefined
        ? numberedProviders.find(([pattern]) => pattern.test(server))?.[1]
        : facts().providers.get(known)
    if (provider) return provider
  }
  return null
}

const parkingServer = (servers: readonly string[]): string | undefined =>
  servers.find(server => nameAndParents(server).some(name => facts().parking.includes(name)))

const forSale =
  /\b(?:(?:this |the )?domain(?: name)?(?: \S{1,80})? (?:is|may be) (?:for sale|parked|available for purchase)|buy this domain|domain (?:parking|parked)|parked domain|domain for sale|is parked free|domein (?:is )?te koop|domaine (?:est )?à vendre|diese domain (?:steht zum verkauf|ist zu verkaufen))/i

type PageText = { url: string | null; title: string | null; description: string | null }

/** Why a domain looks parked; null when it does not. A name server, a market it leads to, or words in its title tell. */
export const parkedBy = (
  servers: readonly string[],
  { url, title, description }: PageText,
): string | null => {
  const server = parkingServer(servers)
  if (server) return `its name server ${server} is one for parked domains`
  const host = url === null ? '' : new URL(url).hostname
  if (nameAndParents(host).some(name => facts().markets.includes(name)))
    return `it leads to ${host}, a market for domains`
  const words = forSale.exec(`${title ?? ''}\n${description ?? ''}`)?.[0]
  return words ? `its page says “${words}”` : null
}
