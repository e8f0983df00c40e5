import { type Lane, type LaneOptions, openLane } from './lane.ts'
import type { Resource, Scheduler, SharedPort } from './port.ts'

type Shape = Omit<LaneOptions, 'resource' | 'places'>

/** Requests and questions to others: many at once, of seconds each, and what bounds them is the share of a network. */
const openToMany = (places: number): Shape => ({
  sharesPaid: true,
  maxRunning: { free: places, paid: places },
  maxCalls: { free: 256, paid: 256 },
  maxWaiting: 1024,
})

/**
 * What the tasks of each resource are like. Threads work for seconds and are many: a booking only makes sure that a call is let in, and a
 * place is left to light input. The others work for up to minutes: a booking holds a place, so that nobody pays and waits, and free callers
 * leave one to payers.
 */
const shapes: Record<SharedPort, (places: number) => Shape> = {
  workers: places => ({
    heavyPlaces: Math.max(1, places - 1),
    maxRunning: { free: 1, paid: 1 },
    maxWaitingBytes: 128 << 20,
    holdsPlaces: false,
  }),
  llm: places => ({
    heavyPlaces: Math.max(1, places - 1),
    freePlaces: Math.max(1, places - 1),
    maxWaitingBytes: 32 << 20,
    retryAfter: 5,
  }),
  sandboxes: places => ({ freePlaces: Math.max(1, places - 1), maxWaiting: 64, retryAfter: 5 }),
  browsers: places => ({ freePlaces: Math.max(1, places - 1), maxWaiting: 64, retryAfter: 5 }),
  fetch: openToMany,
  dns: openToMany,
}

/** The lane of one resource with so many places. */
export const openResourceLane = (resource: SharedPort, places: number, more: Partial<Shape> = {}): Lane =>
  openLane({ resource, places, ...shapes[resource](places), ...more })

/** Opens a lane for each resource. */
export const openScheduler = (
  places: Readonly<Record<Resource, number>>,
): Scheduler & { readonly lanes: Readonly<Record<Resource, Lane>> } => {
  const lane = (resource: Resource) => openResourceLane(resource, places[resource])
  const lanes = {
    workers: lane('workers'),
    sandboxes: lane('sandboxes'),
    browsers: lane('browsers'),
    llm: lane('llm'),
  }
  return {
    lanes,
    reserve: (resource, booking) => lanes[resource].reserve(booking),
    use: () => ({
      workers: lanes.workers.use(),
      sandboxes: lanes.sandboxes.use(),
      browsers: lanes.browsers.use(),
      llm: lanes.llm.use(),
    }),
  }
}
