import { z } from 'zod'
import { parseTags, repeatedTagNotes, tagValue } from '../../../lib/mail-auth/tags.ts'
import type { Dns } from '../../../ports/index.ts'
import type { Note } from '../meta.ts'
import { Notes, toPrintable, toPrintableNotes } from './notes.ts'
import { askTexts } from './query-dns.ts'

/** BIMI of a domain; null where the DNS did not tell. */
export const Bimi = z
  .object({
    record: z.string().nullable().describe('TXT record at default._bimi, of the domain or its organization'),
    foundAt: z.string().nullable().describe('Domain whose record it is'),
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

const addressErrors = (logo: string, certificate: string): Note[] => [
  ...(/^https:\/\/\S+$/i.test(logo)
    ? []
    : [{ code: 'bad_logo', message: 'l must be an https address of an SVG file.' }]),
  ...(certificate === '' || /^https:\/\/\S+$/i.test(certificate)
    ? []
    : [{ code: 'bad_certificate', message: 'a must be an https address of a PEM file.' }]),
]

const readRecord = (record: string, count: number, eligible: boolean | null): Omit<BimiReport, 'foundAt'> => {
  const { tags, repeated } = parseTags(record)
  const [logo, certificate] = [tagValue(tags, 'l') ?? '', tagValue(tags, 'a') ?? '']
  const declined = tagValue(tags, 'l') === '' && certificate === ''
  const errors = [
    ...(count > 1
      ? [{ code: 'several_records', message: 'There are several BIMI records; none of them is used.' }]
      : []),
    ...(declined ? [] : addressErrors(logo, certificate)),
  ]
  const warnings = [
    ...repeatedTagNotes(repeated),
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
    if (record !== undefined) return { ...readRecord(record, records.length, eligible), foundAt: place }
  }
  return {
    record: null,
    foundAt: null,
    valid: false,
    logo: null,
    certificate: null,
    declined: false,
    eligible,
    errors: [],
    warnings: [],
  }
}
