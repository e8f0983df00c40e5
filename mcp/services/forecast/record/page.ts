import { ToolError } from '../../../kernel/error.ts'
import { type PageInput, pageQuery } from '../../../lib/paging.ts'
import { BadCursor } from '../../../ports/store/port.ts'

type Range = { gt?: string | number; gte?: string | number; lt?: string | number; lte?: string | number }
type Query = {
  index: string
  where?: Record<string, string | number | Range>
  order?: 'asc' | 'desc'
  after?: string
  limit?: number
}
type Rows<row> = { rows: row[]; next: string | undefined }

/** Reads a page of a collection. A cursor of another list is `invalid_input` on the field `after`. */
export const listPage = async <row>(
  collection: { find(query: Query): Promise<Rows<row>> },
  query: Query,
  page: PageInput,
): Promise<Rows<row>> => {
  try {
    return await collection.find({ ...query, ...pageQuery(page) })
  } catch (error) {
    if (!(error instanceof BadCursor)) throw error
    const issue = { path: 'after', message: 'not a cursor of this list' }
    throw new ToolError('invalid_input', `after: ${issue.message}.`, { issues: [issue] })
  }
}
