import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { newFolder, removeFolders } from './folders.ts'
import { mcpAsk, mcpResult } from './mcp-ask.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'
import { residentBytes, type StartedProgram, startProgram } from './start.ts'

// As clients do it: fetch asks for compressed answers, ids rise with each request, and the first of them meet a server that has just started.

const clients = 50
const listRounds = 300
const services = ['cat', 'data', 'money', 'proof', 'tasks', 'broker', 'gateway', 'forecast']

/** Milliseconds of processor time that a process has used so far, in ticks of ten. */
const cpuMs = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const p95 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN

type Sent = { method: string; params?: object; name?: string }

/** One client of a server: counts its ids, as every MCP client does. */
const openClient = (url: string) => {
  let id = 0
  return async (slug: string, { method, params, name }: Sent): Promise<void> => {
    const { headers = {}, body } = mcpAsk('2025-11-25', method, params, name)
    const response = await fetch(`${url}/${slug}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...(body as object), id: ++id }),
    })
    if (response.status !== 200) throw new Error(`${slug} answered ${response.status}`)
    const text = await response.text()
    if (method === 'tools/list') mcpResult(text)
  }
}

const list: Sent = { method: 'tools/list' }
const call = (name: string): Sent => ({ method: 'tools/call', params: { name, arguments: {} }, name })

type Life = {
  firstLists: number[]
  firstQuote: number
  listCpu: number
  sessions: number[]
  used: number
  usedIdle: number
}

/** The life of a new server: first lists and quote, then lists by the hundred, then fifty clients at once. */
const live = async ({ url, pid }: StartedProgram): Promise<Life> => {
  const one = openClient(url)
  const firstLists: number[] = []
  for (const slug of services) firstLists.push(await timed(() => one(slug, list)))
  const firstQuote = await timed(() => one('cat', call('feed')))
  for (let nth = 0; nth < listRounds; nth++) await one('data', list)
  const before = await cpuMs(pid)
  for (let nth = 0; nth < listRounds; nth++) await one('data', list)
  const listCpu = ((await cpuMs(pid)) - before) / listRounds
  const sessions: number[] = []
  const session = async (nth: number): Promise<void> => {
    const ask = openClient(url)
    const slug = services[nth % services.length] ?? 'cat'
    sessions.push(await timed(() => ask(slug, list)))
    for (let turn = 0; turn < 10; turn++) {
      sessions.push(await timed(() => ask('cat', call(turn % 5 === 4 ? 'feed' : 'pet'))))
      await wait(20)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, nth) => session(nth)))
  const used = await residentBytes(pid)
  await wait(15_000)
  return { firstLists, firstQuote, listCpu, sessions, used, usedIdle: await residentBytes(pid) }
}

let measured: Promise<Life> | undefined
const measureLife = (): Promise<Life> => {
  measured ??= (async () => {
    const program = await startProgram(await newFolder(), { OCTAGENT_RATE_LIMIT: '1000000' })
    try {
      return await live(program)
    } finally {
      await program.stop()
    }
  })()
  return measured
}

const firstList: Bench = {
  name: 'first tools/list of each service after the start',
  unit: 'ms',
  aim: { below: 100 },
  async measure() {
    const { firstLists } = await measureLife()
    return {
      value: Math.max(...firstLists),
      note: `slowest of eight; median ${median(firstLists).toFixed(0)}`,
    }
  },
}

const firstQuote: Bench = {
  name: 'first quote after the start, local chains',
  unit: 'ms',
  aim: { below: 500 },
  measure: async () => ({ value: (await measureLife()).firstQuote, note: 'begins the local chains' }),
}

const lists: Bench = {
  name: 'tools/list of a fetch client: compressed, ids that rise; processor time',
  unit: 'ms',
  aim: { below: 1.2 },
  measure: async () => ({ value: (await measureLife()).listCpu, note: `data skills, ${listRounds} lists` }),
}

const manySessions: Bench = {
  name: `p95 of ${clients} clients at once, each a list and ten calls`,
  unit: 'ms',
  async measure() {
    const { sessions } = await measureLife()
    return {
      value: p95(sessions),
      note: `median ${median(sessions).toFixed(1)}; the clients share the machine`,
    }
  },
}

const memoryInUse: Bench = {
  name: 'memory of the program after use',
  unit: 'MiB',
  aim: { below: 160 },
  async measure() {
    const { used, usedIdle } = await measureLife()
    return {
      value: usedIdle / 2 ** 20,
      note: `idle for 15 s; ${Math.round(used / 2 ** 20)} at the end of the load`,
    }
  },
}

/** What clients meet: a server that has just started, compression, ids that rise, many at once. */
export const asClients: Group = {
  name: 'clients',
  benches: [firstList, firstQuote, lists, manySessions, memoryInUse],
  close: removeFolders,
}
