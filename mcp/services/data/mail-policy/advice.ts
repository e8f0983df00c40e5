import { z } from 'zod'
import { factTable } from '../../../lib/facts.ts'
import { fill } from '../../../lib/fill.ts'

const priorities = ['high', 'medium', 'low'] as const

/** Remedy for a finding, with the record that does it where one can be written. */
export const Recommendations = z
  .array(
    z.object({
      priority: z.enum(priorities).describe('high: closes a hole'),
      code: z.string().describe('Stable code'),
      text: z.string().describe('What to do and why'),
      record: z
        .object({
          name: z.string().describe('Owner name'),
          type: z.enum(['TXT', 'MX']).describe('Record type'),
          value: z.string().describe('Value to paste; strings over 255 characters are to be split'),
        })
        .nullable()
        .describe('Record to publish; null when it cannot be known'),
    }),
  )
  .describe('What to do, most urgent first')

export type Advice = z.input<typeof Recommendations>[number]

const texts = factTable(
  new URL('./data/advice.json', import.meta.url),
  z
    .record(z.string(), z.strictObject({ priority: z.enum(priorities), text: z.string() }))
    .transform(all => new Map(Object.entries(all))),
)

/** The advice of a name, with its words filled in. Its code is the name up to a dot, which tells cases of one code apart. */
export const advise = (
  name: string,
  record: { name: string; value: string; type?: 'TXT' | 'MX' } | null = null,
  given: Readonly<Record<string, string>> = {},
): Advice => {
  const fact = texts().get(name)
  if (!fact) throw new Error(`no advice is named ${name}`)
  const [code = name] = name.split('.')
  return {
    priority: fact.priority,
    code,
    text: fill(fact.text, given),
    record: record && { type: 'TXT', ...record },
  }
}
