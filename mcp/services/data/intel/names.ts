import { randomBytes } from 'node:crypto'
import type { Dns } from '../../../ports/index.ts'
import { ask } from '../dns/answers.ts'

/** Whether a name has an address; null when the DNS did not tell. */
export const hasAddress = async (dns: Dns, name: string, signal: AbortSignal): Promise<boolean | null> => {
  const answers = await Promise.all((['A', 'AAAA'] as const).map(type => ask(dns, name, type, signal)))
  const answered = answers.filter(answer => typeof answer !== 'string')
  if (answered.some(({ records }) => records.some(({ type }) => type === 'A' || type === 'AAAA'))) return true
  return answered.length === answers.length ? false : null
}

/** Whether names that nobody made have addresses too. */
export const isWildcard = (dns: Dns, domain: string, signal: AbortSignal): Promise<boolean | null> =>
  hasAddress(dns, `${randomBytes(6).toString('hex')}.${domain}`, signal)

/** The host that a site is looked for at: the domain, or its `www` where only that has an address. Null when neither has. */
export const webHost = (domain: string, own: boolean | null, www: boolean | null): string | null => {
  if (own !== false) return domain
  return www ? `www.${domain}` : null
}
