import { type Child, openChild } from './child.ts'
import type { FetchRound } from './contestants/fetch.ts'
import { median } from './median.ts'
import type { Bench, Group, Measurement } from './row.ts'

const warmMs = 1200
const roundMs = 300
const rounds = 11

/** As many at once as the guarded fetch sends to one origin. */
const together = 4

type Round = { micros: number; perSecond: number }

const measureRound = async (client: Child, options: FetchRound): Promise<Round> => {
  const before = await client.ask<number>('cpu')
  const began = performance.now()
  const pages = await client.ask<number>('read', options)
  const seconds = (performance.now() - began) / 1000
  return { micros: ((await client.ask<number>('cpu')) - before) / pages, perSecond: pages / seconds }
}

const figures = (results: readonly Round[]): string =>
  `${median(results.map(round => round.micros)).toFixed(0)} µs of CPU, ${Math.round(median(results.map(round => round.perSecond))).toLocaleString('en')}/s`

/** Opens the server of pages and a client of each name, in processes of their own, for as long as `work` takes. */
const withClients = async <T>(
  names: readonly string[],
  work: (clients: Child[]) => Promise<T>,
): Promise<T> => {
  const server = await openChild('pages')
  const opening = names.map(name => openChild('fetch', [name, String(server.ready)]))
  try {
    return await work(await Promise.all(opening))
  } finally {
    for (const one of await Promise.allSettled(opening))
      if (one.status === 'fulfilled') await one.value.stop()
    await server.stop()
  }
}

const against = (path: string): Promise<Measurement> =>
  withClients(['guarded', 'global'], async ([ours, peer]) => {
    if (!ours || !peer) throw new Error('two clients are needed')
    const [mine, theirs] = [await ours.ask<string>('page', path), await peer.ask<string>('page', path)]
    if (mine !== theirs) throw new Error('the pages differ')
    const options = { path, ms: roundMs, together, distinct: true }
    for (const client of [ours, peer]) await client.ask('read', { ...options, ms: warmMs })
    const pairs: { ours: Round; peer: Round }[] = []
    while (pairs.length < rounds)
      pairs.push({ ours: await measureRound(ours, options), peer: await measureRound(peer, options) })
    return {
      value: median(pairs.map(pair => pair.peer.micros / pair.ours.micros)),
      note: `ours ${figures(pairs.map(pair => pair.ours))}; peer ${figures(pairs.map(pair => pair.peer))}`,
    }
  })

const page = (name: string, path: string): Bench => ({
  name: `guarded fetch, ${name}, ${together} at a time`,
  unit: 'x',
  against: 'global fetch of Node, same page as text',
  aim: { atLeast: 0.9 },
  measure: () => against(path),
})

const cachedPage: Bench = {
  name: 'guarded fetch, a page of 2 KB that is kept',
  unit: '/s',
  measure: () =>
    withClients(['guarded'], async ([client]) => {
      if (!client) throw new Error('a client is needed')
      const options = { path: '/kept', ms: roundMs, together: 1, distinct: false }
      await client.ask('read', { ...options, ms: warmMs })
      const results: Round[] = []
      while (results.length < rounds) results.push(await measureRound(client, options))
      return { value: median(results.map(round => round.perSecond)), note: figures(results) }
    }),
}

/** The one way out to the web, with every check on, on loopback. */
export const guardedFetch: Group = {
  name: 'guardedFetch',
  benches: [page('a page of 2 KB', '/small'), page('a page of 200 KB, gzip', '/large'), cachedPage],
}
