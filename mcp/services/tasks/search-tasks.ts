import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import type { Tx } from '../../ports/store/port.ts'
import { categories } from './category.ts'
import { parseUsd, usdInput } from './money.ts'
import { boxAround, distanceMetres, type Point, type RowSize } from './place.ts'
import { TaskOut, toPublicTask } from './public-task.ts'
import { type Task, tasksIn } from './task.ts'

const OpenTask = TaskOut.extend({
  distance_m: z.number().nullable().describe('How far it is from where you asked, in metres'),
})

type Match = { task: Task; distance: number }

type Circle = { centre: Point; radius: number; funded: boolean }

/** Rows read of one row of the map; more than that many are looked for in a smaller circle first. */
const maxRows = { coarse: 300, fine: 1000 } as const

/** Open tasks within a circle; `cut` says that there may be more of them. */
const readCircle = async (
  tx: Tx,
  { centre, radius, funded }: Circle,
  size: RowSize,
): Promise<{ matches: Match[]; cut: boolean }> => {
  const { rows: bands, ranges } = boxAround(centre, radius, size)
  const names =
    size === 'coarse'
      ? (['place_funded', 'open_row'] as const)
      : (['fine_place_funded', 'open_fine_row'] as const)
  const [index, row] = names
  const matches: Match[] = []
  let cut = false
  for (const band of bands)
    for (const range of ranges) {
      const where = { [row]: band, funded, open_lng: range }
      const { rows, next } = await tasksIn(tx).find({ index, where, limit: maxRows[size] })
      cut ||= next !== undefined
      for (const task of rows) {
        const { lat, lng } = task.terms.place ?? {}
        if (typeof lat !== 'number' || typeof lng !== 'number') continue
        const distance = distanceMetres(centre, { lat, lng })
        if (distance <= radius) matches.push({ task, distance })
      }
      if (cut && size === 'coarse') return { matches, cut }
    }
  return { matches, cut }
}

const leastRadius = 200

/**
 * The nearest open tasks within a circle that fit. Where there are few, it is read at once; where there are many, circles that double
 * until enough of them are found, so that a crowded city costs what a village does.
 */
const findNear = async (
  tx: Tx,
  circle: Circle,
  { limit, fits }: { limit: number; fits: (task: Task) => boolean },
): Promise<Match[]> => {
  const toNearest = (matches: readonly Match[]) =>
    matches
      .filter(({ task }) => fits(task))
      .sort((one, other) => one.distance - other.distance)
      .slice(0, limit)
  const whole = await readCircle(tx, circle, 'coarse')
  if (!whole.cut) return toNearest(whole.matches)
  for (let radius = Math.min(leastRadius, circle.radius); ; radius = Math.min(radius * 2, circle.radius)) {
    const { matches } = await readCircle(tx, { ...circle, radius }, 'fine')
    const nearest = toNearest(matches)
    if (nearest.length === limit || radius === circle.radius) return nearest
  }
}

const queryFor = (category: Task['terms']['category'] | undefined) =>
  category === undefined
    ? { index: 'open_funded', where: { open: true }, order: 'desc' as const }
    : { index: 'category_funded', where: { open_category: category }, order: 'desc' as const }

/** Before a cursor among unfunded tasks; no cursor of the store has a dot. */
const unfundedMark = 'unfunded.'

/** Open tasks in which all words occur: those that are funded, page by page, then the others. */
const findWords = async (tx: Tx, query: string, { limit, after }: { limit: number; after?: string }) => {
  const findUnfunded = async (cursor: string, limit: number) => {
    const where = { unfunded_words: query }
    const page = { index: 'unfunded_words', where, limit, ...(cursor !== '' && { after: cursor }) }
    const { rows, next } = await tasksIn(tx).find(page)
    return { rows, next: next === undefined ? undefined : `${unfundedMark}${next}` }
  }
  if (after?.startsWith(unfundedMark)) return findUnfunded(after.slice(unfundedMark.length), limit)
  const where = { open_words: query }
  const funded = await tasksIn(tx).find({ index: 'words', where, limit, ...(after && { after }) })
  if (funded.next !== undefined) return funded
  if (funded.rows.length === limit) return { ...funded, next: unfundedMark }
  const { rows, next } = await findUnfunded('', limit - funded.rows.length)
  return { rows: [...funded.rows, ...rows], next }
}

