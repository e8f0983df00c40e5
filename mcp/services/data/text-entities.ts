import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import type { EntityLists, EntityQuery } from './entities/answer.ts'
import { maxListed } from './entities/list.ts'
import { counts, entities } from './entities/schema.ts'
import { skill } from './skill.ts'

const parseCountry = async (code: string | undefined) => {
  if (code === undefined) return undefined
  const { isSupportedCountry } = await import('libphonenumber-js')
  const country = code.toUpperCase()
  if (isSupportedCountry(country)) return country
  const message = 'must be an ISO 3166 country code such as US or BE'
  throw new ToolError('invalid_input', `country: ${message}.`, { issues: [{ path: 'country', message }] })
}

/** Longer texts are read in a worker: a few KB of nothing but dates and numbers take 40 ms, and a batch brings 20 texts. */
const maxInlineLength = 2 * 1024

/** URL of `answerFor` for a worker. Its tables of names and numbers are large, so they are loaded with the first text. */
const reader = new URL(`./entities/answer${import.meta.url.slice(-3)}`, import.meta.url).href

const readInline = async (query: EntityQuery): Promise<EntityLists> => {
  const { answerFor } = await import('./entities/answer.ts')
  return answerFor(query)
}

const workCut = {
  code: 'work_cut',
  message: 'The text holds too many possible phone numbers or dates; the last ones were not read.',
}
const dateOpen = {
  code: 'needs_reference',
  message: 'The text holds relative dates such as "tomorrow"; give "reference" to have them read.',
}
const countryOpen = {
  code: 'needs_country',
  message: 'The text holds phone numbers without a country; give "country" to have them read.',
}
const amountOpen = {
  code: 'ambiguous_amount',
  message: 'Some amounts can be read in two ways a thousand times apart; other_amount holds the second one.',
}
const listCut = { code: 'list_cut', message: `At most ${maxListed} entries of each kind are listed.` }

export default skill({
  id: 'text-entities',
  argument: 'text',
  price: '0.002',
  tags: ['text', 'entities', 'extraction'],
  keywords: ['currencies', 'prices', 'detect', 'sums', 'information', 'pii'],
  openWorld: false,
  cacheSec: 0,
  post: true,
  title: 'Find entities in text',
  description:
    'Finds e-mail addresses, URLs, IP addresses, phone numbers, dates, hashtags, mentions, amounts of money, IBANs, VAT numbers and crypto addresses in a text, in seven languages, with their places and normal forms. Use it to extract contacts and facts. Free over A2A and MCP, else 0.002 USD.',
  input: z.object({
    text: z.string().max(1_048_576).describe('The text to read, up to 1 MB'),
    country: z
      .string()
      .regex(/^[A-Za-z]{2}$/, 'must be an ISO 3166 country code such as US or BE')
      .optional()
      .describe('Country for phone numbers without +; US also reads 3/4/2025 as March 4, others as 3 April'),
    reference: z.iso
      .datetime({ offset: true })
      .optional()
      .describe(
        'The time that "tomorrow" or a day without a year counts from; without it such dates are left open',
      ),
    deobfuscate: z
      .boolean()
      .default(false)
      .describe('Also read addresses such as "ada [at] example [dot] com"'),
    each: z.boolean().default(false).describe('List every occurrence instead of each distinct value once'),
  }),
  output: z.object({
    ...entities,
    counts: counts.describe('Entries of each kind, listed or not'),
    count: z.number().int().describe('Entries of all kinds'),
    truncated: z.boolean().describe('True when a list or the work was cut'),
  }),
  needs: ['workers'],
  examples: [
    {
      text: 'Write to ada@example.com or call +32 2 555 12 12 before 2026-03-01; it costs €1.500,75. #deal @ada',
    },
  ],
  summary: ({ counts }) =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', ') || 'Nothing found.',
}).run(async ({ workers }, { country, reference, ...input }) => {
  const query = {
    ...input,
    country: await parseCountry(country),
    reference: reference === undefined ? undefined : new Date(reference),
  }
  const { lists, cut, open, withoutCountry } =
    input.text.length > maxInlineLength
      ? await workers.run<EntityLists>(reader, 'answerFor', query)
      : await readInline(query)
  const all = Object.values(lists)
  const longer = all.some(({ count, entries }) => count > entries.length)
  const warnings = [
    ...(cut ? [workCut] : []),
    ...(open ? [dateOpen] : []),
    ...(withoutCountry > 0 ? [countryOpen] : []),
    ...(lists.money.entries.some(({ ambiguous }) => ambiguous) ? [amountOpen] : []),
    ...(longer ? [listCut] : []),
  ]
  return {
    emails: lists.emails.entries,
    urls: lists.urls.entries,
    ips: lists.ips.entries,
    phones: lists.phones.entries,
    dates: lists.dates.entries,
    hashtags: lists.hashtags.entries,
    mentions: lists.mentions.entries,
    money: lists.money.entries,
    ibans: lists.ibans.entries,
    vat_numbers: lists.vat_numbers.entries,
    crypto_addresses: lists.crypto_addresses.entries,
    counts: {
      emails: lists.emails.count,
      urls: lists.urls.count,
      ips: lists.ips.count,
      phones: lists.phones.count,
      dates: lists.dates.count,
      hashtags: lists.hashtags.count,
      mentions: lists.mentions.count,
      money: lists.money.count,
      ibans: lists.ibans.count,
      vat_numbers: lists.vat_numbers.count,
      crypto_addresses: lists.crypto_addresses.count,
    },
    count: all.reduce((sum, { count }) => sum + count, 0),
    truncated: cut || longer,
    about: { truncated: cut || longer, warnings },
  }
})
