import type { MailServers } from './mail-servers.ts'

export type Deliverability = 'deliverable_likely' | 'risky' | 'undeliverable' | 'unknown'

/** Facts known of a well-formed address. */
export type MailboxFacts = {
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

export type Judgement = { verdict: Deliverability; score: number; reasons: string[] }

/** Nothing can be delivered, whatever else is known. */
const fatal: Partial<Record<MailServers['state'], string>> = {
  no_domain: 'domain_not_found',
  null: 'null_mx',
  none: 'no_mail_server',
  unresolved: 'mx_unresolvable',
  private: 'mx_not_public',
}

/** Each thing that holds lowers the score to at most this. A mailbox that nobody asked for is never certain: 95 at best. */
const ceilings: readonly [reason: string, ceiling: number, holds: (facts: MailboxFacts) => boolean][] = [
  ['disposable', 10, facts => facts.disposable],
  ['name_not_given_out', 15, facts => !facts.isPossible],
  ['domain_literal', 20, facts => facts.literal],
  ['mx_is_ip', 30, facts => facts.issues.includes('mx_is_ip')],
  ['possible_typo', 40, facts => facts.isTypo],
  ['implicit_mx', 60, facts => facts.state === 'implicit'],
  ['needs_smtputf8', 60, facts => facts.needsUtf8],
  ['quoted_local', 60, facts => facts.quoted],
  ['role_account', 65, facts => facts.role],
  ['forwarding_alias', 85, facts => facts.relay],
  ['mx_is_alias', 90, facts => facts.issues.includes('mx_is_alias')],
  ['mx_found', 95, facts => facts.state === 'found'],
]

const riskyBelow = 70

/** Judges a well-formed address. The mailbox itself is never asked, so the best is that it is likely. */
export const judgeMailbox = (facts: MailboxFacts): Judgement => {
  const holding = ceilings.filter(([, , holds]) => holds(facts))
  const reasons = holding.map(([reason]) => reason)
  const end = fatal[facts.state]
  if (end) return { verdict: 'undeliverable', score: 0, reasons: [end, ...reasons] }
  if (facts.state === 'unknown' && !facts.literal)
    return { verdict: 'unknown', score: 50, reasons: ['dns_unavailable', ...reasons] }
  const score = Math.min(95, ...holding.map(([, ceiling]) => ceiling))
  return { verdict: score < riskyBelow ? 'risky' : 'deliverable_likely', score, reasons }
}
