import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import type { Tx } from '../../ports/index.ts'
import { categories } from './task/category.ts'
import { boxAround, distanceMetres, type Point } from './task/near.ts'
import { TaskOut, toPublicTask, untrusted } from './task/public-task.ts'
import { type Task, tasksIn } from './task/task.ts'

const OpenTask = TaskOut.extend({
  distance_m: z.number().nullable().describe('How far it is from where you asked, in metres'),
})

/** Open tasks within a circle, the nearest first. */
const findNear = async (tx: Tx, centre: Point, radius: number, limit: number) => {
  const { rows: bands, ranges } = boxAround(centre, radius)
  const matches: { task: Task; distance: number }[] = []
  for (const row of bands)
    for (const range of ranges) {
      const where = { open_row: row, open_lng: range }
      const { rows } = await tasksIn(tx).find({ index: 'place', where, limit: 1000 })
      for (const task of rows) {
        const { lat, lng } = task.terms.place ?? {}
        if (typeof lat !== 'number' || typeof lng !== 'number') continue
        const distance = distanceMetres(centre, { lat, lng })
        if (distance <= radius) matches.push({ task, distance })
      }
    }
  return matches.sort((one, other) => one.distance - other.distance).slice(0, limit)
}

const queryFor = (query: string | undefined, category: Task['terms']['category'] | undefined) => {
  if (query !== undefined) return { index: 'words', where: { open_words: query } }
  if (category !== undefined)
    return { index: 'category', where: { open_category: category }, order: 'desc' as const }
  return { index: 'open', where: { open: true }, order: 'desc' as const }
}

export default tool({
  name: 'search_tasks',
  title: 'Find open tasks',
  description:
    'Finds tasks that can be applied to: near a place, by words, by category, or the newest. Use it to look for work. Free.',
  keywords: ['find work', 'available jobs', 'gigs near me', 'browse tasks'],
  input: z.object({
    query: z.string().trim().min(2).max(200).optional().describe('Words that must all occur'),
    category: z.enum(categories).optional().describe('Only this kind of work'),
    near_lat: z.number().min(-90).max(90).optional().describe('Latitude, with near_lng'),
    near_lng: z.number().min(-180).max(180).optional().describe('Longitude, with near_lat'),
    radius_m: z.number().min(10).max(50_000).default(10_000).describe('How far away, in metres'),
    ...pageInput('Tasks'),
  }),
  output: z.object({
    tasks: z.array(OpenTask).describe('Open tasks; by place the nearest first, else the newest'),
    next: nextCursor,
    untrusted,
  }),
  needs: ['store'],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['GET /api/v1/tasks/available'] },
  examples: [{}, { near_lat: 39.78, near_lng: -89.65 }, { query: 'bakery photo' }],
  summary: ({ tasks }) => `${tasks.length} open tasks.`,
}).run(async ({ store }, { query, category, near_lat: lat, near_lng: lng, radius_m, ...page }) => {
  if ((lat === undefined) !== (lng === undefined))
    throw new ToolError('invalid_input', 'near_lat and near_lng come together.', {
      issues: [
        { path: lat === undefined ? 'near_lat' : 'near_lng', message: 'near_lat and near_lng come together' },
      ],
    })
  const fits = ({ terms }: Task) => category === undefined || terms.category === category
  if (lat !== undefined && lng !== undefined) {
    const words = query?.toLowerCase().split(/\s+/) ?? []
    const matches = (await findNear(store, { lat, lng }, radius_m, 1000)).filter(
      ({ task }) => fits(task) && words.every(word => task.open_words?.toLowerCase().includes(word)),
    )
    const tasks = matches
      .slice(0, page.limit)
      .map(({ task, distance }) => ({ ...toPublicTask(task), distance_m: Math.round(distance) }))
    return { tasks, next: null, untrusted: true }
  }
  const { rows, next } = await tasksIn(store).find({ ...queryFor(query, category), ...pageQuery(page) })
  const tasks = rows.filter(fits).map(task => ({ ...toPublicTask(task), distance_m: null }))
  return { tasks, next: next ?? null, untrusted: true }
})
