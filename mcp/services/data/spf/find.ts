import { isSpf } from '../../../lib/mail-auth/spf/parse.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { askTexts, type TxtRecords } from '../mail-policy/query-dns.ts'

/** SPF records of a name, among all its TXT records. */
export type SpfLookup = TxtRecords & { records: readonly string[] }

/** The SPF records of a name (RFC 7208 section 4.5): one is a policy, several are an error. Only TXT counts. */
export const findSpf = async (dns: Dns, name: string, signal: AbortSignal): Promise<SpfLookup> => {
  const answer = await askTexts(dns, name, signal)
  return { ...answer, records: answer.texts.filter(isSpf) }
}
