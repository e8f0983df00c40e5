import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { CallRecord } from './call.ts'
import { openCallMetrics, registerLate } from './call-metrics.ts'

/** Sees every call and every MCP client, and tells of them in the Prometheus text format. */
export type Observer = {
  call(entry: CallRecord): void
  /** One MCP request: who sent it, in which era, and what the header shim mended. */
  mcpClient(client: { name: string; version: string; era: string; fixes: readonly string[] }): void
  job(name: string, ok: boolean): void
  /** A payment that the chain took back: `reverted`, `restored` or `lost`. */
  payment(event: string): void
  /** Money that moved: it came for a tool, or was given back. */
  money(event: 'settled' | 'refunded', moved: { network: string; tool: string; amount: bigint }): void
  /** Money that is owed, unexplained or pending now, by network and tool; `ageSeconds` is that of the oldest. */
  openMoney(parts: readonly OpenMoney[]): void
  /** A settlement's outcome, and in how many seconds. */
  settlement(network: string, outcome: string, seconds: number): void
  /** Adds a metric that is read when it is asked for. */
  add(metric: LateMetric): void
  metrics(): Promise<{ contentType: string; body: string }>
  /** The same, as values. */
  samples(): Promise<Sample[]>
}

export type Sample = { metric: string; labels: Readonly<Record<string, string | number>>; value: number }

/** A metric whose values somebody else knows. */
export type LateMetric = {
  name: string
  help: string
  type: 'counter' | 'gauge'
  values: () => Promise<{ labels: Readonly<Record<string, string>>; value: number }[]>
}

/** A part of the money that is not where it belongs yet; `amount` is in atomic units. */
export type OpenMoney = {
  state: string
  network: string
  tool: string
  count: number
  amount: bigint
  ageSeconds: number
}

/** Client names are a caller's words: few, short and plain ones become a label, the rest are counted together. */
const limitLabel = (labels: Set<string>, name: string): string => {
  const label = name.replace(/[^\w .@/-]/g, '').slice(0, 40) || 'unnamed'
  if (labels.has(label) || labels.size < 200) return labels.add(label) && label
  return 'other'
}

type Use = {
  documents: number
  bytes: number
  maxBytes: number
  archived: { documents: number; bytes: number }
}

/** `storeUse` tells what the store takes in memory; undefined where it lies elsewhere. */
export const openObserver = (storeUse: () => Use | undefined = () => undefined): Observer => {
  const registers = [new Registry()]
  const [register] = registers as [Registry]
  collectDefaultMetrics({ register })
  const countCall = openCallMetrics(register)
  const clients = new Counter({
    name: 'octagent_mcp_clients_total',
    help: 'MCP requests by client and protocol era',
    labelNames: ['client', 'era'],
    registers,
  })
  const shimmed = new Counter({
    name: 'octagent_mcp_mended_total',
    help: 'MCP headers mended by the interoperability shim',
    labelNames: ['client', 'header'],
    registers,
  })
  const jobs = new Counter({
    name: 'octagent_jobs_total',
    help: 'Job runs',
    labelNames: ['job', 'ok'],
    registers,
  })
  const payments = new Counter({
    name: 'octagent_payments_reverted_total',
    help: 'Payments whose transfer a chain took back, settled again, or lost for good',
    labelNames: ['event'],
    registers,
  })
  const moved = { labelNames: ['event', 'network', 'tool'], registers } as const
  const movedCount = new Counter({
    name: 'octagent_money_moved_total',
    help: 'Payments that were settled or refunded',
    ...moved,
  })
  const movedAmount = new Counter({
    name: 'octagent_money_moved_atomic_total',
    help: 'Atomic units that were settled or refunded',
    ...moved,
  })
  const standing = { labelNames: ['state', 'network', 'tool'], registers } as const
  const openCount = new Gauge({
    name: 'octagent_money_open',
    help: 'Payments that are owed or pending, and unexplained transfers to the till',
    ...standing,
  })
  const openAmount = new Gauge({
    name: 'octagent_money_open_atomic',
    help: 'Atomic units that are owed, pending or unexplained',
    ...standing,
  })
  const openAge = new Gauge({
    name: 'octagent_money_open_age_seconds',
    help: 'Age of the oldest that is owed, pending or unexplained',
    ...standing,
  })
  const settlements = new Histogram({
    name: 'octagent_settlement_seconds',
    help: 'Seconds that settlements of payments took, by network and what they came to',
    labelNames: ['network', 'outcome'],
    buckets: [0.1, 0.5, 1, 2, 5, 10, 30, 60],
    registers,
  })
  const gauges: readonly [name: string, help: string, read: (use: Use) => number][] = [
    ['documents', 'Documents in memory', ({ documents }) => documents],
    ['bytes', 'Bytes in memory, estimated,', ({ bytes }) => bytes],
    ['max_bytes', 'Limit in bytes', ({ maxBytes }) => maxBytes],
    ['archived_documents', 'Archived documents, which lie on disk,', ({ archived }) => archived.documents],
    ['archived_bytes', 'Bytes on disk of archived documents', ({ archived }) => archived.bytes],
  ]
  for (const [name, help, read] of gauges)
    if (storeUse())
      new Gauge({
        name: `octagent_store_${name}`,
        help: `${help} of the embedded store`,
        registers,
        collect() {
          const use = storeUse()
          this.set(use ? read(use) : 0)
        },
      })
  const names = new Set<string>()
  return {
    call: countCall,
    mcpClient({ name, version, era, fixes }) {
      const client = limitLabel(names, `${name}@${version}`)
      clients.labels(client, era).inc()
      for (const fix of fixes) shimmed.labels(client, fix.split(':')[0] ?? fix).inc()
    },
    job: (name, ok) => jobs.labels(name, String(ok)).inc(),
    payment: event => payments.labels(event).inc(),
    money(event, { network, tool, amount }) {
      movedCount.labels(event, network, tool).inc()
      movedAmount.labels(event, network, tool).inc(Number(amount))
    },
    openMoney(parts) {
      for (const gauge of [openCount, openAmount, openAge]) gauge.reset()
      for (const { state, network, tool, count, amount, ageSeconds } of parts) {
        openCount.labels(state, network, tool).set(count)
        openAmount.labels(state, network, tool).set(Number(amount))
        openAge.labels(state, network, tool).set(ageSeconds)
      }
    },
    settlement: (network, outcome, seconds) => settlements.labels(network, outcome).observe(seconds),
    add: metric => registerLate(register, metric),
    async samples() {
      const all = await register.getMetricsAsJSON()
      return all.flatMap(({ name, values }) =>
        (values as { metricName?: string; labels: Sample['labels']; value: number }[]).map(
          ({ metricName = name, labels, value }) => ({ metric: metricName, labels, value }),
        ),
      )
    },
    metrics: async () => ({ contentType: register.contentType, body: await register.metrics() }),
  }
}
