import * as z from 'zod'
import { factTable, pattern, words } from '../../../lib/facts.ts'
import { nameAndParents } from '../dns/parents.ts'

/** Operator of mail servers, and what its own mailboxes are like. */
const provider = z.strictObject({
  name: z.string(),
  /** Names that their mail servers lie under. */
  mx: words,
  /** Their own domains, by a pattern. */
  domains: pattern.optional(),
  /** Sign that begins a tag that does not matter for the mailbox. */
  tag: z.enum(['+', '-']).optional(),
  /** Characters that do not matter in names at their own domains. */
  ignored: pattern.optional(),
  /** The domain that their own domains are the same as. */
  canonical: z.string().optional(),
  /** Pattern of names at their own domains, without a tag. */
  names: pattern.optional(),
})

export type Provider = z.output<typeof provider>

const providers = factTable(
  new URL('./data/providers.json', import.meta.url),
  z.array(provider).transform(all => ({
    all,
    byMx: new Map(all.flatMap(one => one.mx.map(name => [name, one] as const))),
  })),
)

/** The provider of the first mail server that is known. */
export const providerByMx = (exchanges: readonly string[]): Provider | undefined =>
  exchanges
    .flatMap(nameAndParents)
    .map(name => providers().byMx.get(name))
    .find(one => one !== undefined)

/** The provider whose own domain it is. */
export const providerByDomain = (domain: string): Provider | undefined =>
  providers().all.find(({ domains }) => domains?.test(domain))
