import { z } from 'zod'
import { median } from '../../lib/median.ts'
import type { Tx } from '../../ports/store/port.ts'
import type { EvidenceType } from './evidence.ts'
import { toAnswerKey } from './qualification.ts'
import { type Submission, submissionsIn } from './submission.ts'
import { type Task, tasksIn } from './task.ts'
import { rate, ratio } from './worker.ts'

/** How far apart two values are: nominal ones are the same or not, of an interval scale the square of their difference. */
const distances = {
  nominal: (one: string, other: string) => (one === other ? 0 : 1),
  interval: (one: string, other: string) => (Number(one) - Number(other)) ** 2,
} as const

/**
 * Krippendorff's alpha of units, each with the values that its coders gave: 1 where all agree, 0 where they agree as by chance. Null
 * without two values of one unit, or where all values are the same. (K. Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011.)
 */
export const krippendorffAlpha = (
  units: readonly (readonly string[])[],
  scale: keyof typeof distances,
): number | null => {
  const distance = distances[scale]
  const pairable = units.filter(values => values.length > 1)
  const counts = new Map<string, number>()
  for (const value of pairable.flat()) counts.set(value, (counts.get(value) ?? 0) + 1)
  const n = pairable.reduce((sum, values) => sum + values.length, 0)
  let observed = 0
  for (const values of pairable)
    for (const one of values)
      for (const other of values) observed += distance(one, other) / (values.length - 1)
  let expected = 0
  for (const [one, times] of counts)
    for (const [other, otherTimes] of counts) expected += times * otherTimes * distance(one, other)
  return expected === 0 ? null : 1 - (observed * (n - 1)) / expected
}

/** The value that more gave than any other, and how many did; undefined where two are even. */
export const findMajority = (values: readonly string[]): { value: string; count: number } | undefined => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [first, second] = [...counts].sort(([, one], [, other]) => other - one)
  if (!first || first[1] === second?.[1]) return undefined
  return { value: first[0], count: first[1] }
}

const count = (what: string) => z.number().int().describe(what)

export const WorkOut = z
  .object({
    tasks: count('Tasks that it is read from: the newest of the window, 1,000 at most'),
    workers: z
      .array(
        z.object({
          executor_id: z.string().describe('The worker'),
          assigned: count('Tasks that it had'),
          completed: count('Tasks that were paid, in whole or in part'),
          completion_rate: ratio('Completed of those that ended'),
          on_time_rate: ratio('First handed in before the deadline; what expired in hand counts against it'),
          acceptance_rate: ratio('Accepted of those that were handed in and ended'),
          median_seconds: z.number().nullable().describe('From assignment to the first submission, median'),
          golden_answered: count('Tasks with known answers that it handed in'),
          golden_right: count('Of these, with a right one'),
        }),
      )
      .describe('Those who worked most, 100 at most'),
    agreement: z
      .object({
        tasks: count('Tasks that two workers or more answered'),
        answers: count('Their answers'),
        alpha: z
          .number()
          .nullable()
          .describe("Krippendorff's alpha: 1 all agree, 0 as by chance; null where nothing varies"),
        scale: z.enum(['nominal', 'interval']).describe('interval where all are measurements in one unit'),
        majorities: z
          .array(
            z.object({
              task_id: z.string().describe('The task that was for several'),
              answers: count('How many answered'),
              majority: z
                .string()
                .nullable()
                .describe('Answer of most, compared without case; null for a tie'),
              share: ratio('Part of the answers that is the majority'),
            }),
          )
          .describe('By task, 100 at most'),
      })
      .describe('How far the answers of several workers to one task agree'),
  })
  .nullable()
  .describe('Workers of your tasks; null for those of everybody')

/** Types of evidence whose value is an answer that can be compared. */
const answerTypes: readonly EvidenceType[] = [
  'text_response',
  'measurement',
  'json_response',
  'structured_data',
  'code_output',
]

type Answer = { key: string; number?: { value: number; unit: string } }

const findAnswer = ({ evidence }: Submission): Answer | undefined => {
  const piece = evidence.find(({ type, value }) => value !== null && answerTypes.includes(type))
  if (!piece || piece.value === null) return undefined
  const value: unknown = JSON.parse(piece.value)
  const key = toAnswerKey(value)
  return piece.type === 'measurement' ? { key, number: value as { value: number; unit: string } } : { key }
}

const toGoldenKeys = (text: string): string[] => {
  try {
    return [toAnswerKey(text), toAnswerKey(JSON.parse(text))]
  } catch {
    return [toAnswerKey(text)]
  }
}

