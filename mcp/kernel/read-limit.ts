import type { World } from './call.ts'
import { type Route, toClient } from './http.ts'
import { overLimit } from './pipeline/limits.ts'

/** Documents made anew for every reader that one client may read in a minute. */
export const madePerMinute = 120

/**
 * Bounds how many documents one client reads in a minute, over all of them: as many as it may make calls, unless
 * `madeAnew` says that each costs more. Throws `too_many_requests`.
 */
export const limitReads = (world: World, routes: readonly Route[], madeAnew = false): Route[] => {
  const kind = madeAnew ? 'page' : 'read'
  const quota = madeAnew ? Math.min(madePerMinute, world.perMinute) : world.perMinute
  return routes.map(route => ({
    ...route,
    async handle(req, res, params) {
      const standing = await world.limits.take(
        `${kind}:${toClient(req.ip ?? req.socket.remoteAddress)}`,
        quota,
      )
      if (!standing.ok) throw overLimit('Reading documents', standing)
      return route.handle(req, res, params)
    },
  }))
}
