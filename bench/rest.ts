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

const measure = async (method: 'GET' | 'POST'): Promise<Measurement> => {
  const ours = openChild('octagent')
  const ask = asks[method]
  const peer = ours
    .then(({ ready }) => answerTo(String(ready), ask))
    .then(answer => openChild('express', [answer]))
  return contestBetween([ours, peer], [ask, { ...ask, path: '/answer' }], asSaid)
}

const bench = (method: 'GET' | 'POST'): Bench => ({
  name: `REST ${method} of a free tool, whole chain on`,
  unit: 'x',
  against: 'bare express 5 handler, same JSON',
  aim: { atLeast: 0.7 },
  measure: () => measure(method),
})

/** The cat's `pet` through the program as it is served, against the least that express can do. */
export const rest: Group = { name: 'rest', benches: [bench('GET'), bench('POST')] }
