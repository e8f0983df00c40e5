import { z } from 'zod'

/** Cursors of the store are shorter. */
const maxCursor = 500

type Sizes = { max?: number; preset?: number }

/** The input fields of a tool that lists page by page; `what` is the plural of what is listed, in capitals. */
export const pageInput = (what: string, { max = 100, preset = 20 }: Sizes = {}) => ({
  limit: z.number().int().min(1).max(max).default(preset).describe(`${what} on a page, 1 to ${max}`),
  after: z.string().max(maxCursor).optional().describe('"next" of the page before'),
})

/** The output field that leads to the next page. */
export const nextCursor = z.string().nullable().describe('Cursor of the next page; null on the last')

export type PageInput = { limit: number; after?: string | undefined }

/** A page as the store and the ledger take it: without `after` where the first one is asked for. */
export const pageQuery = ({ limit, after }: PageInput): { limit: number; after?: string } => ({
  limit,
  ...(after !== undefined && { after }),
})
