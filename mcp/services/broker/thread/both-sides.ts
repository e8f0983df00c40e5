import { BadCursor, type Tx } from '../../../ports/store/port.ts'
import type { Side } from './thread.ts'

/** Cursor of a list of both sides: behind the row of this time and id. */
type Place = { time: string; id: string }

const toCursor = ({ time, id }: Place): string =>
  Buffer.from(JSON.stringify([time, id])).toString('base64url')

const parseCursor = (text: string): Place => {
  try {
    const [time, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [unknown, unknown]
    if (typeof time === 'string' && typeof id === 'string' && !Number.isNaN(Date.parse(time)))
      return { time, id }
  } catch {}
  throw new BadCursor('not a cursor of this list')
}

type Find<T> = (
  query: Parameters<ReturnType<Tx['collection']>['find']>[0],
) => Promise<{ rows: T[]; next: string | undefined }>

type Paging = { account: string; role?: Side | undefined; limit: number; after?: string | undefined }

/**
 * A page of what an account is a side of, the newest first, with the side it is on. `time` names the field that the indexes
 * `poster` and `negotiator` are ordered by. Throws BadCursor.
 */
export const findBothSides = async <T extends { id: string }>(
  collection: { find: Find<T> },
  time: keyof T & string,
  { account, role, limit, after }: Paging,
): Promise<{ rows: { row: T; role: Side }[]; next: string | null }> => {
  const place = after === undefined ? undefined : parseCursor(after)
  const toPlace = (row: T): Place => ({ time: String(row[time]), id: row.id })
  const isBehind = (one: Place, other: Place): boolean =>
    one.time < other.time || (one.time === other.time && one.id < other.id)
  const side = async (role: Side) => {
    const where = { [role]: account, ...(place && { [time]: { lte: place.time } }) }
    const page: T[] = []
    for (let after: string | undefined; page.length <= limit; ) {
      const query = { index: role, where, order: 'desc' as const, limit: limit + 1 }
      const { rows: some, next } = await collection.find({ ...query, ...(after !== undefined && { after }) })
      page.push(...some.filter(row => place === undefined || isBehind(toPlace(row), place)))
      if (next === undefined) break
      after = next
    }
    return page.map(row => ({ row, role }))
  }
  const sides = role === undefined ? (['poster', 'negotiator'] as const) : [role]
  const all = (await Promise.all(sides.map(side))).flat()
  all.sort((one, other) => (isBehind(toPlace(one.row), toPlace(other.row)) ? 1 : -1))
  const page = all.slice(0, limit)
  const last = page.at(-1)
  return { rows: page, next: all.length > limit && last ? toCursor(toPlace(last.row)) : null }
}
