import type { MailServers } from './mail-servers.ts'

export type Verdict = 'deliverable_likely' | 'risky' | 'undeliverable' | 'unknown'

/** What is known of a well-formed address. */
export type Known = {
  state: MailServers['state']
  issues: readonly string[]
  disposable: boolean
  role: boolean
  relay: boolean
  isTypo: boolean
  isPossible: boolean
  quoted: boolean
  needsUtf8: boolean
  literal: boolean
}

export type Judged = { verdict: Verdict; score: number; reasons: string[] }

/** Nothing can be delivered, whatever else is known. */
const fatal: Partial<Record<MailServers['state'], string>> = {
  no_domain: 'domain_not_found',
  null: 'null_mx',
  none: 'no_mail_server',
  unresolved: 'mx_unresolvable',
  private: 'mx_not_public',
}

/** Each thing that holds lowers the score to at most this. A mailbox that nobody asked for is never certain: 95 at best. */
const ceilings: readonly [reason: string, ceiling: number, holds: (known: Known) => boolean][] = [
  ['disposable', 10, known => known.disposable],
  ['name_not_given_out', 15, known => !known.isPossible],
  ['domain_literal', 20, known => known.literal],
  ['mx_is_ip', 30, known => known.issues.includes('mx_is_ip')],
  ['possible_typo', 40, known => known.isTypo],
  ['implicit_mx', 60, known => known.state === 'implicit'],
  ['needs_smtputf8', 60, known => known.needsUtf8],
  ['quoted_local', 60, known => known.quoted],
  ['role_account', 65, known => known.role],
  ['forwarding_alias', 85, known => known.relay],
  ['mx_is_alias', 90, known => known.issues.includes('mx_is_alias')],
  ['mx_found', 95, known => known.state === 'found'],
]

const riskyBelow = 70

/** Judges a well-formed address. The mailbox itself is never asked, so the best is that it is likely. */
export const judge = (known: Known): Judged => {
  const holding = ceilings.filter(([, , holds]) => holds(known))
  const reasons = holding.map(([reason]) => reason)
  const end = fatal[known.state]
  if (end) return { verdict: 'undeliverable', score: 0, reasons: [end, ...reasons] }
  if (known.state === 'unknown' && !known.literal)
    return { verdict: 'unknown', score: 50, reasons: ['dns_unavailable', ...reasons] }
  const score = Math.min(95, ...holding.map(([, ceiling]) => ceiling))
  return { verdict: score < riskyBelow ? 'risky' : 'deliverable_likely', score, reasons }
}
