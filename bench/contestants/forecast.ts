import { hashLeaf, openTree } from '../../mcp/lib/merkle-tree.ts'
import { makeSigningKey, openSign } from '../../mcp/ports/sign/sign.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { readCompany } from '../../mcp/services/forecast/filings/company.ts'
import type { Entry, RecordEntryRow } from '../../mcp/services/forecast/record/entry.ts'
import { openRecord } from '../../mcp/services/forecast/record/log.ts'
import { signNow } from '../../mcp/services/forecast/record/snapshots.ts'
import { openRandom, score, timeWeightedBrier, toCells } from '../../mcp/services/forecast/scoring.ts'
import { startForecast } from '../../test/services/forecast/run.ts'
import { contest } from '../contestant.ts'

const measureCpu = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const measureWall = async (work: () => unknown): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const domains = ['infrastructure', 'social', 'calibration', 'methodology']
const opened = Date.parse('2025-01-01T00:00:00Z')
const hex = (n: number): string => n.toString(16).padStart(64, '0')
const random = openRandom(17)

const drawForecast = () => {
  const probability = Math.round(random() * 10_000) / 10_000
  return { probability, outcome: random() < probability ? (1 as const) : (0 as const) }
}

/** The two entries of a prediction: its registration and its resolution. */
const toEntries = (n: number): [Entry, Entry] => {
  const prediction = `prd_${String(n).padStart(8, '0')}`
  const { probability, outcome } = drawForecast()
  const domain = domains[n % domains.length] ?? ''
  const created_at = new Date(opened + n * 1000).toISOString()
  const closes_at = new Date(opened + (n + 60) * 1000).toISOString()
  const content = {
    prediction,
    question: prediction,
    question_sha256: hex(n),
    domain,
    probability,
    method: 'reference_class',
    tier: 'quick',
    created_at,
    closes_at,
    source: null,
    nonce: hex(n),
  }
  const common = { prediction, at: created_at }
  return [
    {
      kind: 'registered',
      seq: 2 * n,
      ...common,
      commitment: hex(n),
      domain,
      closes_at,
      question: prediction,
    },
    {
      kind: 'resolved',
      seq: 2 * n + 1,
      ...common,
      outcome,
      by: 'source',
      evidence: 'https://example.com/',
      content,
    },
  ]
}

const toRow = (entry: Entry): RecordEntryRow => ({
  id: String(entry.seq).padStart(12, '0'),
  seq: entry.seq,
  at: entry.at,
  canonical: JSON.stringify(entry),
  question: null,
})

/** A record whose rows lie in memory: what is measured is what they add up to, and not the store. */
const openRows = async (predictions: number) => {
  const tree = openTree()
  const rows = new Map<number, RecordEntryRow>()
  let next = 0
  let size = 0
  const grow = async () => {
    for (const entry of toEntries(next)) {
      const row = toRow(entry)
      rows.set(row.seq, row)
      tree.append(hashLeaf(row.canonical))
      size++
    }
    next++
  }
  const find = (from: number, limit: number) => ({
    rows: Array.from({ length: Math.min(limit, size - from) }, (_, n) => rows.get(from + n)).filter(
      row => row !== undefined,
    ),
    next: undefined,
  })
  const store = {
    collection: (name: string) => ({
      get: async (id: string) => {
        if (name === 'forecast.head') return { id: 'head', size, at: '' }
        const [level = 0, index = 0] = id.split(':').map(Number)
        return { id, hash: tree.node({ level, index }).toString('hex') }
      },
      find: async ({ where, limit = 100 }: { where?: { seq?: { gte: number } }; limit?: number }) => {
        if (name === 'forecast.snapshots') return { rows: [], next: undefined }
        const page = find(where?.seq?.gte ?? 0, limit)
        // What was read is not read again, and need not stay.
        for (const { seq } of page.rows) rows.delete(seq)
        return page
      },
    }),
  } as unknown as Store
  const clock = { now: () => new Date(opened + (next + 3600) * 1000) }
  const record = openRecord({ store, clock })
  while (next < predictions) {
    for (let n = 0; n < 50_000 && next < predictions; n++) await grow()
    await record.state()
  }
  return { store, record, grow }
}

let rows: ReturnType<typeof openRows> | undefined
const openMillion = (predictions: number) => {
  rows ??= openRows(predictions)
  return rows
}

