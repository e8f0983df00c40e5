import { type Advice, advise } from './advice.ts'
import { dmarcAdvice } from './dmarc-advice.ts'
import { type Parts, usesMail } from './parts.ts'
import { spfAdvice } from './spf-advice.ts'

const dkimAdvice = (parts: Parts): Advice[] => {
  const { dkim } = parts
  if (!dkim || usesMail(parts) === false) return []
  if (dkim.status === 'not_found')
    return [
      advise(
        'medium',
        'check_dkim',
        'No key was found at common selectors. If mail is signed, pass the selector of a signature (s=); if not, turn on DKIM at your mail provider.',
      ),
    ]
  const selectorsWithIssue = (code: string) =>
    dkim.found
      .filter(({ issues }) => issues.some(issue => issue.code === code))
      .map(({ selector }) => selector)
  const about = (priority: Advice['priority'], code: string, issue: string, text: string): Advice[] => {
    const selectors = selectorsWithIssue(issue)
    return selectors.length === 0 ? [] : [advise(priority, code, `${text}: ${selectors.join(', ')}.`)]
  }
  return [
    ...about('high', 'replace_key', 'broken_key', 'Replace DKIM keys that receivers must refuse'),
    ...about('medium', 'repair_key', 'bad_key', 'Repair DKIM keys that cannot be read'),
    ...about('medium', 'stronger_key', 'weak_key', 'Replace DKIM keys of 1024 bits by 2048'),
    ...about('low', 'end_key_test', 'testing', 'Remove t=y from DKIM keys'),
  ]
}

const transportAdvice = ({ domain, mx, mta_sts: mtaSts, tls_rpt: tlsRpt }: Parts): Advice[] => {
  if (!mx || mx.count === 0) return []
  return [
    ...(mtaSts?.record === null
      ? [
          advise(
            'low',
            'publish_mta_sts',
            `Make TLS mandatory for incoming mail: publish this and a policy at https://mta-sts.${domain}/.well-known/mta-sts.txt.`,
            {
              name: `_mta-sts.${domain}`,
              value: 'v=STSv1; id=1',
            },
          ),
        ]
      : []),
    ...(mtaSts?.valid === false && mtaSts.record !== null
      ? [
          advise(
            'medium',
            'repair_mta_sts',
            `Repair MTA-STS: ${mtaSts.errors[0]?.message ?? 'see its errors.'}`,
          ),
        ]
      : []),
    ...(tlsRpt?.record === null
      ? [
          advise('low', 'publish_tls_rpt', 'Ask for reports about TLS failures.', {
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
  const about = (list: readonly string[], priority: Advice['priority'], code: string, text: string) =>
    list.length === 0 ? [] : [advise(priority, code, `${text}: ${list.join(', ')}.`)]
  return [
    ...about(
      hosts(({ dane }) => dane.status === 'mismatch'),
      'high',
      'repair_dane',
      'Mail servers show certificates that their TLSA records do not name; senders with DANE do not deliver',
    ),
    ...about(
      hosts(({ starttls }) => starttls.status === 'not_offered'),
      'high',
      'offer_starttls',
      'Mail comes in without encryption; turn on STARTTLS',
    ),
    ...about(
      hosts(({ dane }) => dane.status === 'insecure'),
      'low',
      'sign_zone',
      'TLSA records count only where the zones of the domain and of its mail servers are signed with DNSSEC',
    ),
  ]
}

/** A domain without mail says so with a null MX. */
const nullMxAdvice = ({ domain, mx, spf }: Parts): Advice[] =>
  mx && spf && mx.count === 0 && !mx.null_mx && usesMail({ mx, spf }) === false
    ? [
        advise('low', 'publish_null_mx', 'Say that the domain takes no mail (RFC 7505).', {
          name: domain,
          type: 'MX',
          value: '0 .',
        }),
      ]
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
