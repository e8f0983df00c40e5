import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { distanceMetres } from '../../../mcp/services/tasks/place.ts'
import { publishTask } from '../../../mcp/services/tasks/task-terms.ts'
import { runs } from '../../stress.ts'
import { accountOf, newTask, startTown, type Town } from './town.ts'

type Point = { lat: number; lng: number }

/** A crowded city, a village, and towns at the date line and near a pole. */
const centres = [
  { lat: 48.137, lng: 11.575, count: 3000, spread: 0.05 },
  { lat: 39.781, lng: -89.65, count: 40, spread: 0.2 },
  { lat: -17.7, lng: 179.99, count: 700, spread: 0.05 },
  { lat: 89.9, lng: 20, count: 60, spread: 0.09 },
]

let town: Town
const points = new Map<string, Point>()
beforeAll(async () => {
  town = await startTown()
  const around = centres.flatMap(({ lat, lng, count, spread }) =>
    Array.from({ length: count }, () => ({
      lat: lat + (Math.random() - 0.5) * 2 * spread,
      lng: ((lng + (Math.random() - 0.5) * 2 * spread + 540) % 360) - 180,
    })),
  )
  const input = {
    ...newTask,
    category: 'creative',
    evidence_required: ['text_response'],
    evidence_optional: [],
    target_executor: 'any',
    location_radius_m: 500,
    location_mode: 'strict',
    skills_required: [],
    arbiter_mode: 'manual',
    kill_fee_percent: 0,
    escrow: 'ledger',
    min_reputation: 0,
    workers: 1,
    invited: [],
    options: {},
  }
  for (let at = 0; at < around.length; at += 500)
    await town.store.transaction(async tx => {
      for (const { lat, lng } of around.slice(at, at + 500)) {
        const place = { ...input, location_lat: lat, location_lng: lng } as never
        const options = { publisher: accountOf(1), feeBps: 500, now: town.clock.now() }
        const { id } = await publishTask(tx, place, options)
        points.set(id, { lat, lng })
      }
    })
})
afterAll(() => town?.stop())

test('the nearest tasks are found, as many as are asked for, wherever one asks', async () => {
  const places = fc.constantFrom(...centres).chain(({ lat, lng }) =>
    fc.record({
      lat: fc.double({ min: Math.max(-90, lat - 0.1), max: Math.min(90, lat + 0.1), noNaN: true }),
      lng: fc.double({ min: lng - 0.1, max: lng + 0.1, noNaN: true }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(
      places,
      fc.integer({ min: 10, max: 50_000 }),
      fc.integer({ min: 1, max: 100 }),
      async (place, radius_m, limit) => {
        const centre = { lat: place.lat, lng: ((place.lng + 540) % 360) - 180 }
        const expected = [...points.values()]
          .map(point => distanceMetres(centre, point))
          .filter(distance => distance <= radius_m)
          .sort((one, other) => one - other)
          .slice(0, limit)
          .map(Math.round)
        const near = { near_lat: centre.lat, near_lng: centre.lng, radius_m, limit }
        const { tasks } = (await town.ask(undefined, 'search_tasks', near)) as unknown as {
          tasks: { distance_m: number }[]
        }
        expect(tasks.map(({ distance_m }) => distance_m)).toEqual(expected)
      },
    ),
    { numRuns: runs(300, 60) },
  )
})

test('what does not fit is left out, also in a crowd', async () => {
  const near = { near_lat: 48.137, near_lng: 11.575, radius_m: 10_000, limit: 100 }
  for (const more of [{ category: 'research' }, { query: 'florist' }])
    expect((await town.ask(undefined, 'search_tasks', { ...near, ...more })).tasks).toEqual([])
  expect((await town.ask(undefined, 'search_tasks', { ...near, query: 'bakery' })).tasks).toHaveLength(100)
})