const makeFile = (bytes: number): Uint8Array => {
  const tags = ['Revenues', 'NetIncomeLoss', 'Assets', 'Liabilities', 'StockholdersEquity', 'AssetsCurrent']
  const facts: Record<string, object> = {}
  const makeRows = (isFlow: boolean, seed: number) =>
    Array.from({ length: 60 }, (_, n) => {
      const year = 2005 + (n >> 2)
      const [from, to] =
        [
          ['01-01', '03-31'],
          ['04-01', '06-30'],
          ['07-01', '09-30'],
          ['01-01', '12-31'],
        ][n % 4] ?? []
      return {
        ...(isFlow && { start: `${year}-${from}` }),
        end: `${year}-${to}`,
        val: 1_000_000 + seed * 1000 + n,
        accn: `0000000001-${String(year).slice(2)}-${String(n).padStart(6, '0')}`,
        fy: year,
        fp: 'FY',
        form: n % 4 === 3 ? '10-K' : '10-Q',
        filed: `${year + 1}-02-10`,
        frame: `CY${year}`,
      }
    })
  let size = 0
  for (let n = 0; size < bytes; n++) {
    const tag = tags[n] ?? `ExampleConcept${n}`
    const label = `Example concept ${n}, as companies describe it at some length in their filings`
    facts[tag] = { label, description: label, units: { USD: makeRows(n < 2 || n % 2 === 0, n) } }
    size += JSON.stringify(facts[tag]).length
  }
  return Buffer.from(JSON.stringify({ cik: 1, entityName: 'Example Corp', facts: { 'us-gaap': facts } }))
}

let file: Uint8Array | undefined
const filing = () => {
  file ??= makeFile(3_000_000)
  return file
}

/** The file as one would walk it: parsed, every number looked at. */
const walk = (bytes: Uint8Array): number => {
  type File = { facts: Record<string, Record<string, { units: Record<string, { val: number }[]> }>> }
  const { facts } = JSON.parse(Buffer.from(bytes).toString('utf8')) as File
  let sum = 0
  for (const concepts of Object.values(facts))
    for (const { units } of Object.values(concepts))
      for (const list of Object.values(units)) for (const { val } of list) sum += val
  return sum
}

const sign = openSign(makeSigningKey())

contest(undefined, {
  /** Milliseconds of processor time to score so many predictions in full. */
  score: async (count: number) => {
    const forecasts = Array.from({ length: count }, drawForecast)
    const standing = forecasts.map((forecast, n) => ({
      ...forecast,
      question: `q${n}`,
      at: opened,
      closesAt: opened + 86_400_000,
    }))
    return measureCpu(() => [score(toCells(forecasts)), timeWeightedBrier(standing)])
  },
  /** Milliseconds of processor time of the signed snapshot after one more row, among so many predictions. */
  snapshot: async (predictions: number) => {
    const { store, record, grow } = await openMillion(predictions)
    await grow()
    return measureCpu(() => signNow({ store, sign, record }))
  },
  /** Milliseconds of an inclusion and of a consistency proof in the same record. */
  prove: async (predictions: number) => {
    const { record } = await openMillion(predictions)
    const size = await record.size()
    const first = Math.floor(size * random())
    const inclusion = await measureWall(() => record.inclusion(first, size))
    const consistency = await measureWall(() => record.consistency(Math.max(1, first), size))
    return { inclusion, consistency }
  },
  /** Milliseconds of processor time: our analysis of a companyfacts file, or a plain walk over it. */
  filings: (plain: boolean) => measureCpu(() => (plain ? walk(filing()) : readCompany(filing()))),
  /** Milliseconds of processor time of one keyless consultation, from input to sealed and signed answer. */
  consult: async (count: number) => {
    const { askPaid, stop } = await startForecast()
    const ask = (n: number) =>
      askPaid('consult', {
        question: `Will bridge ${n} be open by 31 December 2035?`,
        form: { kind: 'event', events: 1, n: 9 + (n % 50) },
      })
    for (let n = 0; n < 50; n++) await ask(n)
    const spent = await measureCpu(async () => {
      for (let n = 50; n < 50 + count; n++) await ask(n)
    })
    await stop()
    return spent / count
  },
})
