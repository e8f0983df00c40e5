import { z } from 'zod'
import { Notes } from '../mail-policy/notes.ts'

const Policy = z.enum(['none', 'quarantine', 'reject']).nullable()

const Destinations = (about: string) =>
  z
    .array(
      z.object({
        uri: z.string().describe('As published'),
        address: z.string().nullable().describe('Mail address'),
        external: z.boolean().nullable().describe('Another organization receives them; null when unknown'),
        authorized: z.boolean().nullable().describe('An external receiver agreed; null when unknown'),
        takes_mail: z.boolean().nullable().describe('False when its domain takes no mail'),
      }),
    )
    .describe(about)

/** DMARC of a domain; null where the DNS did not tell. */
export const Dmarc = z
  .object({
    record: z.string().nullable().describe('The record that applies; null when there is none'),
    found_at: z
      .string()
      .nullable()
      .describe('Domain whose record it is: this one, its organization or a public suffix'),
    inherited: z.boolean().describe('The record is of a parent domain'),
    organizational_domain: z.string().nullable().describe('By the DNS tree walk; null when unknown'),
    valid: z.boolean().describe('There is a record without errors'),
    policy: Policy.describe('p: asked for found_at itself; none when p is missing'),
    subdomain_policy: Policy.describe('sp, else p'),
    nonexistent_policy: Policy.describe('np, else sp, else p'),
    applied_tag: z.enum(['p', 'sp', 'np']).nullable().describe('Which of them is about this domain'),
    effective_policy: Policy.describe(
      'What receivers do with forged mail of this domain; test mode lowers it',
    ),
    test_mode: z.boolean().describe('t=y: receivers apply the next weaker policy'),
    alignment: z
      .object({
        dkim: z.enum(['relaxed', 'strict']).describe('adkim'),
        spf: z.enum(['relaxed', 'strict']).describe('aspf'),
      })
      .describe('How near to the From domain the signing and sending domains must be'),
    psd: z.enum(['y', 'n', 'u']).describe('Public suffix flag; u is the default'),
    failure_options: z.array(z.string()).describe('fo: when failure reports are asked for'),
    rua: Destinations('Where aggregate reports go; at most 5 are looked at'),
    ruf: Destinations('Where failure reports go; at most 5 are looked at'),
    removed_tags: z
      .array(
        z.object({
          tag: z.string().describe('pct, rf or ri'),
          value: z.string().describe('Its value'),
          advice: z.string().describe('What to do'),
        }),
      )
      .describe('Tags that RFC 9989 removed'),
    errors: Notes('What is wrong; receivers fall back to defaults'),
    warnings: Notes('What should be better'),
  })
  .nullable()
  .describe('DMARC (RFC 9989); null when the DNS did not tell')

export type DmarcReport = NonNullable<z.input<typeof Dmarc>>
