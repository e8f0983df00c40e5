import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { newId } from '../../lib/new-id.ts'
import type { Tx } from '../../ports/store/port.ts'
import { accountForm, ensureAccount, executorKinds } from './account.ts'
import { categories } from './category.ts'
import { evidenceTypes } from './evidence.ts'
import { type Funds, newFunds, parseUsd, usdInput } from './money.ts'
import { beginTask } from './move-task.ts'
import { badgeName, GoldenInput, TestInput, toRightAnswers } from './qualification.ts'
import { loadScore, scoresIn } from './reputation.ts'
import { RepeatInput, startSeries } from './series.ts'
import { arbiterModes, escrowKinds, type Place, placeModes, type Task, type Terms, tasksIn } from './task.ts'

const isUnique = (list: readonly string[]): boolean => new Set(list).size === list.length

/** What `update_task` may set besides, here from the first moment on: nobody applies before it. */
const Options = z.strictObject({
  badge_required: badgeName.optional(),
  test: TestInput.optional(),
  golden_answers: GoldenInput.optional(),
  repeat: RepeatInput.optional(),
})

/** A publisher's fields for a new task. */
export const publishFields = {
  title: z.string().trim().min(5).max(255).describe('Title'),
  instructions: z.string().trim().min(20).max(5000).describe('What is to be done'),
  category: z.enum(categories).describe('Kind of work'),
  bounty_usd: usdInput({ min: '0.01', max: '10000' }).describe('What the worker gets, 0.01 to 10,000 USD'),
  deadline_hours: z.number().min(1).max(720).describe('Hours until it must be done; unfunded it waits 24'),
  evidence_required: z
    .array(z.enum(evidenceTypes))
    .min(1)
    .max(5)
    .refine(isUnique, 'each type once')
    .describe('Evidence that must be handed in'),
  evidence_optional: z
    .array(z.enum(evidenceTypes))
    .max(5)
    .refine(isUnique, 'each type once')
    .default([])
    .describe('Evidence that may be handed in'),
  target_executor: z
    .enum([...executorKinds, 'any'])
    .default('any')
    .describe('Who may do it'),
  location_hint: z.string().trim().max(255).optional().describe('The place in words'),
  location_lat: z.number().min(-90).max(90).optional().describe('Latitude, with location_lng'),
  location_lng: z.number().min(-180).max(180).optional().describe('Longitude, with location_lat'),
  location_radius_m: z.number().min(10).max(100_000).default(500).describe('How far from it counts, metres'),
  location_mode: z.enum(placeModes).default('strict').describe('How near it must be'),
  skills_required: z
    .array(z.string().trim().min(1).max(60))
    .max(20)
    .default([])
    .describe('Skills a worker must name'),
  min_reputation: z.number().min(0).max(100).default(0).describe('Reputation needed'),
  arbiter_mode: z
    .enum(arbiterModes)
    .default('manual')
    .describe('Who decides a dispute; auto: the checks of the evidence'),
  kill_fee_percent: z
    .number()
    .int()
    .min(0)
    .max(100)
    .default(0)
    .describe('Part for the worker if you cancel after assigning, per cent'),
  workers: z.number().int().min(1).max(100).default(1).describe('How many, each for the whole bounty'),
  invited: z.array(z.string().toLowerCase()).max(100).default([]).describe('Accounts that alone may apply'),
  escrow: z
    .enum(escrowKinds)
    .default('ledger')
    .describe('Where the money waits; direct: with you, paid per deliverable'),
  options: z
    .record(z.string(), z.unknown())
    .pipe(Options)
    .default({})
    .describe('test, badge_required, golden_answers, repeat, as update_task takes them'),
}

const oneWorker = 'must be 1 with escrow: onchain, where the payment names the worker'
const noKillFee = 'must be 0 with escrow: direct, where nothing is held to pay it from'
const onlyLedger = 'needs escrow: ledger: the money of each comes from the balance'
const bothOrNone = 'location_lat and location_lng come together'

/** A new task whose fields fit each other. */
export const PublishInput = z.object(publishFields)

export type PublishInput = z.output<typeof PublishInput>

