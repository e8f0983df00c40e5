import { z } from 'zod'
import { parseTags, repeatedTagNotes, tagValue } from '../../../lib/mail-auth/tags.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import type { Note } from '../meta.ts'
import { Notes, toPrintable, toPrintableNotes } from './notes.ts'
import { askTexts } from './query-dns.ts'

/** TLS-RPT of a domain; null where the DNS did not tell. */
export const TlsRpt = z
  .object({
    record: z.string().nullable().describe('TXT record at _smtp._tls'),
    valid: z.boolean().describe('There is one record and it is in order'),
    rua: z.array(z.string()).describe('Where reports about TLS go'),
    errors: Notes('What is wrong'),
    warnings: Notes('What should be better'),
  })
  .nullable()
  .describe('TLS reports (RFC 8460); null when the DNS did not tell')

export type TlsRptReport = NonNullable<z.input<typeof TlsRpt>>

const isAddress = (uri: string): boolean => /^mailto:[^\s@]{1,320}@[^\s@]{1,253}$|^https:\/\/\S+$/i.test(uri)

/** The TLS-RPT record of a domain. The code when the DNS did not tell. */
export const checkTlsRpt = async (
  dns: Dns,
  domain: string,
  signal: AbortSignal,
): Promise<TlsRptReport | string> => {
  const { texts, failed } = await askTexts(dns, `_smtp._tls.${domain}`, signal)
  if (failed) return failed
  const records = texts.filter(text => /^v\s*=\s*TLSRPTv1\s*(?:;|$)/.test(text))
  const [record] = records
  if (record === undefined) return { record: null, valid: false, rua: [], errors: [], warnings: [] }
  const { tags, repeated } = parseTags(record)
  const rua = (tagValue(tags, 'rua') ?? '')
    .split(',')
    .map(uri => uri.trim())
    .filter(uri => uri !== '')
    .slice(0, 10)
  const errors: Note[] = [
    ...(records.length > 1
      ? [{ code: 'several_records', message: 'There are several records; senders use none of them.' }]
      : []),
    ...(rua.length === 0 ? [{ code: 'no_reports', message: 'rua is missing.' }] : []),
    ...rua
      .filter(uri => !isAddress(uri))
      .map(uri => ({
        code: 'report_address',
        message: `"${uri.slice(0, 100)}" is neither mailto: nor https:.`,
      })),
  ]
  return {
    record: toPrintable(record),
    valid: errors.length === 0,
    rua: rua.map(uri => toPrintable(uri, 400)),
    errors: toPrintableNotes(errors),
    warnings: toPrintableNotes(repeatedTagNotes(repeated)),
  }
}
