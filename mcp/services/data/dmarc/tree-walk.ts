import { isDmarc, nearDmarc, parsePsd } from '../../../lib/mail-auth/dmarc/recognise.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { askTexts } from '../mail-policy/query-dns.ts'

/** Record at `_dmarc.<domain>`. Several records count as none (RFC 9989 section 4.10). */
export type Step = {
  domain: string
  records: string[]
  record: string | null
  near: string[]
  others: number
  alias: string | null
  failed: string | null
}

/** The names of a walk, at most 8: the domain, then its parents from 7 labels up to the top. */
export const walkNames = (domain: string): string[] => {
  const labels = domain.split('.')
  const parents = Math.min(labels.length - 1, 7)
  return [domain, ...Array.from({ length: parents }, (_, up) => labels.slice(up - parents).join('.'))]
}

const stepAt = async (dns: Dns, domain: string, signal: AbortSignal): Promise<Step> => {
  const { texts, alias, failed } = await askTexts(dns, `_dmarc.${domain}`, signal)
  const records = texts.filter(isDmarc)
  const near = nearDmarc(texts)
  const record = records.length === 1 ? (records[0] ?? null) : null
  return {
    domain,
    records,
    record,
    near,
    others: texts.length - records.length - near.length,
    alias,
    failed: failed ?? null,
  }
}

const ends = ({ record }: Step): boolean => record !== null && parsePsd(record) !== 'u'

/** Walks up the DNS tree from a domain, up to the first record that says where its organization begins. */
export const walkTree = async (dns: Dns, domain: string, signal: AbortSignal): Promise<Step[]> => {
  const steps = await Promise.all(walkNames(domain).map(name => stepAt(dns, name, signal)))
  const end = steps.findIndex(ends)
  return end < 0 ? steps : steps.slice(0, end + 1)
}

/**
 * The organizational domain that a walk found (RFC 9989 section 4.10.2): psd=n is it, one label below psd=y, else the shortest
 * name with a record, else where the walk began.
 */
export const findOrganization = (steps: readonly Step[]): string | null => {
  const start = steps[0]?.domain ?? ''
  if (steps.some(({ failed }) => failed)) return null
  const last = steps.findLast(({ record }) => record !== null)
  if (!last?.record) return start
  if (parsePsd(last.record) !== 'y' || last.domain === start) return last.domain
  const below = start.split('.').length - last.domain.split('.').length - 1
  return start.split('.').slice(below).join('.')
}
