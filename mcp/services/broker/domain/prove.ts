import { toToolError } from '../../../kernel/error.ts'
import type { Ports } from '../../../ports/ports.ts'
import { type DomainChallenge, registrable } from './challenge.ts'

export type DomainProof = { method: 'http' | 'dns' | null; http: string; dns: string }

const fetchLimits = { maxBytes: 4096, maxRedirects: 3, deadlineMs: 10_000, fresh: true }

const byFile = async (
  fetch: Ports['fetch'],
  { url, domain, token }: DomainChallenge,
  signal: AbortSignal,
): Promise<string> => {
  try {
    const answer = await fetch(url, { ...fetchLimits, signal })
    const foreignHop = answer.hops.find(hop => registrable(new URL(hop.url).hostname) !== domain)
    if (foreignHop) return `it redirects to another domain, ${new URL(foreignHop.url).hostname}`
    if (answer.status !== 200) return `it answered ${answer.status}`
    return answer.text().text.trim() === token ? '' : 'it holds something else'
  } catch (error) {
    return toToolError(error).message
  }
}

const byRecord = async (
  dns: Ports['dns'],
  { record, token }: DomainChallenge,
  signal: AbortSignal,
): Promise<string> => {
  try {
    const { records } = await dns.query(record, 'TXT', { signal })
    const texts = records.filter(({ type }) => type === 'TXT').map(({ data }) => String(data).trim())
    if (texts.includes(token)) return ''
    return texts.length === 0 ? 'there is no TXT record' : 'no TXT record holds the token'
  } catch (error) {
    return toToolError(error).message
  }
}

/** Looks for the token by file and by DNS at once. `http` and `dns` say what was wrong; empty is right. */
export const prove = async (
  { fetch, dns }: Pick<Ports, 'fetch' | 'dns'>,
  challenge: DomainChallenge,
  signal: AbortSignal,
): Promise<DomainProof> => {
  const [http, record] = await Promise.all([
    byFile(fetch, challenge, signal),
    byRecord(dns, challenge, signal),
  ])
  const method = http === '' ? 'http' : record === '' ? 'dns' : null
  return { method, http, dns: record }
}