type Filters = {
  category?: string | undefined
  min_bounty_usd?: string | undefined
  min_hours_left?: number | undefined
  publisher_id?: string | undefined
  funded_only: boolean
}

/** True for tasks that pass what is asked for beside place and words; a page may hold fewer for it. */
const fitsFilters = (filters: Filters, now: Date): ((task: Task) => boolean) => {
  const { category, min_bounty_usd, min_hours_left, publisher_id, funded_only } = filters
  const minBounty = min_bounty_usd === undefined ? 0n : parseUsd(min_bounty_usd)
  const earliest = new Date(now.getTime() + (min_hours_left ?? 0) * 3_600_000).toISOString()
  return ({ terms, funds, funded, publisher }) =>
    (category === undefined || terms.category === category) &&
    BigInt(funds.bounty) >= minBounty &&
    (min_hours_left === undefined || terms.deadline >= earliest) &&
    (publisher_id === undefined || publisher === publisher_id) &&
    (funded || !funded_only)
}

export default tool({
  name: 'search_tasks',
  title: 'Find open tasks',
  description:
    'Finds tasks that can be applied to: near a place, by words, by category, or the newest; those with their money in escrow come first. Use it to look for work. Free.',
  keywords: ['jobs', 'gigs', 'earn', 'browse', 'nearby', 'paid'],
  input: z.object({
    query: z.string().trim().min(2).max(200).optional().describe('Words that must all occur'),
    category: z.enum(categories).optional().describe('Only this kind of work'),
    near_lat: z.number().min(-90).max(90).optional().describe('Latitude, with near_lng'),
    near_lng: z.number().min(-180).max(180).optional().describe('Longitude, with near_lat'),
    radius_m: z.number().min(10).max(50_000).default(10_000).describe('How far away, in metres'),
    min_bounty_usd: usdInput({ min: '0.01', max: '10000' })
      .optional()
      .describe('Only those that pay as much'),
    min_hours_left: z.number().min(0).max(720).optional().describe('Only those with so many hours left'),
    publisher_id: z.string().trim().toLowerCase().max(100).optional().describe('Only those of this account'),
    funded_only: z.boolean().default(false).describe('Only those with their money in escrow'),
    ...pageInput('Tasks'),
  }),
  output: z.object({
    tasks: z
      .array(OpenTask)
      .describe('Open tasks: funded ones, then the others; each by place the nearest first, else the newest'),
    next: nextCursor,
    untrusted: untrustedMark,
  }),
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['GET /api/v1/tasks/available'] },
  examples: [{}, { near_lat: 39.78, near_lng: -89.65 }, { query: 'bakery photo' }],
  summary: ({ tasks }) => `${tasks.length} open tasks.`,
}).run(async ({ store, clock }, input) => {
  const { query, category, near_lat: lat, near_lng: lng, radius_m, limit, after } = input
  const page = pageQuery({ limit, after })
  if ((lat === undefined) !== (lng === undefined))
    throw new ToolError('invalid_input', 'near_lat and near_lng come together.', {
      issues: [
        { path: lat === undefined ? 'near_lat' : 'near_lng', message: 'near_lat and near_lng come together' },
      ],
    })
  const fits = fitsFilters(input, clock.now())
  if (lat !== undefined && lng !== undefined) {
    const words = query?.toLowerCase().split(/\s+/) ?? []
    const hasWords = ({ open_words, unfunded_words }: Task) => {
      const text = (open_words ?? unfunded_words ?? '').toLowerCase()
      return words.every(word => text.includes(word))
    }
    const find = (funded: boolean, limit: number) =>
      findNear(
        store,
        { centre: { lat, lng }, radius: radius_m, funded },
        { limit, fits: task => fits(task) && hasWords(task) },
      )
    const funded = await find(true, page.limit)
    const rest = page.limit - funded.length
    const matches = [...funded, ...(rest > 0 ? await find(false, rest) : [])]
    const tasks = matches.map(({ task, distance }) => ({
      ...toPublicTask(task),
      distance_m: Math.round(distance),
    }))
    return { tasks, next: null, untrusted: true }
  }
  const { rows, next } =
    query === undefined
      ? await tasksIn(store).find({ ...queryFor(category), ...page })
      : await findWords(store, query, page)
  const tasks = rows.filter(fits).map(task => ({ ...toPublicTask(task), distance_m: null }))
  return { tasks, next: next ?? null, untrusted: true }
})
