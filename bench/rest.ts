import { openChild } from './child.ts'
import { contestBetween } from './compare.ts'
import { type Ask, answerTo } from './load.ts'
import type { Bench, Group, Measurement } from './row.ts'

const headers = { accept: 'application/json', origin: 'http://127.0.0.1:3000' }

const asks: Record<'GET' | 'POST', Ask> = {
  GET: { method: 'GET', path: '/cat/api/pet', headers },
  POST: { method: 'POST', path: '/cat/tools/pet', headers, body: {} },
}

/** All but the time of the answer, which runs on. */
const asSaid = (body: string): unknown => ({ ...JSON.parse(body), time: undefined })

type Peer = { file: string; against: string; aim: number }

/** What a handler costs before it has a guard, limits, metrics or a log. */
const peers: readonly Peer[] = [
  { file: 'express', against: 'bare express 5 handler, same JSON', aim: 1 },
  { file: 'fastify', against: 'bare fastify 5 handler, same JSON', aim: 0.5 },
  { file: 'node-http', against: 'bare node:http, same JSON', aim: 0.5 },
]

const measure = async (method: 'GET' | 'POST', { file }: Peer): Promise<Measurement> => {
  const ours = openChild('octagent')
  const ask = asks[method]
  const peer = ours
    .then(({ ready }) => answerTo(String(ready), ask))
    .then(answer => openChild(file, [answer]))
  return contestBetween([ours, peer], [ask, { ...ask, path: '/answer' }], asSaid)
}

const bench = (method: 'GET' | 'POST', peer: Peer): Bench => ({
  name: `REST ${method} of a free tool, whole chain on`,
  unit: 'x',
  against: peer.against,
  aim: { atLeast: peer.aim },
  measure: () => measure(method, peer),
})

/** The cat's `pet` through the program as it is served, against the least that others can do. */
export const rest: Group = {
  name: 'rest',
  benches: (['GET', 'POST'] as const).flatMap(method => peers.map(peer => bench(method, peer))),
}
