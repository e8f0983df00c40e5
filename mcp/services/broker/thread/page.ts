import { z } from 'zod'
import { nextCursor, pageInput } from '../../../lib/paging.ts'
import { ThreadOut } from './public-thread.ts'

export const ThreadPageInput = {
  ...pageInput('Threads'),
}

export const ThreadPage = z.object({
  threads: z.array(ThreadOut).describe('The threads, the newest first'),
  count: z.number().int().describe('Threads on this page'),
  next: nextCursor,
})
