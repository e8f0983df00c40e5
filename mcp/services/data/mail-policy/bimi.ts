import { z } from 'zod'
import { parseTags, repeatedTagNotes, type Tag, tagValue } from '../../../lib/mail-auth/tags.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import type { Note } from '../meta.ts'
import { Notes, toPrintable, toPrintableNotes } from './notes.ts'
import { askTexts } from './query-dns.ts'

/** BIMI of a domain; null where the DNS did not tell. */
export const Bimi = z
  .object({
    record: z.string().nullable().describe('TXT record at default._bimi, of the domain or its organization'),
    found_at: z.string().nullable().describe('Domain whose record it is'),
    valid: z.boolean().describe('The record is in order; logo and certificate are not fetched'),
    logo: z.string().nullable().describe('Address of the logo'),
    certificate: z.string().nullable().describe('Address of the mark certificate'),
    declined: z.boolean().describe('The domain says that it has no logo'),
    eligible: z.boolean().nullable().describe('DMARC is strict enough for logos; null when unknown'),
    errors: Notes('What is wrong'),
    warnings: Notes('What should be better'),
  })
  .nullable()
  .describe('Brand logo (BIMI); null when the DNS did not tell')

export type BimiReport = NonNullable<z.input<typeof Bimi>>

/** Values of the tags for avatars and local parts, as the grammar of the draft has them (§4.3). */
const avatar = /^(?:brand|personal)$/i
const localPart = '[a-z0-9-]{1,63}'
const localParts = new RegExp(`^${localPart}(?:\\s*,\\s*${localPart})*$`, 'i')

const tagErrors = (tags: readonly Tag[], repeated: readonly string[]): Note[] => {
  const [preference = 'brand', selectors = ''] = [tagValue(tags, 'avp'), tagValue(tags, 'lps')]
  return [
    // A list with a name twice is no tag list (RFC 6376 §3.2).
    ...repeatedTagNotes(repeated),
    ...(avatar.test(preference)
      ? []
      : [{ code: 'bad_avatar', message: `avp=${preference.slice(0, 60)} must be brand or personal.` }]),
    ...(selectors === '' || localParts.test(selectors)
      ? []
      : [
          { code: 'bad_selector', message: 'lps must be names of letters, digits and "-", joined with ",".' },
        ]),
  ]
}

const addressErrors = (logo: string, certificate: string): Note[] => [
  ...(logo === '' || /^https:\/\/\S+$/i.test(logo)
    ? []
    : [{ code: 'bad_logo', message: 'l must be an https address of an SVG file.' }]),
  ...(certificate === '' || /^https:\/\/\S+$/i.test(certificate)
    ? []
    : [{ code: 'bad_certificate', message: 'a must be an https address of a PEM file.' }]),
]

const readRecord = (
  record: string,
  count: number,
  eligible: boolean | null,
): Omit<BimiReport, 'found_at'> => {
  const { tags, repeated } = parseTags(record)
  const [logo, certificate] = [tagValue(tags, 'l') ?? '', tagValue(tags, 'a') ?? '']
  // A record without l is one with an empty l: nothing is published, or what the certificate holds.
  const declined = logo === '' && certificate === ''
  const errors = [
    ...(count > 1
      ? [{ code: 'several_records', message: 'There are several BIMI records; none of them is used.' }]
      : []),
    ...tagErrors(tags, repeated),
    ...addressErrors(logo, certificate),
  ]
  const warnings = [
    ...(logo === '' && !declined
      ? [
          {
            code: 'no_logo',
            message: 'l is empty: receivers show at best the logo that the certificate holds.',
          },
        ]
      : []),
    ...(eligible === false && !declined
      ? [
          {
            code: 'dmarc_too_weak',
            message: 'No logo is shown until DMARC quarantines or rejects, subdomains included.',
          },
        ]
      : []),
    ...(certificate === '' && !declined
      ? [
          {
            code: 'no_certificate',
            message: 'Large mailbox providers show no logo without a mark certificate.',
          },
        ]
      : []),
  ]
  return {
    record: toPrintable(record),
    valid: errors.length === 0,
    logo: logo === '' ? null : toPrintable(logo, 1000),
    certificate: certificate === '' ? null : toPrintable(certificate, 1000),
    declined,
    eligible,
    errors: toPrintableNotes(errors),
    warnings: toPrintableNotes(warnings),
  }
}

/** The BIMI record of a domain, else of its organization. `eligible` tells what DMARC allows. The code when the DNS failed. */
export const checkBimi = async (
  dns: Dns,
  domain: string,
  { organization, eligible }: { organization: string | null; eligible: boolean | null },
  signal: AbortSignal,
): Promise<BimiReport | string> => {
  for (const place of new Set([domain, organization ?? domain])) {
    const { texts, failed } = await askTexts(dns, `default._bimi.${place}`, signal)
    if (failed) return failed
    const records = texts.filter(text => /^v\s*=\s*BIMI1\s*(?:;|$)/i.test(text))
    const [record] = records
    if (record !== undefined) return { ...readRecord(record, records.length, eligible), found_at: place }
  }
  return {
    record: null,
    found_at: null,
    valid: false,
    logo: null,
    certificate: null,
    declined: false,
    eligible,
    errors: [],
    warnings: [],
  }
}
