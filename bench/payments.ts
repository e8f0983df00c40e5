import { createPublicClient, http } from 'viem'
import { findAnvil } from '../mcp/ports/devnet/binary.ts'
import { type Child, openChild } from './child.ts'
import { median } from './median.ts'
import { feedA2a, feedRest, openMcpFeed, type Purr } from './paid-calls.ts'
import { evmPayer, type Payer, solanaPayer } from './payer.ts'
import type { Bench, Group, Measurement } from './row.ts'

const calls = 30
const warm = 5
const crowd = 12

type Shop = { child: Child; url: string; rpc: string; payer: Payer }

const openShop = async (name: string): Promise<Shop> => {
  await findAnvil(process.env.ANVIL || undefined)
  const child = await openChild(name)
  const url = String(child.ready)
  const unpaid = await fetch(`${url}/cat/api/feed`, { method: 'POST' })
  if (unpaid.status !== 402) throw new Error(`no quote: ${(await unpaid.text()).slice(0, 400)}`)
  const { rpc, key } = await child.ask<{ rpc: string; key: `0x${string}` }>('chain')
  return { child, url, rpc, payer: evmPayer(key) }
}

let opening: Promise<Shop> | undefined
const shop = (): Promise<Shop> => {
  opening ??= openShop('paid')
  return opening
}

const measureMs = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const repeat = async (work: () => Promise<unknown>): Promise<number[]> => {
  const times: number[] = []
  for (let call = -warm; call < calls; call++) {
    const ms = await measureMs(work)
    if (call >= 0) times.push(ms)
  }
  return times
}

const inMs = (times: readonly number[], more = ''): Measurement => ({
  value: median(times),
  note: `median of ${times.length} calls one after the other, quote and signature included; least ${Math.min(...times).toFixed(1)}${more}`,
})

/** Our paid calls and direct payments in turn, as a ratio of their medians. */
const compare = async (feed: () => Promise<unknown>, direct: Child, times: number): Promise<Measurement> => {
  const ours: number[] = []
  const theirs: number[] = []
  for (let call = -warm; call < times; call++) {
    const [mine, peer] = [await measureMs(feed), await direct.ask<number>('pay')]
    if (call >= 0) ours.push(mine)
    if (call >= 0) theirs.push(peer)
  }
  const [mine, peer] = [median(ours), median(theirs)]
  return {
    value: mine / peer,
    note: `ours / direct, less is better: ${mine.toFixed(1)} ms against ${peer.toFixed(1)}; medians of ${times} calls in turn`,
  }
}

const direct = '@x402 verify + settle, called directly'

const rest: Bench = {
  name: 'paid REST call on the local chain, end to end',
  unit: 'times as long',
  against: direct,
  aim: { below: 1.15 },
  async measure() {
    const { url, payer } = await shop()
    const peer = await openChild('x402')
    try {
      return await compare(() => feedRest(url, payer), peer, calls)
    } finally {
      await peer.stop()
    }
  },
}

const nodeMs = 50

const slowNode: Bench = {
  name: `paid REST call, a node that takes ${nodeMs} ms for an answer`,
  unit: 'times as long',
  against: direct,
  aim: { below: 1.15 },
  async measure() {
    const { child, url, payer } = await openShop('paid-network')
    const peer = await openChild('x402', [String(nodeMs)])
    try {
      await child.ask('delay', nodeMs)
      return await compare(() => feedRest(url, payer), peer, 12)
    } finally {
      await peer.stop()
      await child.stop()
    }
  },
}

const nodeCalls: Bench = {
  name: 'questions to the node for a paid REST call, settled before',
  unit: 'questions',
  aim: { below: 8 },
  async measure() {
    const { child, url, payer } = await openShop('paid-network')
    try {
      await feedRest(url, payer)
      const counts: number[] = []
      let calls: string[] = []
      while (counts.length < 10) {
        await child.ask('calls')
        await feedRest(url, payer)
        calls = await child.ask<string[]>('calls')
        counts.push(calls.length)
      }
      return {
        value: Math.max(...counts),
        note: `counted by a proxy, most of ${counts.length} calls; the last one: ${calls.join(', ')}`,
      }
    } finally {
      await child.stop()
    }
  },
}

const mcp: Bench = {
  name: 'paid MCP call on the local chain, end to end',
  unit: 'ms',
  async measure() {
    const { url, payer } = await shop()
    const { feed, close } = await openMcpFeed(url, payer)
    try {
      return inMs(await repeat(feed))
    } finally {
      await close()
    }
  },
}

const a2a: Bench = {
  name: 'paid A2A call on the local chain, end to end',
  unit: 'ms',
  async measure() {
    const { url, payer } = await shop()
    return inMs(await repeat(() => feedA2a(url, payer)))
  },
}

const solana: Bench = {
  name: 'paid REST call on the local Solana, end to end',
  unit: 'ms',
  async measure() {
    const child = await openChild('paid-solana')
    try {
      const { url, rpc, key } = child.ready as { url: string; rpc: string; key: string }
      const payer = await solanaPayer(key, rpc)
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ json: '{a: 1, b: [2,' }),
      }
      const call = async () => {
        const response = await payer.fetch(`${url}/data/skills/json-repair`, init)
        const body = await response.text()
        if (response.status !== 200 || !response.headers.has('payment-response'))
          throw new Error(`not paid: ${response.status} ${body.slice(0, 400)}`)
      }
      return inMs(await repeat(call))
    } finally {
      await child.stop()
    }
  },
}

const gate: Bench = {
  name: 'gate overhead, quote and paid call, rail in memory',
  unit: 'ms',
  against: 'the same durable write without a gate',
  aim: { below: 1 },
  async measure() {
    const child = await openChild('gate')
    try {
      const runs: { quote: number; charge: number; bare: number }[] = []
      while (runs.length < 1000) runs.push(await child.ask('pay'))
      const samples = runs.slice(200)
      const [quote, charge, bare] = (['quote', 'charge', 'bare'] as const).map(part =>
        median(samples.map(run => run[part])).toFixed(2),
      )
      return {
        value: median(samples.map(run => run.quote + run.charge - run.bare)),
        note: `ms: quote ${quote}, paid call ${charge}, less ${bare} for the write alone; medians of ${samples.length}`,
      }
    } finally {
      await child.stop()
    }
  },
}

const together: Bench = {
  name: `${crowd} payments at once that settle`,
  unit: 'settled',
  aim: { atLeast: crowd },
  async measure() {
    const { url, rpc, payer } = await shop()
    const began = performance.now()
    const feedings = Array.from({ length: crowd }, () => feedRest(url, payer))
    const answers = await Promise.allSettled(feedings)
    const ms = performance.now() - began
    const purrs = answers.flatMap((answer): Purr[] => (answer.status === 'fulfilled' ? [answer.value] : []))
    const reader = createPublicClient({ transport: http(rpc) })
    const hashes = [...new Set(purrs.map(({ transaction }) => transaction))]
    const receipts = await Promise.all(hashes.map(hash => reader.getTransactionReceipt({ hash })))
    return {
      value: receipts.filter(({ status }) => status === 'success').length,
      note: `${ms.toFixed(0)} ms for all, from one wallet; each with a transaction of its own on the chain`,
    }
  },
}

/** Calls that are paid with the stock x402 client on chains of this machine, and what the gate adds to one. */
export const payments: Group = {
  name: 'payments',
  benches: [rest, slowNode, nodeCalls, mcp, a2a, solana, gate, together],
  close: async () => {
    const open = await opening?.catch(() => undefined)
    opening = undefined
    await open?.child.stop()
  },
}
