import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { parseNoteKey } from './proofs/verify/note.ts'

const list = (text: string): string[] => text.split(/[\s,]+/).filter(part => part !== '')

const isUrl = (text: string, ...protocols: string[]): boolean =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol)

const urls = (...protocols: string[]) =>
  z
    .string()
    .transform(list)
    .refine(all => all.length > 0 && all.every(url => isUrl(url, ...protocols)), {
      error: `must be addresses with ${protocols.join(' or ')}, separated by commas`,
    })
    .transform(all => all.map(url => url.replace(/\/+$/, '')))

const witness = z.string().transform((text, ctx) => {
  const [address = '', key = ''] = text.split('=>')
  const parsed = parseNoteKey(key)
  if (parsed && isUrl(address, 'http:', 'https:')) return { url: address.replace(/\/+$/, ''), key: parsed }
  ctx.addIssue({ code: 'custom', message: 'must be address=>key, with the key as name+id+base64' })
  return z.NEVER
})

/** Operator settings of the verification service. */
export const proofSettings = settings({
  ledgerOrigin: {
    variable: 'PROOF_LEDGER_ORIGIN',
    schema: z.string().regex(/^[^\s+]{1,200}$/, { error: 'must be a name without white space and "+"' }),
    description:
      'Name of the ledger in its checkpoints, a URL without its scheme. It stands in the first one for good. With `auto`, a random name on localhost.',
    default: 'auto',
  },
  witnesses: {
    variable: 'PROOF_WITNESSES',
    schema: z.string().transform(list).pipe(z.array(witness).min(1)),
    description:
      'Witnesses that cosign checkpoints (C2SP tlog-witness), as address=>key, separated by commas. Without it nobody is asked.',
    example:
      'https://witness.example.org=>witness.example.org+736926d2+BC+ZrLnaVKyUp/uk3WRJ6gTT3ByLeJr+21HPIQ/218tI',
  },
  reporters: {
    variable: 'PROOF_REPORTERS',
    schema: z
      .string()
      .transform(list)
      .pipe(z.array(z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits' }))),
    description:
      'Nostr keys, in hexadecimal, whose reports of outcomes count for the precision of the ledger. What others report is counted apart.',
    default: '',
    example: 'f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9',
  },
  relays: {
    variable: 'PROOF_RELAYS',
    schema: urls('wss:', 'ws:'),
    description:
      'Nostr relays that checkpoints and proofs are published on, separated by commas. Without it nothing is published.',
    example: 'wss://relay.example.org',
  },
  calendars: {
    variable: 'PROOF_CALENDARS',
    schema: urls('https:', 'http:'),
    description:
      'OpenTimestamps calendars that anchor checkpoints in Bitcoin, separated by commas. Without it nothing is anchored there.',
    example: 'https://calendar.example.org',
  },
  enterpriseCallers: {
    variable: 'PROOF_ENTERPRISE_CALLERS',
    schema: z.string().transform(list),
    description: 'Ids of callers that may use tier 3 of execute, separated by commas.',
    default: '',
  },
})
