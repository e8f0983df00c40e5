import { type DmarcPolicy, type DmarcRecord, parseDmarc } from '../../../lib/mail-auth/dmarc/record.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { askName } from '../mail-policy/query-dns.ts'
import type { Note } from '../meta.ts'
import { findOrganization, type Step, walkTree } from './tree-walk.ts'

export type AppliedTag = 'p' | 'sp' | 'np'

/** The policy that holds for a domain, where it stands, and what stands in the way. */
export type DmarcDiscovery = {
  step: Step | null
  record: DmarcRecord | null
  organization: string | null
  applied_tag: AppliedTag | null
  effective_policy: DmarcPolicy | null
  errors: Note[]
  warnings: Note[]
}

/** The record of the domain itself, else of its organization, else of the public suffix (RFC 9989 section 4.10.1). */
const applicable = (steps: readonly Step[], organization: string | null): Step | undefined => {
  const own = steps[0]
  if (own?.record) return own
  return (
    steps.find(step => step.domain === organization && step.record) ?? steps.findLast(step => step.record)
  )
}

/** Neither addresses nor mail servers: such a name does not exist for DMARC. Unknown counts as existing. */
const isMissing = async (dns: Dns, domain: string, signal: AbortSignal): Promise<boolean> => {
  const answers = await Promise.all(
    (['A', 'AAAA', 'MX'] as const).map(type => askName(dns, domain, type, signal)),
  )
  return answers.every(
    answer => typeof answer !== 'string' && !answer.records.some(({ type }) => type !== 'CNAME'),
  )
}

const weaker = { reject: 'quarantine', quarantine: 'none', none: 'none' } as const

const checkOwnRecords = ({ domain, records, near, others }: Step): { errors: Note[]; warnings: Note[] } => ({
  errors:
    records.length > 1
      ? [
          {
            code: 'several_records',
            message: `_dmarc.${domain} has ${records.length} DMARC records; receivers use none of them.`,
          },
        ]
      : [],
  warnings: [
    ...near.slice(0, 3).map(text => ({
      code: 'not_read_as_dmarc',
      message: `"${text.slice(0, 60)}" is ignored: a record starts with exactly "v=DMARC1;".`,
    })),
    ...(others > 0
      ? [
          {
            code: 'other_records',
            message: `_dmarc.${domain} has ${others} TXT records that are no DMARC records.`,
          },
        ]
      : []),
  ],
})

const effectivePolicyFor = (record: DmarcRecord, tag: AppliedTag): DmarcPolicy | null => {
  const policy = { p: record.policy, sp: record.subdomainPolicy, np: record.nonexistentPolicy }[tag]
  return policy !== null && record.testMode ? weaker[policy] : policy
}

/** Finds the policy of a domain by the DNS tree walk. The code when the DNS did not tell. */
export const findDmarc = async (
  dns: Dns,
  domain: string,
  signal: AbortSignal,
): Promise<DmarcDiscovery | string> => {
  const steps = await walkTree(dns, domain, signal)
  const [own] = steps
  const failure = steps.find(step => step.failed)?.failed
  if (!own || own.failed || (failure && !own.record)) return failure ?? 'TIMEOUT'
  const organization = findOrganization(steps)
  const notes = checkOwnRecords(own)
  const step = applicable(steps, organization)
  if (!step?.record)
    return { step: null, record: null, organization, applied_tag: null, effective_policy: null, ...notes }
  const record = parseDmarc(step.record)
  const appliedTag = step === own ? 'p' : (await isMissing(dns, domain, signal)) ? 'np' : 'sp'
  return {
    step,
    record,
    organization,
    applied_tag: appliedTag,
    effective_policy: effectivePolicyFor(record, appliedTag),
    ...notes,
  }
}
