import { openChild } from './child.ts'
import { median } from './median.ts'
import { evmPayer } from './payer.ts'
import type { Bench, Group } from './row.ts'

const transfers = 20
const warm = 4

type Answer = { transfer?: { state: string } }

const transfer: Bench = {
  name: 'bridge, from the unpaid call to the mint on the other local chain',
  unit: 'times as long',
  against: 'the same contracts called with viem alone',
  aim: { below: 1.25 },
  async measure() {
    const ours = await openChild('bridge')
    const direct = await openChild('bridge-direct')
    try {
      const url = `${String(ours.ready)}/money/v1/bridge?from=base&to=arc&amount=0.5`
      await fetch(url)
      const payer = evmPayer(await ours.ask<`0x${string}`>('key'))
      const bridge = async (): Promise<number> => {
        const began = performance.now()
        const answer = (await (await payer.fetch(url)).json()) as Answer
        if (answer.transfer?.state !== 'minted') throw new Error(JSON.stringify(answer).slice(0, 400))
        return performance.now() - began
      }
      const [mine, theirs]: [number[], number[]] = [[], []]
      for (let call = -warm; call < transfers; call++) {
        const [own, peer] = [await bridge(), await direct.ask<number>('bridge')]
        if (call >= 0) mine.push(own)
        if (call >= 0) theirs.push(peer)
      }
      const [own, peer] = [median(mine), median(theirs)]
      return {
        value: own / peer,
        note: `ours / direct, less is better: ${own.toFixed(1)} ms against ${peer.toFixed(1)}; medians of ${transfers} transfers in turn`,
      }
    } finally {
      await direct.stop()
      await ours.stop()
    }
  },
}

/** The bridge on the local pair of chains. */
export const bridge: Group = { name: 'bridge', benches: [transfer] }
