import { z } from 'zod'
import { selectorsFor } from '../../../lib/mail-auth/dkim/selectors.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { Notes, toPrintable, toPrintableNotes } from '../mail-policy/notes.ts'
import { type FoundKey, probeSelectors } from './probe.ts'

/** DKIM keys of a domain; null where the DNS did not tell. */
export const Dkim = z
  .object({
    status: z
      .enum(['found', 'only_revoked', 'not_found', 'unknown'])
      .describe(
        'not_found: no common selector has a key. Other selectors may: it is not absent. unknown: the DNS did not answer for all of them',
      ),
    checked: z.number().int().describe('Selectors that the DNS answered for'),
    unknown: z.number().int().describe('Selectors that the DNS did not answer for'),
    unanswered: z.array(z.string()).describe('These selectors: nobody knows whether they have a key'),
    count: z.number().int().describe('Keys found'),
    found: z
      .array(
        z.object({
          selector: z.string().describe('Selector'),
          key_type: z.string().describe('rsa, ed25519 or what the record says'),
          bits: z.number().int().nullable().describe('Key size; null when it cannot be read'),
          valid: z.boolean().describe('Receivers can use it'),
          revoked: z.boolean().describe('Empty key'),
          testing: z.boolean().describe('t=y'),
          hashes: z.array(z.string()).describe('Allowed hashes; empty: all'),
          alias: z.string().nullable().describe('Where a CNAME leads: who holds the key'),
          issues: Notes('What is wrong'),
        }),
      )
      .describe('Keys by selector'),
    wildcard: z.boolean().describe('Every selector has a key, shown as *'),
    note: z.string().describe('How far this can be relied on'),
  })
  .nullable()
  .describe('DKIM keys at common selectors; null when the DNS did not tell')

export type DkimReport = NonNullable<z.input<typeof Dkim>>

const shownKey = (key: FoundKey): DkimReport['found'][number] => ({
  selector: key.selector,
  key_type: toPrintable(key.keyType, 30),
  bits: key.bits,
  valid: key.valid && key.records === 1,
  revoked: key.revoked,
  testing: key.testing,
  hashes: key.hashes.slice(0, 5).map(hash => toPrintable(hash, 30)),
  alias: key.alias === null ? null : toPrintable(key.alias, 253),
  issues: [
    ...(key.records > 1
      ? [{ code: 'several_records', message: `The selector has ${key.records} key records.` }]
      : []),
    ...toPrintableNotes(key.issues),
  ],
})

const notes = {
  found: 'Selectors cannot be listed: there may be more keys than these.',
  only_revoked: 'Only revoked keys were found; mail may be signed with a selector that was not tried.',
  not_found:
    'No common selector has a key. Mail may still be signed: selectors cannot be listed. Give the s= of a DKIM-Signature as selector.',
} as const

const unknownNote =
  'The DNS did not answer for some selectors: whether they have keys is not known. Ask again in a moment.'

const noMail = 'Every selector has an empty key: the domain says that none of its mail is signed.'

/** Looks for keys at the common selectors and at `asked`. The code when the DNS did not tell. */
export const checkDkim = async (
  dns: Dns,
  domain: string,
  selector: string | undefined,
  signal: AbortSignal,
): Promise<DkimReport | string> => {
  const probe = await probeSelectors(dns, domain, selectorsFor(domain, selector), signal)
  if (typeof probe === 'string') return probe
  const { found, checked, unanswered, wildcard } = probe
  const isIncomplete = unanswered.length > 0
  const answer =
    found.length === 0 ? 'not_found' : found.every(({ revoked }) => revoked) ? 'only_revoked' : 'found'
  const status = isIncomplete && answer !== 'found' ? 'unknown' : answer
  const note =
    status === 'unknown' ? unknownNote : wildcard && status === 'only_revoked' ? noMail : notes[status]
  return {
    status,
    checked,
    unknown: unanswered.length,
    unanswered,
    count: found.length,
    found: found.map(shownKey),
    wildcard,
    note,
  }
}