/** Finds input that fits alone but not together, by field. */
export const findTermsIssues = ({
  location_lat,
  location_lng,
  escrow,
  kill_fee_percent,
  workers,
  invited,
  options,
}: PublishInput): { path: string; message: string }[] => {
  const missing = location_lat === undefined ? 'location_lat' : 'location_lng'
  const isHalf = (location_lat === undefined) !== (location_lng === undefined)
  return [
    ...(isHalf ? [{ path: missing, message: bothOrNone }] : []),
    ...invited.flatMap((account, at) =>
      accountForm.test(account)
        ? []
        : [{ path: `invited.${at}`, message: 'an account such as eip155:8453:0x…' }],
    ),
    ...(escrow === 'onchain' && workers > 1 ? [{ path: 'workers', message: oneWorker }] : []),
    ...(escrow !== 'ledger' && options.repeat ? [{ path: 'options.repeat', message: onlyLedger }] : []),
    ...(escrow === 'direct' && kill_fee_percent > 0
      ? [{ path: 'kill_fee_percent', message: noKillFee }]
      : []),
  ]
}

const toPlace = (input: PublishInput): Place | null => {
  const { location_hint: hint, location_lat: lat, location_lng: lng } = input
  if (hint === undefined && lat === undefined) return null
  const { location_radius_m: radius_m, location_mode: mode } = input
  return { hint: hint ?? null, lat: lat ?? null, lng: lng ?? null, radius_m, mode }
}

const hourMs = 3_600_000

/** What a worker must show to apply, as terms have it: without the right answers. */
export const toQualification = ({
  badge_required,
  test,
}: Pick<PublishInput['options'], 'badge_required' | 'test'>): Pick<Terms, 'badge' | 'test'> => ({
  ...(badge_required !== undefined && { badge: badge_required }),
  ...(test && {
    test: { questions: test.questions.map(({ question }) => question), pass_percent: test.pass_percent },
  }),
})

const toTaskTerms = (input: PublishInput, now: Date): Terms => ({
  title: input.title,
  instructions: input.instructions,
  category: input.category,
  target_executor: input.target_executor,
  evidence_required: input.evidence_required,
  evidence_optional: input.evidence_optional,
  place: toPlace(input),
  skills_required: input.skills_required,
  min_reputation: input.min_reputation,
  deadline: new Date(now.getTime() + Math.round(input.deadline_hours * hourMs)).toISOString(),
  kill_fee_percent: input.kill_fee_percent,
  arbiter_mode: input.arbiter_mode,
  escrow: input.escrow,
  ...(input.workers > 1 && { workers: input.workers }),
  ...(input.invited.length > 0 && { invited: input.invited }),
  ...toQualification(input.options),
})

/** Writes a new task. Throws `invalid_input` for fields that do not fit each other. */
export const publishTask = async (
  tx: Tx,
  input: PublishInput,
  { publisher, feeBps, now }: { publisher: string; feeBps: number; now: Date },
): Promise<Task> => {
  const issues = findTermsIssues(input)
  if (issues.length > 0)
    throw new ToolError('invalid_input', issues.map(({ message }) => message).join('; '), { issues })
  // What never passes through the house costs nothing.
  const funds = newFunds(parseUsd(input.bounty_usd), input.escrow === 'direct' ? 0 : feeBps)
  const { test, golden_answers, repeat } = input.options
  const task = await publishTerms(tx, {
    publisher,
    terms: toTaskTerms(input, now),
    funds,
    ...(test && { test_answers: toRightAnswers(test) }),
    ...(golden_answers && { golden: golden_answers }),
    now,
  })
  if (!repeat) return task
  const repeating = await startSeries(tx, task, repeat, now)
  await tasksIn(tx).put(repeating)
  return repeating
}

type NewTask = { publisher: string; terms: Terms; funds: Funds; now: Date } & Pick<
  Task,
  'test_answers' | 'golden' | 'series'
>

/** Writes a new task from terms that fit each other. */
export const publishTerms = async (tx: Tx, { now, ...task }: NewTask): Promise<Task> => {
  const { publisher, terms } = task
  await ensureAccount(tx, publisher, now)
  const score = await loadScore(tx, publisher)
  await scoresIn(tx).put({ ...score, published: score.published + 1 })
  return beginTask(
    tx,
    {
      id: newId('task', now),
      ...task,
      funded: false,
      worker: null,
      ...(terms.workers !== undefined && { spare: terms.workers - 1 }),
      work_until: terms.deadline,
      submission: null,
      dispute: null,
      rounds: 0,
      created_at: now.toISOString(),
      first_application_at: null,
      submitted_at: null,
    },
    now,
  )
}
