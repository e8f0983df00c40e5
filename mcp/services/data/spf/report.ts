import { z } from 'zod'
import { Notes } from '../mail-policy/notes.ts'

const All = z
  .enum(['+all', '-all', '~all', '?all'])
  .nullable()
  .describe('What holds for everybody else, also through a redirect; null without "all"')

export const SpfCheck = z
  .object({
    ip: z.string().describe('The client'),
    sender: z.string().describe('Envelope sender'),
    helo: z.string().describe('HELO name'),
    result: z
      .enum(['none', 'neutral', 'pass', 'fail', 'softfail', 'temperror', 'permerror'])
      .describe('Result of check_host(), RFC 7208 section 2.6'),
    mechanism: z.string().nullable().describe('Term that decided'),
    domain: z.string().describe('Domain whose record decided'),
    explanation: z.string().nullable().describe("The owner's explanation of a fail"),
    lookups: z.number().int().describe('Terms that asked the DNS'),
    void_lookups: z.number().int().describe('Lookups that found nothing'),
    problem: z.string().nullable().describe('What was wrong, for an error'),
  })
  .describe('Evaluation for the given ip')

/** SPF of a domain; null where the DNS did not tell. */
export const Spf = z
  .object({
    record: z.string().nullable().describe('The record; null when there is none or several'),
    records: z.array(z.string()).describe('All SPF records at the name; more than one is an error'),
    valid: z
      .boolean()
      .nullable()
      .describe('False without a record or with errors; null when includes are unknown'),
    all: All,
    authorizes_anyone: z.boolean().describe('Every host in the world passes, or half of them'),
    lookups: z.number().int().describe('Terms that ask the DNS in the worst case; 10 are allowed'),
    void_lookups: z.number().int().describe('Lookups that find nothing; 2 are allowed'),
    includes: z
      .array(
        z.object({
          kind: z.enum(['include', 'redirect']).describe('How it is reached'),
          domain: z.string().describe('Domain of the record'),
          parent: z.string().describe('Domain whose record leads here'),
          level: z.number().int().describe('Depth, from 1'),
          record: z.string().nullable().describe('Its record'),
          all: All,
          lookups: z.number().int().describe('Lookups in it and below'),
          void_lookups: z.number().int().describe('Void lookups in it and below'),
          problem: z.string().nullable().describe('What is wrong with it'),
        }),
      )
      .describe('Tree of includes and redirects, depth first'),
    include_count: z.number().int().describe('Entries of the whole tree'),
    errors: Notes('What makes the result permerror'),
    warnings: Notes('What should be better'),
    check: SpfCheck.nullable().describe('Null when no ip was given'),
  })
  .nullable()
  .describe('SPF (RFC 7208); null when the DNS did not tell')

export type SpfReport = NonNullable<z.input<typeof Spf>>
