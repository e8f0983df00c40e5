import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { findAnvil } from '../mcp/ports/devnet/binary.ts'
import { openChild } from './child.ts'
import { newFolder } from './folders.ts'
import { median } from './median.ts'
import { openMcpFeed } from './paid-calls.ts'
import { evmPayer } from './payer.ts'
import type { Bench, Group } from './row.ts'

const openShop = async () => {
  await findAnvil(process.env.ANVIL || undefined)
  const child = await openChild('paid')
  const url = String(child.ready)
  const unpaid = await fetch(`${url}/cat/api/feed`, { method: 'POST' })
  if (unpaid.status !== 402) throw new Error(`no quote: ${(await unpaid.text()).slice(0, 400)}`)
  return { child, url, ...(await child.ask<{ key: `0x${string}` }>('chain')) }
}

/** The SDK's client behind `octagent connect`, which has the demo wallet of the shop. */
const openConnected = async (url: string, demo: string) => {
  const dir = await newFolder()
  await writeFile(join(dir, 'devnet.json'), JSON.stringify({ demo }))
  const limits = ['--budget', '1000', '--per-call', '1']
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['dist/main.js', 'connect', `${url}/cat/mcp`, ...limits],
    env: { PATH: process.env.PATH ?? '', OCTAGENT_DATA: dir, OCTAGENT_WALLET_DIR: join(dir, 'wallet') },
    stderr: 'ignore',
  })
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(transport)
  return { client, pid: transport.pid }
}

const tickMs = 10

/** Milliseconds of processor time that a process has used, in user and system mode (proc(5)). */
const cpuMs = (pid: number | null): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

const forwarding: Bench = {
  name: 'call forwarded by connect, its processor time',
  unit: 'ms',
  aim: { below: 0.6 },
  async measure() {
    const { child, url, key } = await openShop()
    const { client, pid } = await openConnected(url, key)
    try {
      const call = () => client.callTool({ name: 'pet', arguments: {} })
      for (let n = 0; n < 2000; n++) await call()
      const rounds: number[] = []
      while (rounds.length < 5) {
        const before = cpuMs(pid)
        for (let n = 0; n < 1000; n++) await call()
        rounds.push((cpuMs(pid) - before) / 1000)
      }
      const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      return {
        value: median(rounds),
        note: `median of five rounds of 1,000 calls one after the other; ${Math.round(Number(rss) / 1024)} MiB resident`,
      }
    } finally {
      await client.close()
      await child.stop()
    }
  },
}

const measureMs = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const paying: Bench = {
  name: 'paid call through connect, end to end',
  unit: 'times as long',
  against: 'the SDK over HTTP with the stock x402 client',
  aim: { below: 1.1 },
  async measure() {
    const { child, url, key } = await openShop()
    const stock = await openMcpFeed(url, evmPayer(key))
    const { client } = await openConnected(url, key)
    try {
      const feed = async () => {
        const result = await client.callTool({ name: 'feed', arguments: {} })
        if (result.isError) throw new Error(`not fed: ${JSON.stringify(result).slice(0, 400)}`)
      }
      const ours: number[] = []
      const theirs: number[] = []
      for (let call = -5; call < 30; call++) {
        const [mine, peer] = [await measureMs(feed), await measureMs(stock.feed)]
        if (call >= 0) ours.push(mine)
        if (call >= 0) theirs.push(peer)
      }
      const [mine, peer] = [median(ours), median(theirs)]
      return {
        value: mine / peer,
        note: `ours / stock, less is better: ${mine.toFixed(1)} ms against ${peer.toFixed(1)}; medians of 30 calls in turn`,
      }
    } finally {
      await client.close()
      await stock.close()
      await child.stop()
    }
  },
}

/** What `octagent connect` adds to a call that is free, and to one that is paid. */
export const connecting: Group = { name: 'connect', benches: [forwarding, paying] }
