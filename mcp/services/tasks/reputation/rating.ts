import { collection } from '../../../kernel/collection.ts'
import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { isSameWallet } from '../account/account.ts'
import type { Task } from '../task/task.ts'
import { loadScore, scoresIn } from './score.ts'

/** One rating for each side of a task. */
export type Rating = {
  /** `<task>.<side that is rated>` */
  id: string
  task: string
  about: string
  by: string
  score: number
  comment: string
  at: string
}

export const ratingsIn = collection<Rating>({
  name: 'tasks.ratings',
  indexes: [{ name: 'about', fields: ['about', 'at'] }],
  archive: { afterHours: 24 },
  bounded: 'One for each side of a task that somebody worked on.',
})

type NewRating = { side: 'worker' | 'publisher'; by: string; score: number; comment: string; now: Date }

/** Rates one side of a task that is over, once. Throws `conflict` before it is over, and the second time. */
export const rate = async (
  tx: Tx,
  task: Task,
  { side, by, score, comment, now }: NewRating,
): Promise<Rating> => {
  const { worker } = task
  if (!task.ended || worker === null)
    throw new ToolError('conflict', 'A task can be rated once it is over and somebody has worked on it.', {
      reason: 'not_over',
      params: { status: task.status },
    })
  const about = side === 'worker' ? worker : task.publisher
  if (isSameWallet(about, by))
    throw new ToolError('forbidden', 'A wallet cannot rate itself.', { reason: 'self_rating' })
  const rating = { id: `${task.id}.${side}`, task: task.id, about, by, score, comment, at: now.toISOString() }
  if (!(await ratingsIn(tx).insert(rating)))
    throw new ToolError('conflict', 'You have rated this already.', { reason: 'already_rated' })
  const before = await loadScore(tx, about)
  await scoresIn(tx).put(
    side === 'worker'
      ? { ...before, ratings: before.ratings + 1, ratings_sum: before.ratings_sum + score }
      : {
          ...before,
          publisher_ratings: before.publisher_ratings + 1,
          publisher_ratings_sum: before.publisher_ratings_sum + score,
        },
  )
  return rating
}
