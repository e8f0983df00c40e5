import * as z from 'zod'
import { factTable, words } from '../../../lib/facts.ts'

/** A network that hosts the machines of others. `cdn`: it stands before sites that lie elsewhere. */
const network = z.strictObject({
  provider: z.string(),
  kind: z.enum(['cloud', 'hosting', 'cdn']),
  asns: words,
  /** One address of theirs is answered from many places. */
  anycast: z.boolean().default(false),
})

export type Hosting = Omit<z.output<typeof network>, 'asns'>

const networks = factTable(
  new URL('./data/hosting.json', import.meta.url),
  z
    .strictObject({
      providers: z.array(network),
      /** Resolvers that answer from many places under one address. */
      anycastResolvers: words,
    })
    .transform(({ providers, anycastResolvers }) => ({
      byAsn: new Map(
        providers.flatMap(({ asns, ...hosting }): [number, Hosting][] =>
          asns.map(asn => [Number(asn), hosting]),
        ),
      ),
      anycastResolvers,
    })),
)

const saysHosting = /\b(?:hosting|webhost\w*|data ?cent(?:er|re)s?|servers?|vps|cloud|colocation|colo)\b/i

/** The hosting company or delivery network that one of the numbers belongs to. */
export const findHosting = (asns: readonly number[]): Hosting | undefined =>
  asns.map(asn => networks().byAsn.get(asn)).find(entry => entry !== undefined)

/** True when the name of a network says that it hosts. */
export const isHostingName = (name: string | null): boolean => name !== null && saysHosting.test(name)

/** True where it is known that an address is answered from many places; else nobody knows. */
export const isAnycast = (address: string, provider: Hosting | undefined): true | null =>
  provider?.anycast || networks().anycastResolvers.includes(address) ? true : null
