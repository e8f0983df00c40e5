import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { coversHost, parseStsPolicy, type StsPolicy } from '../../../lib/mail-auth/sts-policy.ts'
import { parseTags, repeatedTagNotes, tagValue } from '../../../lib/mail-auth/tags.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { Note } from '../meta.ts'
import { Notes, toPrintable, toPrintableNotes } from './notes.ts'
import { askTexts } from './query-dns.ts'

/** MTA-STS of a domain; null where the DNS did not tell. */
export const MtaSts = z
  .object({
    record: z.string().nullable().describe('TXT record at _mta-sts'),
    valid: z
      .boolean()
      .nullable()
      .describe('Record and policy are in order; null when the policy could not be fetched'),
    id: z.string().nullable().describe('Version of the policy'),
    mode: z.enum(['enforce', 'testing', 'none']).nullable().describe('What senders do when TLS fails'),
    mx: z.array(z.string()).describe('Mail servers of the policy'),
    max_age: z.number().int().nullable().describe('Seconds that senders keep the policy'),
    policy_url: z.string().nullable().describe('Where the policy was looked for'),
    errors: Notes('What is wrong'),
    warnings: Notes('What should be better'),
  })
  .nullable()
  .describe('MTA-STS (RFC 8461); null when the DNS did not tell')

export type MtaStsReport = NonNullable<z.input<typeof MtaSts>>

const policyUrl = (domain: string): string => `https://mta-sts.${domain}/.well-known/mta-sts.txt`

type PolicyFile = { policy: StsPolicy | null; errors: Note[]; warnings: Note[] }

const note = (code: string, message: string): Note[] => [{ code, message }]

/** No redirect is followed, as the standard wants it. A server out of reach says nothing about the policy. */
const fetchPolicy = async (fetch: Fetch, domain: string, signal: AbortSignal): Promise<PolicyFile> => {
  try {
    const response = await fetch(policyUrl(domain), {
      maxRedirects: 0,
      maxBytes: 65_536,
      deadlineMs: 6000,
      signal,
    })
    if (response.status !== 200)
      return {
        policy: null,
        errors: note(
          'policy_status',
          `The policy file answers with status ${response.status}; it must be 200.`,
        ),
        warnings: [],
      }
    const policy = parseStsPolicy(response.body.toString())
    const isPlain = /^\s*text\/plain\b/i.test(response.headers['content-type'] ?? '')
    const warnings = isPlain ? [] : note('policy_type', 'The policy file should be sent as text/plain.')
    return { policy, errors: policy.errors, warnings }
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error
    return {
      policy: null,
      errors: [],
      warnings: note('policy_unreachable', `The policy file could not be fetched from mta-sts.${domain}.`),
    }
  }
}

const uncoveredHostNotes = ({ mode, mx }: StsPolicy, hosts: readonly string[]): Note[] =>
  mode === 'none' || mode === null
    ? []
    : hosts
        .filter(host => !mx.some(pattern => coversHost(pattern, host)))
        .slice(0, 5)
        .flatMap(host => note('mx_not_covered', `The policy does not name the mail server ${host}.`))

const none = {
  record: null,
  valid: false,
  id: null,
  mode: null,
  mx: [],
  max_age: null,
  policy_url: null,
  errors: [],
  warnings: [],
}

const recordErrors = (records: readonly string[], id: string | undefined): Note[] => [
  ...(records.length > 1
    ? note('several_records', 'There are several MTA-STS records; senders use none of them.')
    : []),
  ...(/^[a-z0-9]{1,32}$/i.test(id ?? '') ? [] : note('bad_id', 'id must be 1 to 32 letters and digits.')),
]

/** The MTA-STS record and policy of a domain with these mail servers. The code when the DNS did not tell. */
export const checkMtaSts = async (
  { dns, fetch }: { dns: Dns; fetch: Fetch },
  domain: string,
  hosts: readonly string[],
  signal: AbortSignal,
): Promise<MtaStsReport | string> => {
  const { texts, failed } = await askTexts(dns, `_mta-sts.${domain}`, signal)
  if (failed) return failed
  const records = texts.filter(text => /^v\s*=\s*STSv1\s*(?:;|$)/.test(text))
  const [record] = records
  if (record === undefined) return { ...none, mx: [], errors: [], warnings: [] }
  const { tags, repeated } = parseTags(record)
  const id = tagValue(tags, 'id')
  const { policy, errors, warnings } = await fetchPolicy(fetch, domain, signal)
  const wrong = [
    ...recordErrors(records, id),
    ...errors,
    ...(policy ? uncoveredHostNotes(policy, hosts) : []),
  ]
  return {
    record: toPrintable(record),
    valid: wrong.length > 0 ? false : policy ? true : null,
    id: id === undefined ? null : toPrintable(id, 64),
    mode: policy?.mode ?? null,
    mx: (policy?.mx ?? []).slice(0, 30).map(pattern => toPrintable(pattern, 253)),
    max_age: policy?.maxAge ?? null,
    policy_url: policyUrl(domain),
    errors: toPrintableNotes(wrong),
    warnings: toPrintableNotes([
      ...repeatedTagNotes(repeated),
      ...warnings,
      ...(policy?.mode === 'testing'
        ? note('testing', 'In testing mode mail is sent even without TLS.')
        : []),
      ...(policy?.mode === 'enforce' && (policy.maxAge ?? 0) < 86_400
        ? note('short_max_age', 'A max_age under a day protects little; weeks are usual.')
        : []),
    ]),
  }
}
