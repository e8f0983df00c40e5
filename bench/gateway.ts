import { openChild } from './child.ts'
import { compare, contestBetween } from './compare.ts'
import { type Ask, answerTo } from './load.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const headers = { accept: 'application/json', origin: 'http://127.0.0.1:3000' }
const get = (path: string): Ask => ({ method: 'GET', path: `/gateway${path}`, headers })

const rounds = 11

type Preflight = { own: number; ours: number; checks: number }

const preflight: Bench = {
  name: 'preflight over 5 candidates, all checks',
  unit: 'times the slowest candidate',
  aim: { below: 1.3 },
  async measure() {
    const child = await openChild('gateway')
    try {
      for (let nth = 0; nth < 3; nth++) await child.ask('preflight')
      const results: Preflight[] = []
      while (results.length < rounds) results.push(await child.ask<Preflight>('preflight'))
      const ms = (of: 'own' | 'ours') => median(results.map(one => one[of])).toFixed(0)
      return {
        value: median(results.map(({ own, ours }) => ours / own)),
        note: `${ms('ours')} ms for ${results[0]?.checks} checks each; the slowest alone ${ms('own')} ms`,
      }
    } finally {
      await child.stop()
    }
  },
}

/** All but the age of the answer, which runs on. */
const asSaid = (body: string): unknown => ({ ...JSON.parse(body), cached: undefined, age_seconds: undefined })

const discovery: Bench = {
  name: 'discovery beyond the members, from the cache',
  unit: 'x',
  against: 'bare express 5 handler, same JSON',
  aim: { atLeast: 0.6 },
  measure() {
    const ask = get('/discover/external?capability=translation')
    const ours = openChild('gateway')
    const peer = ours
      .then(({ ready }) => answerTo(String(ready), ask))
      .then(answer => openChild('express', [answer]))
    return contestBetween([ours, peer], [ask, { ...ask, path: '/answer' }], asSaid)
  },
}

const crowds: Bench = {
  name: 'discovery of members, a page of 10, 1,000 members',
  unit: 'x',
  against: 'the same with 10 members',
  aim: { atLeast: 0.8 },
  async measure() {
    const many = await openChild('gateway')
    const few = await openChild('gateway')
    try {
      await Promise.all([many.ask('join', 1000), few.ask('join', 10)])
      const ask = get('/agents?capability=crowd&limit=10')
      const count = (body: string): unknown => (JSON.parse(body) as { count: number }).count
      return await compare({ child: many, ask }, { child: few, ask }, count)
    } finally {
      await Promise.all([many.stop(), few.stop()])
    }
  },
}

/** What the routing gateway costs beside those it asks. */
export const gateway: Group = { name: 'gateway', benches: [preflight, discovery, crowds] }
