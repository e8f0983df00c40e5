import { Counter, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { CallRecord } from '../../mcp/kernel/call.ts'
import { openCallMetrics } from '../../mcp/kernel/call-metrics.ts'

const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T

const record = (): CallRecord => ({
  service: pick(['cat', 'data']),
  tool: pick(['pet', 'help', 'q"uo\\te']),
  channel: pick(['rest', 'mcp', 'a2a'] as const),
  caller: undefined,
  price: undefined,
  receipt: undefined,
  ms: pick([0, 0.4, 1, 5, 19.99, 20, 20.01, 100, 1999, 30_000, 40_000]),
  code: pick(['ok', 'conflict']),
  ...pick([{}, { reason: 'too_much' }, { reason: 'key_unknown' }]),
})

/** What the library itself says of the same calls. */
const byLibrary = (registry: Registry) => {
  const registers = [registry]
  const calls = new Counter({
    name: 'octagent_calls_total',
    help: 'Calls by service, tool, channel and outcome code',
    labelNames: ['service', 'tool', 'channel', 'code'],
    registers,
  })
  const seconds = new Histogram({
    name: 'octagent_call_seconds',
    help: 'Seconds from the request to the answer',
    labelNames: ['service', 'channel'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers,
  })
  const refusals = new Counter({
    name: 'octagent_refusals_total',
    help: 'Calls that were refused, by the finer reason of the refusal',
    labelNames: ['service', 'reason'],
    registers,
  })
  return ({ service, tool, channel, code, reason, ms }: CallRecord) => {
    calls.labels(service, tool, channel, code).inc()
    if (reason !== undefined) refusals.labels(service, reason).inc()
    seconds.labels(service, channel).observe(ms / 1000)
  }
}

test('tells, to the letter, what the library would have counted', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const [count, expectedCount] = [openCallMetrics(ours), byLibrary(theirs)]
  expect(await ours.metrics()).toBe(await theirs.metrics())
  for (let nth = 0; nth < 3000; nth++) {
    const entry = record()
    count(entry)
    expectedCount(entry)
  }
  expect(await ours.metrics()).toBe(await theirs.metrics())
})
