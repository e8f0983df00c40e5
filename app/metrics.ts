import { statfs } from 'node:fs/promises'
import type { World } from '../mcp/kernel/call.ts'
import { countLostBytes } from '../mcp/kernel/log-output.ts'
import type { LateMetric, Observer } from '../mcp/kernel/observe.ts'
import type { Schedule } from '../mcp/kernel/schedule.ts'
import type { NetworkWatch } from '../mcp/payment/checks/watch.ts'

type Watched = {
  world: World
  plan: Schedule
  networks: readonly NetworkWatch[]
  /** The folder of the embedded store and of files. */
  folder: string
  tracesDelivered: (() => boolean) | undefined
  /** Bytes that are free at a folder. Only tests replace it. */
  readFree?: (folder: string) => Promise<number | undefined>
}

const toNumber = (ok: boolean): number => (ok ? 1 : 0)

/** Bytes that are free for this process at a folder; undefined where nobody knows. */
const readFreeBytes = async (folder: string): Promise<number | undefined> => {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: undefined, bsize: 0 }))
  return bavail === undefined ? undefined : bavail * bsize
}

const storeMetrics = ({ world, folder, readFree = readFreeBytes }: Watched): LateMetric[] => [
  {
    name: 'octagent_store_ok',
    help: 'Whether the store takes reads and writes',
    type: 'gauge',
    values: async () => [{ labels: {}, value: toNumber((await world.ports.store?.health())?.ok === true) }],
  },
  {
    name: 'octagent_store_degraded',
    help: 'Whether the store is near its limit, or cannot read a document',
    type: 'gauge',
    values: async () => [
      { labels: {}, value: toNumber((await world.ports.store?.health())?.degraded === true) },
    ],
  },
  {
    name: 'octagent_disk_free_bytes',
    help: 'Bytes that are free at the data folder',
    type: 'gauge',
    async values() {
      const value = await readFree(folder)
      return value === undefined ? [] : [{ labels: {}, value }]
    },
  },
]

const networkMetrics = ({ networks }: Watched): LateMetric[] => [
  {
    name: 'octagent_network_check',
    help: 'Whether a check of a real network that payments are taken on holds',
    type: 'gauge',
    async values() {
      const all = await Promise.all(
        networks.map(async ({ network, findings }) =>
          (await findings()).map(({ check, state }) => ({
            labels: { network, check },
            value: toNumber(state === 'ok'),
          })),
        ),
      )
      return all.flat()
    },
  },
  {
    name: 'octagent_gas_settlements',
    help: 'Settlements that the gas of the own wallet is enough for',
    type: 'gauge',
    async values() {
      const all = await Promise.all(
        networks.map(async ({ network, findings }) =>
          (await findings()).flatMap(({ settlements }) =>
            settlements === undefined ? [] : [{ labels: { network }, value: settlements }],
          ),
        ),
      )
      return all.flat()
    },
  },
]

const queueMetrics = ({ world }: Watched): LateMetric[] => {
  const facts = [
    ['running', 'gauge', 'Tasks under way'],
    ['places', 'gauge', 'Tasks that may be under way at once'],
    ['waiting', 'gauge', 'Tasks that wait'],
    ['longestSeconds', 'gauge', 'Seconds that the oldest task waits'],
    ['refusals', 'counter', 'Tasks that there was no room for'],
  ] as const
  const names = { longestSeconds: 'wait_seconds', refusals: 'refused_total' } as Readonly<
    Record<string, string>
  >
  return facts.map(([field, type, help]) => ({
    name: `octagent_queue_${names[field] ?? field}`,
    help: `${help}, of what is shared: threads, sandboxes, browsers, the model`,
    type,
    values: async () =>
      Object.entries(world.ports.scheduler?.use?.() ?? {}).map(([resource, use]) => ({
        labels: { resource },
        value: use[field],
      })),
  }))
}

const modelMetrics = ({ world }: Watched): LateMetric[] => {
  const facts = [
    ['questions', 'Questions to the model'],
    ['failures', 'Questions that the model did not answer'],
    ['inputTokens', 'Tokens of questions'],
    ['outputTokens', 'Tokens of answers'],
  ] as const
  const names = { inputTokens: 'input_tokens', outputTokens: 'output_tokens' } as Readonly<
    Record<string, string>
  >
  return facts.map(([field, help]) => ({
    name: `octagent_model_${names[field] ?? field}_total`,
    help,
    type: 'counter',
    async values() {
      const use = world.ports.llm?.usage?.()
      return use ? [{ labels: {}, value: use[field] }] : []
    },
  }))
}

const edgeMetrics = ({ world, plan, tracesDelivered }: Watched): LateMetric[] => [
  {
    name: 'octagent_sandbox_ok',
    help: 'Whether code of strangers can be run apart from this machine',
    type: 'gauge',
    async values() {
      const { sandboxes } = world.ports
      const works =
        sandboxes &&
        (await sandboxes.get().then(
          () => true,
          () => false,
        ))
      return works === undefined ? [] : [{ labels: {}, value: toNumber(works) }]
    },
  },
  {
    name: 'octagent_job_ok',
    help: 'Whether the last run of a job on this replica ended well',
    type: 'gauge',
    values: async () =>
      plan.reports().map(({ name, ok }) => ({ labels: { job: name }, value: toNumber(ok) })),
  },
  {
    name: 'octagent_traces_ok',
    help: 'Whether the collector takes the spans',
    type: 'gauge',
    values: async () => (tracesDelivered ? [{ labels: {}, value: toNumber(tracesDelivered()) }] : []),
  },
  {
    name: 'octagent_log_lost_bytes_total',
    help: 'Bytes of the log that could not be written',
    type: 'counter',
    values: async () => [{ labels: {}, value: countLostBytes() }],
  },
]

/** Adds what the store, networks, queues, model, sandbox, jobs and disk say of themselves to what `/metrics` tells. */
export const addMetrics = (observer: Observer, watched: Watched): void => {
  for (const metrics of [storeMetrics, networkMetrics, queueMetrics, modelMetrics, edgeMetrics])
    for (const metric of metrics(watched)) observer.add(metric)
}
