import { collection } from '../../../kernel/collection.ts'
import type { Distribution } from './histogram.ts'

/** The steps whose time is measured. */
export const steps = ['to_first_application', 'to_assign', 'to_submit', 'to_review'] as const

export type Step = (typeof steps)[number]

export type Timing = Distribution & { count: number; sum: number }

/** Counts of one day: of one publisher, or of a part of all tasks. Money in millionths of a dollar, as text. */
export type Stats = {
  id: string
  /** `all`, or the account of a publisher. */
  scope: string
  /** `2026-11-22` */
  day: string
  reached: Readonly<Record<string, number>>
  categories: Readonly<Record<string, { published: number; completed: number }>>
  times: Readonly<Partial<Record<Step, Timing>>>
  bounty: Distribution & { count: number; sum: string; min: string | null; max: string | null }
  released: string
  refunded: string
  fees: string
}

const table = { name: 'tasks.stats', indexes: [{ name: 'scope', fields: ['scope', 'day'] }] } as const

export const statsIn = collection<Stats>({
  name: table.name,
  indexes: table.indexes,
  budget: {
    what: 'days of publishers',
    counts: ({ scope }) => scope !== 'all',
    network: { rows: 20_000, bytes: 20 << 20 },
    allBytes: 64 << 20,
    ends: 'They stay. A funded task counts beyond the bound.',
  },
})

export const emptyStats = (id: string, scope: string, day: string): Stats => ({
  id,
  scope,
  day,
  reached: {},
  categories: {},
  times: {},
  bounty: { count: 0, sum: '0', min: null, max: null, histogram: {} },
  released: '0',
  refunded: '0',
  fees: '0',
})
