import * as z from 'zod'
import { factTable } from '../../../lib/facts.ts'
import { nameAndParents } from '../dns/parents.ts'

const services = factTable(
  new URL('./data/services.json', import.meta.url),
  z.strictObject({
    /** Beginnings of TXT records that a service asked a domain for, in lower case. */
    tokens: z.record(z.string(), z.string()).transform(tokens => Object.entries(tokens)),
    /** Names that SPF records include to let a service send. */
    senders: z.record(z.string(), z.string()).transform(senders => new Map(Object.entries(senders))),
  }),
)

/** The services that TXT records of a domain are there for. */
export const servicesInTexts = (texts: readonly string[]): string[] =>
  texts.flatMap(text => {
    const lower = text.trim().toLowerCase()
    return services().tokens.find(([token]) => lower.startsWith(token))?.[1] ?? []
  })

/** The services that an SPF record lets send. */
export const servicesInSpf = (record: string | null): string[] =>
  [...(record ?? '').matchAll(/\b(?:include:|redirect=)([\w.-]{4,253})/gi)].flatMap(([, name = '']) => {
    const sender = nameAndParents(name.toLowerCase()).find(host => services().senders.has(host))
    return sender === undefined ? [] : (services().senders.get(sender) ?? [])
  })
