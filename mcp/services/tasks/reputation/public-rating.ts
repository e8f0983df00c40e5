import { z } from 'zod'
import type { Rating } from './rating.ts'

export const RatingOut = z.object({
  task_id: z.string().describe('The task'),
  about: z.string().describe('Account that is rated'),
  by: z.string().describe('Account that rates'),
  score: z.number().int().describe('0 to 100'),
  comment: z.string().describe('Why'),
  at: z.iso.datetime().describe('When'),
})

export const toPublicRating = ({ task: task_id, about, by, score, comment, at }: Rating) => ({
  task_id,
  about,
  by,
  score,
  comment,
  at,
})
