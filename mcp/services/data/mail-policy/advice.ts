import { z } from 'zod'

/** Remedy for a finding, with the record that does it where one can be written. */
export const Recommendations = z
  .array(
    z.object({
      priority: z.enum(['high', 'medium', 'low']).describe('high: closes a hole'),
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

export const advise = (
  priority: Advice['priority'],
  code: string,
  text: string,
  record: { name: string; value: string; type?: 'TXT' | 'MX' } | null = null,
): Advice => ({ priority, code, text, record: record && { type: 'TXT', ...record } })
