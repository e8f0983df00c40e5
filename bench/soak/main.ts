import { Agent, request as httpRequest } from 'node:http'
import { parseArgs } from 'node:util'
import { openChild } from '../child.ts'
import { type SoakRequest, soakRequests } from './requests.ts'
import { judge, type Sample } from './verdict.ts'

const lanes = 8
/** The part of the time that caches and compiled code may take to settle: two of ten minutes. */
const warmPart = 0.2
const sampleParts = 16

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error('--minutes takes a number over 0')

/** Sends one request and reads its answer whole; the status, or undefined for a client that left. */
const send = (url: string, agent: Agent, { method, path, headers, body, leaves }: SoakRequest) =>
  new Promise<number | undefined>((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const req = httpRequest(`${url}${path}`, { method, headers: { ...headers, ...length }, agent }, res => {
      res.on('error', () => resolve(undefined))
      res.on('end', () => resolve(res.statusCode))
      res.resume()
    })
    req.on('error', error => (leaves ? resolve(undefined) : reject(error)))
    req.end(body)
    if (leaves) setTimeout(() => req.destroy(), 1)
  })

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1)

const server = await openChild('soaked', [], ['--expose-gc'])
const url = String(server.ready)
const requests = soakRequests()
const agent = new Agent({ keepAlive: true })
const statuses = new Map<string, number>()
const broken = new Map<string, number>()
let count = 0

const sample = async (): Promise<Sample> => ({
  requests: count,
  ...(await server.ask<Omit<Sample, 'requests'>>('holds')),
})

const before = await sample()
const began = performance.now()
const end = began + minutes * 60_000

const lane = async (nth: number): Promise<void> => {
  for (let at = nth * 37; performance.now() < end; at++) {
    const request = requests[at % requests.length]
    if (!request) return
    const status = await send(url, agent, request).catch(() => 'broken')
    count++
    const label = String(status ?? 'left')
    statuses.set(label, (statuses.get(label) ?? 0) + 1)
    if (label === 'broken' || label === '500') broken.set(request.name, (broken.get(request.name) ?? 0) + 1)
  }
}

const warm: Sample[] = []
const watch = async (): Promise<void> => {
  const step = ((1 - warmPart) * minutes * 60_000) / sampleParts
  for (let nth = 0; nth <= sampleParts; nth++) {
    const at = began + warmPart * minutes * 60_000 + nth * step
    await new Promise(resolve => setTimeout(resolve, Math.max(0, at - performance.now())))
    const now = await sample()
    warm.push(now)
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.error(
      `${seconds} s: ${now.requests} requests, heap ${mebibytes(now.heap)} MiB, process ${mebibytes(now.resident)} MiB, ${now.descriptors} descriptors`,
    )
  }
}

try {
  await Promise.all([watch(), ...Array.from({ length: lanes }, (_, nth) => lane(nth))])
  agent.destroy()
  await new Promise(resolve => setTimeout(resolve, 5000))
  const atRest = await sample()
  const brokenCount = [...broken.values()].reduce((sum, one) => sum + one, 0)
  const verdict = judge(before.descriptors, warm, atRest, brokenCount)
  console.log(
    JSON.stringify(
      {
        minutes,
        kinds: requests.length,
        requests: count,
        statuses: Object.fromEntries(statuses),
        heapMiB: [warm[0], warm.at(-1), atRest].map(one => one && Number(mebibytes(one.heap))),
        residentMiB: [warm[0], warm.at(-1), atRest].map(one => one && Number(mebibytes(one.resident))),
        descriptors: [before.descriptors, warm.at(-1)?.descriptors, atRest.descriptors],
        ...verdict,
        broken: Object.fromEntries(broken),
      },
      null,
      2,
    ),
  )
  process.exitCode = verdict.faults.length > 0 ? 1 : 0
} finally {
  agent.destroy()
  await server.stop()
}
