import { type Advice, advise } from './advice.ts'
import { dmarcAdvice } from './dmarc-advice.ts'
import { type Parts, usesMail } from './parts.ts'
import { spfAdvice } from './spf-advice.ts'

/** Advice about each of a list; none where the list is empty. */
const adviseOn = (name: string, list: readonly string[]): Advice[] =>
  list.length === 0 ? [] : [advise(name, null, { list: list.join(', ') })]

const dkimAdvice = (parts: Parts): Advice[] => {
  const { dkim } = parts
  if (!dkim || usesMail(parts) === false) return []
  if (dkim.status === 'not_found') return [advise('check_dkim')]
  const selectorsWithIssue = (code: string) =>
    dkim.found
      .filter(({ issues }) => issues.some(issue => issue.code === code))
      .map(({ selector }) => selector)
  return [
    ...adviseOn('replace_key', selectorsWithIssue('broken_key')),
    ...adviseOn('repair_key', selectorsWithIssue('bad_key')),
    ...adviseOn('stronger_key', selectorsWithIssue('weak_key')),
    ...adviseOn('end_key_test', selectorsWithIssue('testing')),
  ]
}

const transportAdvice = ({ domain, mx, mta_sts: mtaSts, tls_rpt: tlsRpt }: Parts): Advice[] => {
  if (!mx || mx.count === 0) return []
  return [
    ...(mtaSts?.record === null
      ? [advise('publish_mta_sts', { name: `_mta-sts.${domain}`, value: 'v=STSv1; id=1' }, { domain })]
      : []),
    ...(mtaSts?.valid === false && mtaSts.record !== null
      ? [advise('repair_mta_sts', null, { problem: mtaSts.errors[0]?.message ?? 'see its errors.' })]
      : []),
    ...(tlsRpt?.record === null
      ? [
          advise('publish_tls_rpt', {
            name: `_smtp._tls.${domain}`,
            value: `v=TLSRPTv1; rua=mailto:tls-reports@${domain}`,
          }),
        ]
      : []),
  ]
}

const serverAdvice = ({ servers }: Parts): Advice[] => {
  const hosts = (is: (server: NonNullable<Parts['servers']>[number]) => boolean) =>
    (servers ?? []).filter(is).map(({ host }) => host)
  return [
    ...adviseOn(
      'repair_dane',
      hosts(({ dane }) => dane.status === 'mismatch'),
    ),
    ...adviseOn(
      'offer_starttls',
      hosts(({ starttls }) => starttls.status === 'not_offered'),
    ),
    ...adviseOn(
      'sign_zone',
      hosts(({ dane }) => dane.status === 'insecure'),
    ),
  ]
}

/** A domain without mail says so with a null MX. */
const nullMxAdvice = ({ domain, mx, spf }: Parts): Advice[] =>
  mx && spf && mx.count === 0 && !mx.null_mx && usesMail({ mx, spf }) === false
    ? [advise('publish_null_mx', { name: domain, type: 'MX', value: '0 .' })]
    : []

const order = { high: 0, medium: 1, low: 2 }

/**
 * What to do about a domain's mail, most urgent first. Nothing is advised about what the DNS did not tell, nor
 * for a name that does not exist.
 */
export const recommend = (parts: Parts): Advice[] => {
  if (parts.exists === false) return []
  return [dmarcAdvice, spfAdvice, dkimAdvice, nullMxAdvice, transportAdvice, serverAdvice]
    .flatMap(advice => advice(parts))
    .sort((a, b) => order[a.priority] - order[b.priority])
    .slice(0, 20)
}
