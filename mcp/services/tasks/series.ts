import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import type { Tx } from '../../ports/store/port.ts'
import type { Task } from './task.ts'

/** A task that is published again and again, each time with money from the balance of its publisher. */
export type Series = {
  /** Id of its first task. */
  id: string
  publisher: string
  every_hours: number
  /** How often in all, the first time included. */
  count: number
  published: number
  /** Milliseconds that each has until its deadline. */
  time_ms: number
  /** When the next comes; null once there is none. */
  next_at: string | null
  state: 'running' | 'done' | 'stopped'
  /** Why it stopped. */
  reason: string | null
  /** The one before the next, which has its terms. */
  last_task: string
}

export const seriesIn = collection<Series>({
  name: 'tasks.series',
  indexes: [{ name: 'due', fields: ['state', 'next_at'] }],
  budget: {
    what: 'repeating tasks',
    owner: ({ publisher }) => publisher,
    counts: ({ state }) => state === 'running',
    each: { rows: 100, bytes: 1 << 20 },
    network: { rows: 400, bytes: 4 << 20 },
    allBytes: 32 << 20,
    ends: 'One counts until the last of it is published, or it stops.',
  },
})

export const RepeatInput = z.object({
  every_hours: z.number().min(1).max(720).describe('Hours from one to the next'),
  count: z.number().int().min(2).max(100).describe('How often in all, this one included'),
})

export const OccurrenceOut = z
  .object({
    series_id: z.string().describe('Id of its first task'),
    number: z.number().int().describe('Which one it is, from 1'),
    count: z.number().int().describe('How many were ordered'),
  })
  .nullable()
  .describe('Its place in a task that repeats; null where it does not')

export const SeriesOut = z
  .object({
    state: z.enum(['running', 'done', 'stopped']).describe('running: more will come'),
    published: z.number().int().describe('How many were published'),
    next_at: z.iso.datetime().nullable().describe('When the next is published'),
    reason: z.string().nullable().describe('Why it stopped'),
  })
  .nullable()
  .describe('How it repeats, for its publisher; null where it does not')

const hourMs = 3_600_000

/** The first time after `now` that is a whole number of intervals after `from`: what was missed is not made up for. */
export const nextTime = (from: string, everyHours: number, now: Date): string => {
  const every = Math.round(everyHours * hourMs)
  const missed = Math.max(0, Math.floor((now.getTime() - Date.parse(from)) / every))
  return new Date(Date.parse(from) + (missed + 1) * every).toISOString()
}

/** Lets a task repeat. Throws `conflict` where it does already, or its money is not of the kind that a balance pays. */
export const startSeries = async (
  tx: Tx,
  task: Task,
  { every_hours, count }: { every_hours: number; count: number },
  now: Date,
): Promise<Task> => {
  if (task.series)
    throw new ToolError('conflict', 'This task is one of a series already.', { reason: 'repeats_already' })
  if (task.terms.escrow !== 'ledger' || task.parent !== undefined)
    throw new ToolError(
      'conflict',
      'Only a task whose money waits with the house repeats, and no place of one.',
      {
        reason: 'cannot_repeat',
      },
    )
  const { id, publisher, created_at, terms } = task
  await seriesIn(tx).insert({
    id,
    publisher,
    every_hours,
    count,
    published: 1,
    time_ms: Date.parse(terms.deadline) - Date.parse(created_at),
    next_at: nextTime(created_at, every_hours, now),
    state: 'running',
    reason: null,
    last_task: id,
  })
  return { ...task, series: { id, number: 1, count } }
}
