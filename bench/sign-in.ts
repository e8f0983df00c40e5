import { openChild } from './child.ts'
import { load } from './load.ts'
import { mcpAsk } from './mcp-ask.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const rounds = 12
const roundMs = 500

type Ready = { url: string; cat: string; broker: string }

const callBench = (slug: 'cat' | 'broker', tool: string): Bench => ({
  name: `MCP tools/call by a signed-in person, ${slug}, processor time`,
  unit: 'times as much',
  against: 'the same call of nobody',
  aim: { below: 1.15 },
  async measure() {
    const child = await openChild('sign-in')
    try {
      const ready = child.ready as Ready
      const ask = mcpAsk('2025-11-25', 'tools/call', { name: tool, arguments: {} }, tool)
      const at = { ...ask, path: `/${slug}/mcp` }
      const signedIn = { ...at, headers: { ...at.headers, authorization: `Bearer ${ready[slug]}` } }
      const round = async (request: typeof at): Promise<number> => {
        const before = await child.ask<number>('cpu')
        const { answers } = await load(ready.url, request, roundMs, 4)
        return ((await child.ask<number>('cpu')) - before) / answers
      }
      const [people, nobody]: [number[], number[]] = [[], []]
      for (let nth = -2; nth < rounds; nth += 1) {
        const [mine, theirs] = [await round(signedIn), await round(at)]
        if (nth < 0) continue
        people.push(mine)
        nobody.push(theirs)
      }
      const [mine, theirs] = [median(people), median(nobody)]
      return {
        value: mine / theirs,
        note: `${mine.toFixed(0)} µs a call against ${theirs.toFixed(0)}; ${rounds} rounds in turn, embedded store`,
      }
    } finally {
      await child.stop()
    }
  },
})

/** What it costs that a call is somebody's: one read of the token by its hash, and at services that keep accounts one of the account. */
export const signIn: Group = {
  name: 'sign-in',
  benches: [callBench('cat', 'pet'), callBench('broker', 'board_stats')],
}