const isGolden = (golden: readonly string[], { key, number }: Answer): boolean =>
  golden.flatMap(toGoldenKeys).some(right => right === key || right === String(number?.value))

type Work = { task: Task; worker: string; answer: Answer | undefined }

const toWorker = (executor_id: string, works: readonly Work[]) => {
  const all = works.map(({ task }) => task)
  const ended = all.filter(task => task.ended)
  const completed = ended.filter(({ status }) => status === 'completed')
  const submitted = all.filter(({ reached }) => reached.submitted !== undefined)
  const onTime = submitted.filter(({ reached, terms }) => (reached.submitted ?? '') <= terms.deadline)
  const expiredInHand = ended.filter(
    ({ status, reached }) => status === 'expired' && reached.submitted === undefined,
  )
  const seconds = submitted.flatMap(({ reached: { accepted, submitted: at } }) =>
    accepted && at ? [(Date.parse(at) - Date.parse(accepted)) / 1000] : [],
  )
  const golden = works.filter(({ task, answer }) => task.golden && answer)
  return {
    executor_id,
    assigned: all.length,
    completed: completed.length,
    completion_rate: rate(completed.length, ended.length),
    on_time_rate: rate(onTime.length, submitted.length + expiredInHand.length),
    acceptance_rate: rate(completed.length, submitted.filter(task => task.ended).length),
    median_seconds: seconds.length === 0 ? null : Math.round(median(seconds)),
    golden_answered: golden.length,
    golden_right: golden.filter(({ task, answer }) => answer && isGolden(task.golden ?? [], answer)).length,
  }
}

/** The answers of each task that was for several, by the task that its places were split off from. */
const groupAnswers = (works: readonly Work[]): Map<string, Answer[]> => {
  const groups = new Map<string, Answer[]>()
  for (const { task, answer } of works) {
    if (!answer) continue
    const id = task.parent ?? task.id
    groups.set(id, [...(groups.get(id) ?? []), answer])
  }
  return new Map([...groups].filter(([, answers]) => answers.length > 1))
}

const toAgreement = (groups: ReadonlyMap<string, readonly Answer[]>) => {
  const answers = [...groups.values()].flat()
  const units = new Set(answers.map(({ number }) => number?.unit))
  const scale = answers.length > 0 && units.size === 1 && !units.has(undefined) ? 'interval' : 'nominal'
  const toValue = ({ key, number }: Answer) => (scale === 'interval' && number ? String(number.value) : key)
  const alpha = krippendorffAlpha(
    [...groups.values()].map(list => list.map(toValue)),
    scale,
  )
  return {
    tasks: groups.size,
    answers: answers.length,
    alpha: alpha === null ? null : Math.round(alpha * 1000) / 1000,
    scale,
    majorities: [...groups].slice(0, 100).map(([task_id, list]) => {
      const majority = findMajority(list.map(({ key }) => key))
      return {
        task_id,
        answers: list.length,
        majority: majority?.value.slice(0, 500) ?? null,
        share: majority ? rate(majority.count, list.length) : null,
      }
    }),
  } as const
}

const maxTasks = 1000

/** Reads how the workers of a publisher's tasks did, from the tasks and what was handed in for them. */
export const readWork = async (
  tx: Tx,
  publisher: string,
  from: string,
): Promise<NonNullable<z.output<typeof WorkOut>>> => {
  const query = { index: 'publisher', where: { publisher, created_at: { gte: from } } } as const
  const tasks: Task[] = []
  for (let after: string | undefined; tasks.length < maxTasks; ) {
    const page = await tasksIn(tx).find({ ...query, order: 'desc', limit: 200, ...(after && { after }) })
    tasks.push(...page.rows)
    if (!page.next) break
    after = page.next
  }
  const works: Work[] = []
  for (const task of tasks) {
    if (task.worker === null) continue
    const submission = task.submission === null ? undefined : await submissionsIn(tx).get(task.submission)
    works.push({ task, worker: task.worker, answer: submission && findAnswer(submission) })
  }
  const byWorker = new Map<string, Work[]>()
  for (const work of works) byWorker.set(work.worker, [...(byWorker.get(work.worker) ?? []), work])
  const workers = [...byWorker].map(([id, list]) => toWorker(id, list))
  return {
    tasks: tasks.length,
    workers: workers.sort((one, other) => other.assigned - one.assigned).slice(0, 100),
    agreement: toAgreement(groupAnswers(works)),
  }
}
