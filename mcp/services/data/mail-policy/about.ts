import { ToolError } from '../../../kernel/error.ts'
import type { About, Note } from '../meta.ts'
import type { MailEvidence } from './gather.ts'
import { toPrintable } from './notes.ts'

type MailQuery = {
  selector?: string | undefined
  ip?: string | undefined
  sender?: string | undefined
  helo?: string | undefined
}

const titles: Readonly<Record<string, string>> = {
  mx: 'MX',
  spf: 'SPF',
  dmarc: 'DMARC',
  dkim: 'DKIM',
  mta_sts: 'MTA-STS',
  tls_rpt: 'TLS-RPT',
  bimi: 'BIMI',
}

const unknownParts = ({ failures }: MailEvidence): Note[] =>
  Object.entries(failures).map(([part, code]) => ({
    code: 'part_unknown',
    message: `${titles[part]} is unknown, not absent: the DNS did not answer (${code}).`,
  }))

const incomplete = ({ parts: { domain, exists, spf, dkim, mta_sts: mtaSts } }: MailEvidence): Note[] => [
  ...(exists === false ? [{ code: 'no_such_domain', message: `${domain} does not exist in the DNS.` }] : []),
  ...(spf?.unknown ?? []).slice(0, 3).map(name => ({
    code: 'spf_include_unknown',
    message: toPrintable(`SPF leads to ${name}, about which the DNS did not answer.`, 400),
  })),
  ...(dkim && dkim.unknown > 0
    ? [
        {
          code: 'selectors_unknown',
          message: `${dkim.unknown} DKIM selectors are unknown: the DNS did not answer.`,
        },
      ]
    : []),
  ...(mtaSts && mtaSts.record !== null && mtaSts.valid === null
    ? [{ code: 'policy_unreachable', message: 'The MTA-STS policy could not be fetched, so it is unknown.' }]
    : []),
]

/** Gaps that another answer of the DNS or the web may fill, unlike a domain that does not exist. */
const isPassing = ({ code }: Note): boolean => code !== 'no_such_domain'

const aboutInput = (
  { parts: { domain, dkim } }: MailEvidence,
  { selector, ip, sender, helo }: MailQuery,
): Note[] => [
  ...(selector !== undefined && dkim && !dkim.found.some(key => key.selector === selector.toLowerCase())
    ? [{ code: 'selector_without_key', message: `No DKIM key was found at the selector ${selector}.` }]
    : []),
  ...(ip === undefined && (sender !== undefined || helo !== undefined)
    ? [{ code: 'no_ip', message: 'sender and helo are only used together with ip.' }]
    : []),
  ...(ip !== undefined && sender?.includes('@') && sender.split('@').at(-1)?.toLowerCase() !== domain
    ? [
        {
          code: 'other_sender',
          message: `The evaluation is of the record of ${domain}, which is not the domain of the sender.`,
        },
      ]
    : []),
]

/** Sources and warnings of an answer. Throws a retryable `upstream` when the DNS told nothing that matters. */
export const aboutGathered = (
  evidence: MailEvidence,
  query: MailQuery,
): { about: About; keepSec?: number } => {
  const { parts, failures, dns, selectors } = evidence
  if (!parts.spf && !parts.dmarc && !parts.mx) {
    const codes = [...new Set(Object.values(failures))].join(', ')
    throw new ToolError('upstream', `The DNS servers gave no answer about ${parts.domain} (${codes}).`, {
      hint: 'How well its mail is protected is not known. Retry in a moment.',
    })
  }
  const isLimited = dns.refused() > 0 || selectors.refused() > 0
  const warnings = [
    ...unknownParts(evidence),
    ...incomplete(evidence),
    ...aboutInput(evidence, query),
    ...(isLimited
      ? [{ code: 'dns_limit', message: 'The records lead to more DNS questions than one call may ask.' }]
      : []),
  ]
  const resolvers = [...new Set([...dns.resolvers(), ...selectors.resolvers()])].map(
    resolver => `dns:${resolver}`,
  )
  const policy = parts.mta_sts?.policy_url
  return {
    about: { sources: [...resolvers, ...(policy ? [policy] : [])], warnings, truncated: isLimited },
    // What nobody knows now may be known in a moment.
    ...((unknownParts(evidence).length > 0 || incomplete(evidence).some(isPassing)) && { keepSec: 0 }),
  }
}
