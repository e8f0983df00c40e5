import { z } from 'zod'
import { clean } from '../../lib/text/clean.ts'
import { repairAddress } from './mailbox/repair.ts'
import { suggestDomain } from './mailbox/suggest.ts'
import { type ParsedMailbox, parseMailbox } from './mailbox/syntax.ts'
import { verifyMailbox } from './mailbox/verify.ts'
import { skill } from './skill.ts'

const text = (what: string) => z.string().nullable().describe(what)
const flag = (what: string) => z.boolean().nullable().describe(what)

/** The domain that limits count by. */
const findDomain = (email: string): string => {
  const parsed = parseMailbox(email)
  return 'mailbox' in parsed ? parsed.mailbox.domain.ascii : email.slice(0, 100)
}

/** Guesses the address meant by one that is not well formed, with its domain put right as well. */
const meantBy = (address: string): string | null => {
  const repairedAddress = repairAddress(address)
  const parsed = repairedAddress === null ? undefined : parseMailbox(repairedAddress)
  if (!parsed || !('mailbox' in parsed)) return repairedAddress
  const domain = suggestDomain(parsed.mailbox.domain.ascii)
  return domain === null ? repairedAddress : `${parsed.mailbox.rawLocal}@${domain}`
}

const malformedFields = ({ fault, address, parts }: Extract<ParsedMailbox, { fault: object }>) => ({
  email: clean(address, 320) ?? '',
  normalized: null,
  local: clean(parts?.[0], 320),
  domain: clean(parts?.[1], 320),
  unicode: null,
  valid: false,
  verdict: 'undeliverable' as const,
  score: 0,
  reasons: ['invalid_syntax', fault.reason],
  syntax: { valid: false, ...fault },
  mx: { found: null, records: [], count: 0, null_mx: null, implicit: null, provider: null },
  disposable: null,
  disposable_as: null,
  role: null,
  role_name: null,
  free: null,
  relay: null,
  subaddress: null,
  suggestion: meantBy(address),
})

const uncheckedFields = { catch_all: null, smtp_checked: false as const }

const sayings = {
  deliverable_likely: 'can most likely be delivered to',
  risky: 'is risky to send to',
  undeliverable: 'cannot be delivered to',
  unknown: 'could not be checked: its DNS does not answer',
}

export default skill({
  id: 'verify-email',
  argument: 'email',
  price: '0.003',
  tags: ['email', 'verification', 'mx', 'deliverability'],
  keywords: ['throwaway', 'bounce', 'deliverable', 'mailbox', 'validate', 'real'],
  openWorld: true,
  cacheSec: 300,
  target: ({ email }) => findDomain(email),
  title: 'Verify an e-mail address',
  description:
    'Checks an e-mail address without sending anything: syntax (RFC 5321, international too), mail servers (MX, null MX, implicit), disposable domains, role accounts, free providers, likely typos, tags. Mail servers are never probed over SMTP; DNS trouble gives unknown, never invalid. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({
    email: z
      .string()
      .trim()
      .min(1)
      .max(1000)
      .describe('One address such as jo@example.com; Name <jo@example.com> and mailto: too'),
  }),
  output: z.object({
    email: z.string().describe('The address alone'),
    normalized: text('One spelling for all that end in the same mailbox; null when invalid'),
    local: text('The part before the @'),
    domain: text('The part after the @, in ASCII'),
    unicode: text('The domain as people read it'),
    valid: z.boolean().describe('True when it is well formed and not known to be undeliverable'),
    verdict: z
      .enum(['deliverable_likely', 'risky', 'undeliverable', 'unknown'])
      .describe('What to make of it'),
    score: z.number().int().describe('0 to 95; 50 when unknown'),
    reasons: z.array(z.string()).describe('Codes of what led to the verdict, the weightiest first'),
    syntax: z
      .object({
        valid: z.boolean().describe('True when it is well formed'),
        reason: text('Code of the fault'),
        detail: text('The fault in a sentence'),
      })
      .describe('RFC 5321 and RFC 6531'),
    mx: z
      .object({
        found: flag('Whether it has MX records; null when not known'),
        records: z
          .array(
            z.object({
              priority: z.number().int().describe('The lowest is tried first'),
              exchange: z.string().describe('Mail server'),
            }),
          )
          .describe('Mail servers by priority, at most 20'),
        count: z.number().int().describe('How many are listed'),
        null_mx: flag('The domain says that it takes no mail (RFC 7505)'),
        implicit: flag('No MX; its address takes the mail'),
        provider: text('Who runs them, where known'),
      })
      .describe('Where its mail goes'),
    disposable: flag('The domain or its mail server is one of throw-away mailboxes'),
    disposable_as: text('The listed domain'),
    role: flag('It stands for a task such as support, not for a person'),
    role_name: text('The task'),
    free: flag('Anybody gets a mailbox there for nothing'),
    relay: text('Who hands its mail on to a hidden mailbox'),
    subaddress: text('The tag in name+tag'),
    suggestion: text('What was probably meant'),
    catch_all: z.null().describe('Never known: mail servers are not probed'),
    smtp_checked: z.literal(false).describe('Mail servers are never probed'),
  }),
  needs: ['dns'],
  examples: [{ email: 'jo.doe+news@example.com' }, { email: 'not an address' }],
  summary: ({ email, verdict, syntax, suggestion }) => {
    const first = syntax.valid
      ? `${email} ${sayings[verdict]}.`
      : `This is no e-mail address. ${syntax.detail}`
    return suggestion ? `${first} Was ${suggestion} meant?` : first
  },
}).run(async ({ dns, signal }, { email }) => {
  const parsed = parseMailbox(email)
  if (!('mailbox' in parsed)) return { ...malformedFields(parsed), ...uncheckedFields }
  const { fields, ttl, sources } = await verifyMailbox(dns, parsed.mailbox, signal)
  const isCut = fields.mx.count > fields.mx.records.length
  const cutNote = {
    code: 'mx_cut',
    message: `The domain has ${fields.mx.count} mail servers; the first 20 are listed.`,
  }
  return {
    ...fields,
    ...uncheckedFields,
    keepSec: ttl,
    about: { sources, warnings: isCut ? [cutNote] : [], truncated: isCut },
  }
})
