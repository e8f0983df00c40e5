import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'

/** An action that this service has carried out and recorded; its id is a secret of who asked for it. */
export type RecordedAction = {
  id: string
  kind: string
  status: 'succeeded' | 'failed'
  started_at: string
  finished_at: string
  /** Canonical JSON of what went in and came out. */
  input: string
  output: string
}

/** Prefixes of the ids of this service's actions. */
export const actionPrefixes = ['run_', 'web_', 'act_'] as const

export const newActionId = (prefix: (typeof actionPrefixes)[number]): string => `${prefix}${randomUUID()}`

export const recordedActionsIn = collection<RecordedAction>({
  name: 'proof.actions',
  budget: {
    what: 'recorded actions',
    network: { rows: 1000, bytes: 16 << 20 },
    allBytes: 64 << 20,
    ends: 'They stay; those of paid calls do not count.',
  },
})

/** The form of an action that a caller records itself. */
export const ActionInput = z
  .object({
    kind: z
      .string()
      .regex(/^[a-z][a-z0-9_.-]{0,59}$/, { error: 'must be a lower-case name' })
      .describe('What kind of action, such as deploy'),
    status: z.enum(['succeeded', 'failed']).describe('How it ended'),
    started_at: z.iso.datetime().describe('When it began, ISO 8601'),
    finished_at: z.iso.datetime().describe('When it ended, ISO 8601'),
    input: z.json().optional().describe('What went in; only its commitment is published'),
    output: z.json().optional().describe('What came out; only its commitment is published'),
  })
  .strict()
