import { z } from 'zod'
import { ThreadOut } from './shown.ts'

export const ThreadPageInput = {
  limit: z.number().int().min(1).max(100).default(20).describe('Threads on a page, 1 to 100'),
  after: z.string().max(500).optional().describe('"next" of the page before'),
}

export const ThreadPage = z.object({
  threads: z.array(ThreadOut).describe('The threads, the newest first'),
  count: z.number().int().describe('Threads on this page'),
  next: z.string().nullable().describe('Cursor of the next page, or null'),
})
