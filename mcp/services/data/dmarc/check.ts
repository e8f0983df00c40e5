import type { DmarcRecord } from '../../../lib/mail-auth/dmarc/record.ts'
import type { ReportUri } from '../../../lib/mail-auth/dmarc/report-uris.ts'
import type { Dns } from '../../../ports/index.ts'
import { shown, shownNotes } from '../mail-policy/notes.ts'
import type { Note } from '../meta.ts'
import { checkDestination, type Destination } from './destinations.ts'
import { type Discovered, findDmarc } from './find.ts'
import type { DmarcReport } from './report.ts'

const mostDestinations = 5

/** A report for show, and the record as it is for those who build on it. */
export type DmarcCheck = DmarcReport & { parsed: DmarcRecord | null }

const shownDestination = ({ uri, address, external, authorized, takesMail }: Destination) => ({
  uri: shown(uri, 400),
  address: address === null ? null : shown(address, 320),
  external,
  authorized,
  takesMail,
})

const destinationNotes = (destinations: readonly Destination[]): Note[] =>
  destinations.flatMap(({ domain, authorized, takesMail }) => [
    ...(authorized === false
      ? [
          {
            code: 'report_not_agreed',
            message: `${domain} does not agree to reports about this domain, so none are sent there.`,
          },
        ]
      : []),
    ...(takesMail === false
      ? [{ code: 'report_not_taken', message: `${domain} takes no mail, so reports are lost.` }]
      : []),
  ])

const policyNotes = ({ record, effectivePolicy, appliedTag }: Discovered): Note[] => {
  if (!record) return []
  const { policy, subdomainPolicy, nonexistentPolicy, rua, testMode, removedTags } = record
  const enforced = policy === 'quarantine' || policy === 'reject'
  const hole = (tag: string, open: boolean, who: string) =>
    open ? [{ code: `${tag}_none`, message: `${tag}=none leaves ${who} open to forgery.` }] : []
  return [
    ...(effectivePolicy === 'none' && !testMode
      ? [
          {
            code: 'monitoring',
            message: 'The policy is none: forged mail is reported at best, never stopped.',
          },
        ]
      : []),
    ...(testMode
      ? [{ code: 'test_mode', message: 't=y asks receivers to apply the next weaker policy.' }]
      : []),
    ...(appliedTag === 'p' ? hole('sp', enforced && subdomainPolicy === 'none', 'subdomains') : []),
    ...(appliedTag === 'p'
      ? hole('np', nonexistentPolicy === 'none' && subdomainPolicy !== 'none', 'invented subdomains')
      : []),
    ...(rua.length === 0
      ? [{ code: 'no_reports', message: 'Without rua nobody learns who sends in this name.' }]
      : []),
    ...removedTags.map(({ tag, value }) => ({
      code: 'removed_tag',
      message: `${tag}=${value.slice(0, 20)} is no longer part of DMARC (RFC 9989).`,
    })),
  ]
}

const none = {
  record: null,
  foundAt: null,
  inherited: false,
  valid: false,
  policy: null,
  subdomainPolicy: null,
  nonexistentPolicy: null,
  appliedTag: null,
  effectivePolicy: null,
  testMode: false,
  alignment: { dkim: 'relaxed', spf: 'relaxed' },
  psd: 'u',
  failureOptions: [],
  rua: [],
  ruf: [],
  removedTags: [],
  parsed: null,
} as const

/** The DMARC policy of a domain and where its reports go. The code when the DNS did not tell. */
export const checkDmarc = async (
  dns: Dns,
  domain: string,
  signal: AbortSignal,
): Promise<DmarcCheck | string> => {
  const found = await findDmarc(dns, domain, signal)
  if (typeof found === 'string') return found
  const { step, record, organization } = found
  if (!record || !step)
    return {
      ...none,
      failureOptions: [],
      rua: [],
      ruf: [],
      removedTags: [],
      organizationalDomain: organization,
      errors: shownNotes(found.errors),
      warnings: shownNotes(found.warnings),
    }
  const isOwner = organization === null || record.psd === 'y'
  const place = { domain: step.domain, organization: isOwner ? step.domain : organization }
  const check = (uris: ReportUri[]) =>
    Promise.all(uris.slice(0, mostDestinations).map(uri => checkDestination(dns, place, uri, signal)))
  const [rua, ruf] = await Promise.all([check(record.rua), check(record.ruf)])
  const errors = [...found.errors, ...record.errors]
  const all = [...rua, ...ruf]
  return {
    record: shown(record.text),
    foundAt: step.domain,
    inherited: step.domain !== domain,
    organizationalDomain: organization,
    valid: errors.length === 0,
    policy: record.policy,
    subdomainPolicy: record.subdomainPolicy,
    nonexistentPolicy: record.nonexistentPolicy,
    appliedTag: found.appliedTag,
    effectivePolicy: found.effectivePolicy,
    testMode: record.testMode,
    alignment: { dkim: record.dkimAlignment, spf: record.spfAlignment },
    psd: record.psd,
    failureOptions: record.failureOptions,
    rua: rua.map(shownDestination),
    ruf: ruf.map(shownDestination),
    removedTags: record.removedTags
      .slice(0, 10)
      .map(({ tag, value, advice }) => ({ tag, value: shown(value, 60), advice })),
    errors: shownNotes(errors),
    warnings: shownNotes([
      ...found.warnings,
      ...policyNotes(found),
      ...record.warnings,
      ...destinationNotes(all),
    ]),
    parsed: record,
  }
}
