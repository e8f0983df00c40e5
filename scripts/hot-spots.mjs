// Simulates what many replicas do to one row, one log and one limit, and prints the tables of docs/scale.md:
//   node scripts/hot-spots.mjs [--statement-ms 0.3] [--commit-ms 2] [--seconds 60]
// The model is that of store/postgres: lanes that share commits (lanes.ts), a lock for each log from the last statement to the commit
// (log.ts), and shares of a limit that are booked a tenth at a time (shared-limits.ts). It says where the ceiling is, not what a machine does.
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    'statement-ms': { type: 'string', default: '0.3' },
    'commit-ms': { type: 'string', default: '2' },
    seconds: { type: 'string', default: '60' },
  },
})
const statementMs = Number(values['statement-ms'])
const commitMs = Number(values['commit-ms'])
const endMs = Number(values.seconds) * 1000

const maxTogether = 16
const maxPassed = 64

/** The same numbers in each run (mulberry32). */
const openRandom = seed => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

const arrivals = (perSecond, random) => {
  const times = []
  for (let at = 0; ; ) {
    at += (-Math.log(1 - random()) * 1000) / perSecond
    if (at > endMs) return times
    times.push(at)
  }
}

const percentile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]

/**
 * One place that is passed by one holder at a time: replicas take turns, each with what waits in it. `costOf` is how long a group of
 * writes takes there; `hold` is what taking and giving back the place costs.
 */
const simulate = (replicas, perSecond, { hold, together, passed, costOf }) => {
  const random = openRandom(replicas * 7919 + perSecond)
  const all = arrivals(perSecond, random).map(at => ({ at, replica: Math.floor(random() * replicas) }))
  const queues = Array.from({ length: replicas }, () => [])
  const order = []
  const waits = []
  let next = 0
  let now = 0
  const admit = () => {
    while (next < all.length && all[next].at <= now) {
      const { at, replica } = all[next++]
      if (queues[replica].length === 0) order.push(replica)
      queues[replica].push(at)
    }
  }
  while (now < endMs) {
    admit()
    if (order.length === 0) {
      if (next >= all.length) break
      now = all[next].at
      continue
    }
    const replica = order.shift()
    const queue = queues[replica]
    now += hold
    for (let done = 0; queue.length > 0 && done < passed; ) {
      const group = queue.splice(0, together)
      now += costOf(group.length)
      done += group.length
      for (const at of group) waits.push(now - at)
      admit()
    }
    if (queue.length > 0 && !order.includes(replica)) order.push(replica)
  }
  waits.sort((a, b) => a - b)
  return { done: (waits.length * 1000) / endMs, p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) }
}

const row = {
  hold: 2 * statementMs,
  together: maxTogether,
  passed: maxPassed,
  costOf: count => statementMs * (1 + 2 * count) + commitMs,
}
const log = { hold: 0, together: 1, passed: 1, costOf: () => 3 * statementMs + commitMs }

/** Books that reach the database for a limit of `quota` in one minute: the first tenth is free, each further one is a transaction. */
const simulateLimit = (replicas, quota, demand) => {
  const random = openRandom(replicas + quota)
  const share = Math.max(1, Math.floor(quota / 10))
  const parts = Array.from({ length: replicas }, () => ({ used: 0, booked: undefined }))
  let left = quota
  let admitted = 0
  let books = 0
  for (let n = 0; n < demand; n++) {
    const part = parts[Math.floor(random() * replicas)]
    if (part.used >= (part.booked ?? share) && !part.isOver) {
      const need = part.used + 1 - (part.booked ?? 0)
      const taken = left < need ? 0 : Math.min(left, need + share)
      books++
      left -= taken
      part.booked = (part.booked ?? 0) + taken
      part.isOver = taken === 0
    }
    if (part.used >= (part.booked ?? share)) continue
    part.used++
    admitted++
  }
  return { admitted, books }
}

const cell = number => (number >= 100 ? Math.round(number).toLocaleString('en') : number.toFixed(1))
const print = (title, head, rows) => {
  console.log(`\n${title}\n\n| ${head.join(' | ')} |\n|${head.map(() => '---').join('|')}|`)
  for (const cells of rows)
    console.log(`| ${cells.map(value => (typeof value === 'number' ? cell(value) : value)).join(' | ')} |`)
}

console.log(
  `A statement takes ${statementMs} ms there and back, a commit ${commitMs} ms; ${endMs / 1000} s each.`,
)
const replicaCounts = [1, 4, 20, 100]
const table = (place, rates) =>
  replicaCounts.flatMap(replicas =>
    rates.map(rate => {
      const { done, p50, p99 } = simulate(replicas, rate, place)
      return [String(replicas), String(rate), done, p50, p99]
    }),
  )
const head = ['replicas', 'asked, a second', 'done, a second', 'p50 ms', 'p99 ms']
print('One row that everybody writes', head, table(row, [100, 300, 800]))
print('One log that everybody adds to', head, table(log, [100, 300, 800]))
print(
  'One limit of 600 a minute, asked 2,000 times',
  ['replicas', 'admitted', 'transactions for it'],
  replicaCounts.map(replicas => {
    const { admitted, books } = simulateLimit(replicas, 600, 2000)
    return [String(replicas), String(admitted), String(books)]
  }),
)
