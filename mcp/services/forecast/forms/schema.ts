import { z } from 'zod'

const amount = z.number().min(-1e15).max(1e15)
const days = z.number().gt(0).max(40_000)
const Side = z.enum(['>', '>=', '<', '<='])
const rate = { events: z.int().min(0).max(1e9), n: z.int().min(1).max(1e9), period_days: days.optional() }
const series = z.array(amount).min(1).max(1500)

const Price = z.strictObject({ kind: z.literal('price'), market_price: z.number().gt(0).lt(1) })
const Change = z.strictObject({
  kind: z.literal('change'),
  series,
  step_days: days.default(1),
  seasonal: z.boolean().default(false),
  traded: z.boolean(),
  is: z.enum(['>', '<']).default('>'),
})
const Level = z.strictObject({
  kind: z.literal('level'),
  series: series.optional(),
  step_days: days.default(1),
  value: amount.optional(),
  volatility: z.number().gt(0).max(20).optional(),
  threshold: amount.optional(),
  is: Side.optional(),
  when: z.enum(['at', 'until']).optional(),
})
const Count = z.strictObject({
  kind: z.literal('count'),
  events: rate.events,
  exposure_days: days,
  threshold: z.number().min(0).max(1e6),
  is: Side.default('>='),
})
const Event = z.strictObject({ kind: z.literal('event'), ...rate })
const State = z.strictObject({ kind: z.literal('state'), ...rate })
const Rank = z.strictObject({
  kind: z.literal('rank'),
  rate_of_moving: z.number().min(0).max(1),
  period_days: rate.period_days,
})

const isWithin = ({ events, n }: { events: number; n: number }): boolean => events <= n
const within = { path: ['events'], message: 'must not be above n' }

/** Each form with what it takes, and nothing else. */
const Forms = z.discriminatedUnion('kind', [
  Price,
  Change,
  Level,
  Count,
  Event.refine(isWithin, within),
  State.refine(isWithin, within),
  Rank,
])

const number = z.number().optional()

/** The same as a model reads it: one list of fields takes a third of the bytes of seven forms. */
const Fields = z.object({
  kind: z
    .enum(['price', 'level', 'change', 'count', 'event', 'state', 'rank'])
    .describe(
      'level: series, or value and volatility; threshold, is, when. change: series, traded. count: events, exposure_days, threshold. event, state: events, n',
    ),
  market_price: number.describe('Of this question'),
  series: z.array(z.number()).optional().describe('Oldest first, the last of now'),
  step_days: number.describe('Between values'),
  seasonal: z.boolean().optional().describe('By the year'),
  traded: z.boolean().optional().describe('An asset: refused'),
  value: number.describe('Now'),
  volatility: number.describe('A year; 0.6 is 60 %'),
  threshold: number.describe('Else as it reads'),
  is: Side.optional().describe('Side'),
  when: z.enum(['at', 'until']).optional().describe('The close'),
  events: number.describe('How often'),
  n: number.describe('Periods or cases'),
  period_days: number.describe('None: cases'),
  exposure_days: number.describe('Counted over'),
  rate_of_moving: number.describe('Share of periods'),
})

/** The form of a question as its caller states it, with the numbers that it is computed from. */
export const FormInput = Fields.transform((fields, context): z.output<typeof Forms> => {
  const form = Forms.safeParse(fields)
  if (form.success) return form.data
  for (const issue of form.error.issues)
    for (const name of issue.code === 'unrecognized_keys' ? issue.keys : [undefined])
      context.addIssue({
        code: 'custom',
        path: name === undefined ? issue.path : [name],
        message: name === undefined ? issue.message : `is no field of the form ${fields.kind}`,
      })
  return z.NEVER
})

export type Form = z.output<typeof Forms>
export type FormKind = Form['kind']

/** A level whose threshold, side and time are known. */
export type CompleteLevel = Extract<Form, { kind: 'level' }> & {
  threshold: number
  is: '>' | '>=' | '<' | '<='
  when: 'at' | 'until'
}

/** A form that can be computed. */
export type CompleteForm = Exclude<Form, { kind: 'level' }> | CompleteLevel
