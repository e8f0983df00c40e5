import type { World } from './call.ts'
import { type Route, toClient } from './http.ts'
import { overLimit } from './pipeline/limits.ts'

/** Documents made anew for every reader that one client may read in a minute. */
const madePerMinute = 120

/** A document counts once more for each so many bytes that are sent of it. */
const bytesPerRead = 64 << 10

/**
 * Bounds how many documents one client reads in a minute, over all of them: as many as it may make calls, unless
 * `madeAnew` says that each costs more. A large one counts several times. Throws `too_many_requests`.
 */
export const limitReads = (world: World, routes: readonly Route[], madeAnew = false): Route[] => {
  const kind = madeAnew ? 'page' : 'read'
  const quota = madeAnew ? Math.min(madePerMinute, world.perMinute) : world.perMinute
  return routes.map(route => ({
    ...route,
    async handle(req, res, params) {
      const key = `${kind}:${toClient(req.ip ?? req.socket.remoteAddress)}`
      const standing = await world.limits.take(key, quota)
      if (!standing.ok) throw overLimit('Reading documents', standing)
      const { bytesWritten = 0 } = req.socket
      await route.handle(req, res, params)
      const sent = (req.socket.bytesWritten ?? 0) - bytesWritten
      const more = Math.min(standing.remaining, Math.floor(sent / bytesPerRead))
      if (more > 0) await world.limits.take(key, quota, more)
    },
  }))
}
