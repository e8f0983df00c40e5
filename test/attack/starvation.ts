import { randomInt } from 'node:crypto'
import { send } from './wire.ts'

/** Text in which every few letters begin something that must be looked at again. */
const brokenJson = (size: number) => `{a:[${`{'k':"v\\u12,[tru,`.repeat(Math.ceil(size / 17))}`.slice(0, size)
const busyText = (size: number) =>
  'call +32 2 555 12 12 or tomorrow at 5, $1.000,50 a@b.c http://x.y/(( next Friday '
    .repeat(Math.ceil(size / 80))
    .slice(0, size)

/** The most expensive thing that one anonymous call may ask of each tool that needs no internet. */
export const expensive: Readonly<Record<string, { path: string; body: object }>> = {
  'json-repair, read at once': { path: '/data/tools/json-repair?free=1', body: { json: brokenJson(32_000) } },
  'json-repair, 900 KB': { path: '/data/tools/json-repair?free=1', body: { json: brokenJson(900_000) } },
  'text-entities, read at once': {
    path: '/data/tools/text-entities?free=1',
    body: { text: busyText(32_000) },
  },
  'text-entities, 900 KB': { path: '/data/tools/text-entities?free=1', body: { text: busyText(900_000) } },
  'batch of 20 texts': {
    path: '/data/tools/batch?free=1',
    body: { run: 'text-entities', inputs: Array<string>(20).fill(busyText(31_000)) },
  },
  pre_spend_preflight: {
    path: '/gateway/tools/pre_spend_preflight',
    body: { need: 'translation', candidate_identifier: 'https://a.invalid/' },
  },
}

const health = { method: 'GET', path: '/healthz', headers: {}, body: undefined }

export type StarvationReport = {
  statuses: Record<string, number>
  probes: number
  maxMs: number
  medianMs: number
}

/** What `/healthz` takes while one client has `atOnce` calls of one kind under way, `calls` in all. */
export const starve = async (
  url: string,
  { path, body }: { path: string; body: object },
  { calls, atOnce }: { calls: number; atOnce: number },
): Promise<StarvationReport> => {
  const bytes = Buffer.from(JSON.stringify(body))
  const from = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`
  const headers = {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    'x-forwarded-for': from,
  }
  const statuses: Record<string, number> = {}
  let remaining = calls
  const lane = async () => {
    while (remaining-- > 0) {
      const { status } = await send(url, { method: 'POST', path, headers, body: bytes })
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  let isOver = false
  const flood = Promise.all(Array.from({ length: atOnce }, lane)).then(() => {
    isOver = true
  })
  const times: number[] = []
  while (!isOver) {
    const began = performance.now()
    const { status } = await send(url, health)
    if (status !== 200) throw new Error(`/healthz answered ${status}`)
    times.push(performance.now() - began)
  }
  await flood
  times.sort((a, b) => a - b)
  const at = (part: number) =>
    Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0)
  return { statuses, probes: times.length, maxMs: at(1), medianMs: at(0.5) }
}
