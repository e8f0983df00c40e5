import type { DmarcRecord } from '../../../lib/mail-auth/dmarc/record.ts'
import type { ReportUri } from '../../../lib/mail-auth/dmarc/report-uris.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { toPrintable, toPrintableNotes } from '../mail-policy/notes.ts'
import type { Note } from '../meta.ts'
import { checkDestination, type ReportDestination } from './destinations.ts'
import { type DmarcDiscovery, findDmarc } from './find.ts'
import type { DmarcReport } from './report.ts'

const maxDestinations = 5

/** A report for show, and the record as it is for those who build on it. */
export type DmarcCheck = DmarcReport & { parsed: DmarcRecord | null }

const toReportDestination = ({
  uri,
  address,
  external,
  authorized,
  takes_mail: takesMail,
}: ReportDestination) => ({
  uri: toPrintable(uri, 400),
  address: address === null ? null : toPrintable(address, 320),
  external,
  authorized,
  takes_mail: takesMail,
})

const destinationNotes = (destinations: readonly ReportDestination[]): Note[] =>
  destinations.flatMap(({ domain, authorized, takes_mail: takesMail }) => [
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

const policyNotes = ({
  record,
  effective_policy: effectivePolicy,
  applied_tag: appliedTag,
}: DmarcDiscovery): Note[] => {
  if (!record) return []
  const { policy, subdomainPolicy, nonexistentPolicy, rua, testMode, removedTags } = record
  const isEnforced = policy === 'quarantine' || policy === 'reject'
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
    ...(appliedTag === 'p' ? hole('sp', isEnforced && subdomainPolicy === 'none', 'subdomains') : []),
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
  found_at: null,
  inherited: false,
  valid: false,
  policy: null,
  subdomain_policy: null,
  nonexistent_policy: null,
  applied_tag: null,
  effective_policy: null,
  test_mode: false,
  alignment: { dkim: 'relaxed', spf: 'relaxed' },
  psd: 'u',
  failure_options: [],
  rua: [],
  ruf: [],
  removed_tags: [],
  parsed: null,
} as const

/** The DMARC policy of a domain and where its reports go. The code when the DNS did not tell. */
export const checkDmarc = async (
  dns: Dns,
  domain: string,
  signal: AbortSignal,
): Promise<DmarcCheck | string> => {
  const discovery = await findDmarc(dns, domain, signal)
  if (typeof discovery === 'string') return discovery
  const { step, record, organization } = discovery
  if (!record || !step)
    return {
      ...none,
      failure_options: [],
      rua: [],
      ruf: [],
      removed_tags: [],
      organizational_domain: organization,
      errors: toPrintableNotes(discovery.errors),
      warnings: toPrintableNotes(discovery.warnings),
    }
  const isOwner = organization === null || record.psd === 'y'
  const place = { domain: step.domain, organization: isOwner ? step.domain : organization }
  const check = (uris: ReportUri[]) =>
    Promise.all(uris.slice(0, maxDestinations).map(uri => checkDestination(dns, place, uri, signal)))
  const [rua, ruf] = await Promise.all([check(record.rua), check(record.ruf)])
  const errors = [...discovery.errors, ...record.errors]
  const all = [...rua, ...ruf]
  return {
    record: toPrintable(record.text),
    found_at: step.domain,
    inherited: step.domain !== domain,
    organizational_domain: organization,
    valid: errors.length === 0,
    policy: record.policy,
    subdomain_policy: record.subdomainPolicy,
    nonexistent_policy: record.nonexistentPolicy,
    applied_tag: discovery.applied_tag,
    effective_policy: discovery.effective_policy,
    test_mode: record.testMode,
    alignment: { dkim: record.dkimAlignment, spf: record.spfAlignment },
    psd: record.psd,
    failure_options: record.failureOptions,
    rua: rua.map(toReportDestination),
    ruf: ruf.map(toReportDestination),
    removed_tags: record.removedTags
      .slice(0, 10)
      .map(({ tag, value, advice }) => ({ tag, value: toPrintable(value, 60), advice })),
    errors: toPrintableNotes(errors),
    warnings: toPrintableNotes([
      ...discovery.warnings,
      ...policyNotes(discovery),
      ...record.warnings,
      ...destinationNotes(all),
    ]),
    parsed: record,
  }
}
