import * as z from 'zod'
import { factTable, words } from '../../../lib/facts.ts'
import { nameAndParents } from '../dns/parents.ts'

/** Hosts that take mail for throw-away domains without being listed as such. */
const catchers = 'mail.tm mail.gw temp-mail.io mailto.plus fexpost.com tmpmail.net inboxkitten.com'.split(' ')

export const disposableDomains = factTable(
  new URL('./data/disposable-domains.json', import.meta.url),
  z.array(words).transform(lines => new Set([...lines.flat(), ...catchers])),
)

/** The listed domain that a name is or lies under; null when there is none. */
export const disposableDomain = (name: string): string | null =>
  nameAndParents(name).find(parent => disposableDomains().has(parent)) ?? null
