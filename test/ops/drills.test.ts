import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestClient, http } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { alertRules, alerts, openAlerts, toExpression, withAlerts } from '../../app/alerts.ts'
import { addMetrics } from '../../app/metrics.ts'
import { type Readiness, readiness, toPublicReadiness } from '../../app/ready.ts'
import { type Ready, runningSections } from '../../cli/doctor-sections.ts'
import { type AnyJob, job } from '../../mcp/kernel/job.ts'
import { openOutput } from '../../mcp/kernel/log-output.ts'
import { openObserver } from '../../mcp/kernel/observe.ts'
import { schedule } from '../../mcp/kernel/schedule.ts'
import { checkEvm } from '../../mcp/payment/checks/evm.ts'
import { checkLightning } from '../../mcp/payment/checks/lightning.ts'
import { type NetworkWatch, watchNetwork } from '../../mcp/payment/checks/watch.ts'
import { openChain } from '../../mcp/ports/chain/chain.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { openFetch } from '../../mcp/ports/fetch/fetch.ts'
import { openDevelopmentLightning } from '../../mcp/ports/lightning/devnet.ts'
import { openLlm } from '../../mcp/ports/llm/llm.ts'
import type { Llm } from '../../mcp/ports/llm/port.ts'
import { openSandboxes } from '../../mcp/ports/sandbox/open.ts'
import { openScheduler } from '../../mcp/ports/scheduler/scheduler.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { openTracer } from '../../mcp/ports/trace/otlp.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { startModel } from '../model-server.ts'
import { onAnvil, openTestDevnet } from '../payment/evm-chain.ts'
import { serveFacilitator } from '../payment/facilitator-server.ts'
import { openRpcProxy } from '../payment/rpc-proxy.ts'
import { postgresIsHere, withDatabase } from '../store/database.ts'
import { proxyTo } from '../store/proxy.ts'
import { openTestWorld, type TestWorld } from '../world.ts'
import { startReceiver } from './otlp-receiver.ts'

const database = withDatabase()
let world: TestWorld
let now = Date.now()
let freeBytes = 1e12
const watches: NetworkWatch[] = []
let isDelivering = true
let isJobBroken = false
let store: Store | undefined
let llm: Llm | undefined
let firing: () => Promise<string[]>
let observer: ReturnType<typeof openObserver>
let note: () => Promise<void>
let python = '/usr/bin/python3'
let sandboxes = openSandboxes({ python, packages: '/nowhere', concurrency: 1 })
const scheduler = openScheduler({ workers: 1, sandboxes: 1, browsers: 1, llm: 1 })
const out = openFetch({
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  allow: () => true,
  userAgent: 'Octagent/test',
})

let plan: ReturnType<typeof schedule>
let alarms: ReturnType<typeof openAlerts>
beforeAll(async () => {
  world = await openTestWorld({ ports: { scheduler, clock: { now: () => new Date(now) } } })
  const own = world.ports.store
  Object.defineProperties(world.ports, {
    store: { get: () => store ?? own },
    llm: { get: () => llm },
    sandboxes: { get: () => sandboxes },
  })
  const fails = job({ name: 'fails', every: 1, needs: [] }).run(async () => {
    if (isJobBroken) throw new Error('broken')
  }) as AnyJob
  plan = schedule([{ owner: 'test', job: fails }], { world, tickMs: 20 })
  observer = openObserver()
  addMetrics(observer, {
    world,
    plan,
    networks: watches,
    folder: '.',
    tracesDelivered: () => isDelivering,
    readFree: async () => freeBytes,
  })
  alarms = openAlerts(observer.samples, { now: () => now })
  note = alarms.note
  firing = async () => (await alarms.firing()).map(({ name }) => name)
  await note()
})
afterAll(async () => {
  alarms.close()
  await plan.stop()
  await Promise.all([world.stop(), out.close(), sandboxes.close()])
})

/** What `/readyz` answers strangers too, and the alerts in it as the doctor tells them. */
const tell = async (): Promise<{ ready: Readiness; doctor: string[] }> => {
  const whole = await readiness(world, [], plan, false, watches, alarms.firing)
  const ready = JSON.parse(JSON.stringify(toPublicReadiness(whole))) as Readiness
  const sections = runningSections('http://127.0.0.1:8402', ready as Ready)
  const { findings = [] } = sections.find(({ title }) => title === 'Alerts') ?? {}
  return { ready, doctor: findings.map(({ what, note }) => `${what} ${note}`) }
}

/** Each fault raises exactly its alert, in `/readyz` and with the doctor in the same words, and once it is mended nothing is left. */
const drill = async (name: string, plant: () => Promise<void> | void, mend: () => Promise<void> | void) => {
  await expect.poll(firing, { timeout: 8_000 }).toEqual([])
  await plant()
  // Read once: what is told of the event loop begins anew with each look.
  let told = await tell()
  const names = () => [...new Set(told.ready.alerts.map(alert => alert.name))]
  for (let looks = 0; looks < 400 && names().join() !== name; looks++) {
    await sleep(20)
    told = await tell()
  }
  expect(names()).toEqual([name])
  const { summary, cure } = alerts.find(alert => alert.name === name) ?? {}
  const { ready, doctor } = told
  expect(ready.alerts).toEqual(
    ready.alerts.map(({ labels }) => expect.objectContaining({ name, summary, cure, labels })),
  )
  expect(doctor).toEqual(
    ready.alerts.map(({ labels }) => [name, ...Object.values(labels), summary, cure].join(' ')),
  )
  expect(ready.ok).toBe(name !== 'OctagentStoreAway')
  await mend()
  await note()
  now += 2 * 3_600_000
  await expect.poll(firing, { timeout: 8_000 }).toEqual([])
  expect(await tell()).toMatchObject({ ready: { ok: true, alerts: [] }, doctor: [] })
}

test('a disk with less than 100 MB', () =>
  drill(
    'OctagentDiskNearlyFull',
    () => {
      freeBytes = 5e7
    },
    () => {
      freeBytes = 1e12
    },
  ))

test('a job that fails', () =>
  drill(
    'OctagentJobFailing',
    async () => {
      isJobBroken = true
      now += 2000
    },
    () => {
      isJobBroken = false
      now += 2000
    },
  ))

test.skipIf(!postgresIsHere)('PostgreSQL that goes away', async () => {
  const proxy = await proxyTo(database())
  const postgres = await openPostgres({ url: proxy.url })
  store = postgres
  await drill('OctagentStoreAway', proxy.down, async () => {
    await proxy.up()
  })
  store = undefined
  await postgres.close()
})

test('a store that is near its limit', async () => {
  const { openEmbedded } = await import('../../store/embedded/open.ts')
  const { simulatedDisk } = await import('../store/simulated-disk.ts')
  const { withSeed } = await import('../random.ts')
  await withSeed(1, async random => {
    const full = await openEmbedded({
      dir: '/simulated',
      disk: simulatedDisk(random, new Map(), 0),
      maxBytes: 3_000_000,
    })
    const rows = full.collection<{ id: string; text: string }>('rows')
    const ids: string[] = []
    await drill(
      'OctagentStoreNearItsLimit',
      async () => {
        store = full
        while (!(await full.health()).degraded) {
          ids.push(String(ids.length))
          await rows.put({ id: ids.at(-1) ?? '', text: 'x'.repeat(100_000) })
        }
      },
      async () => {
        store = undefined
      },
    )
    await full.close()
  })
})

onAnvil('a network that payments are taken on', () => {
  const key = generatePrivateKey()
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let proxy: Awaited<ReturnType<typeof openRpcProxy>>
  let setBalance: (value: bigint) => Promise<void>
  beforeAll(async () => {
    net = await openTestDevnet()
    const { rpc } = await net.devnet.network('base')
    proxy = await openRpcProxy(rpc)
    const chain = openChain({ network: networks.base, rpc: proxy.url })
    const { address } = await chain.wallet(key)
    const anvil = createTestClient({ mode: 'anvil', transport: http(rpc) })
    setBalance = value => anvil.setBalance({ address, value })
    await setBalance(10n ** 18n)
    await anvil.mine({ blocks: 1 })
    const look = () => checkEvm({ chain, facilitator: { key: async () => key } })
    watches.push(watchNetwork({ network: 'base', title: 'Base', look, pace: { okMs: 50, failingMs: 50 } }))
  })
  afterAll(async () => {
    for (const watch of watches) watch.close()
    watches.splice(0)
    await proxy.close()
    await net.close()
  })
  const sound = () => {
    proxy.knobs.interfere = () => undefined
  }
  /** The node says that its last block is so many seconds old. */
  const blockAge = (seconds: number) => () => {
    const timestamp = `0x${(Math.round(Date.now() / 1000) - seconds).toString(16)}`
    proxy.knobs.interfere = ({ method }) =>
      method === 'eth_getBlockByNumber'
        ? {
            result: {
              number: '0x10',
              timestamp,
              baseFeePerGas: '0x1',
              transactions: [],
              gasLimit: '0x1',
              gasUsed: '0x0',
            },
          }
        : undefined
  }

  test('its node goes away', () =>
    drill(
      'OctagentNodeAway',
      () => {
        proxy.knobs.interfere = () => 'broken'
      },
      sound,
    ))
  test('its node lags by ten minutes', () => drill('OctagentNodeLags', blockAge(600), sound))
  test('the clock of this machine is a minute behind', () => drill('OctagentNodeLags', blockAge(-60), sound))
  test('its node lies about the token', () =>
    drill(
      'OctagentTokenWrong',
      () => {
        proxy.knobs.interfere = ({ method }) =>
          method === 'eth_call' ? { result: `0x${'11'.repeat(32)}` } : undefined
      },
      sound,
    ))
  test('the gas is used up', () =>
    drill(
      'OctagentGasEmpty',
      () => setBalance(0n),
      () => setBalance(10n ** 18n),
    ))
  test('the gas is enough for a few settlements', async () => {
    const [{ settlements = 0 } = {}] = ((await watches[0]?.findings()) ?? []).filter(
      ({ check }) => check === 'gas',
    )
    const few = (10n ** 18n / BigInt(settlements)) * 7n
    await drill(
      'OctagentGasLow',
      () => setBalance(few),
      () => setBalance(10n ** 18n),
    )
  })

  test('its facilitator goes away', async () => {
    const never = { verify: async () => ({}), settle: async () => ({}) }
    const facilitator = await serveFacilitator({ ...never, supported: [{ network: 'eip155:8453' }] })
    const chain = openChain({ network: networks.base, rpc: proxy.url })
    const look = () => checkEvm({ chain, facilitator: { remotes: [{ url: facilitator.url }] } })
    watches.push(
      watchNetwork({ network: 'base-elsewhere', title: 'Base', look, pace: { okMs: 50, failingMs: 50 } }),
    )
    await drill('OctagentFacilitatorAway', facilitator.close, () => {
      for (const watch of watches.splice(1)) watch.close()
    })
  })
})

describe('what is shared', () => {
  const lane = scheduler.lanes.sandboxes
  test('has no room', () =>
    drill(
      'OctagentQueueRefuses',
      async () => {
        const held = await lane.enter({ asker: { client: '192.0.2.1', paid: true } })
        const more = Array.from({ length: 70 }, (_, n) =>
          lane.enter({ asker: { client: `203.0.${n}.1`, paid: true } }).then(
            place => place.leave(),
            () => undefined,
          ),
        )
        await sleep(1)
        held.leave()
        await Promise.all(more)
      },
      () => undefined,
    ))

  test('has a task that never ends', async () => {
    const held = await lane.enter({ asker: { client: '192.0.2.1', paid: true } })
    const waiting = lane.enter({ asker: { client: '192.0.2.9', paid: true } })
    const real = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now')
    await drill(
      'OctagentQueueStuck',
      () => void clock.mockImplementation(() => real() + 90_000),
      async () => {
        clock.mockRestore()
        held.leave()
        ;(await waiting).leave()
      },
    )
  })
})

test('a model that fails', async () => {
  const model = await startModel()
  model.turns = [{ status: 401 }]
  llm = openLlm({ fetch: out, url: model.url, model: 'small' })
  await drill(
    'OctagentModelFailing',
    async () => {
      const question = {
        system: 's',
        messages: [{ role: 'user', content: 't' }] as const,
        schema: z.object({}),
      }
      for (let n = 0; n < 3; n++) await llm?.ask(question).catch(() => undefined)
    },
    model.stop,
  )
  llm = undefined
})

test('a machine without a sandbox', async () => {
  const before = sandboxes
  python = '/usr/bin/absent'
  await drill(
    'OctagentSandboxMissing',
    () => {
      sandboxes = openSandboxes({ python, packages: '/nowhere', concurrency: 1 })
    },
    () => {
      sandboxes = before
    },
  )
})

test('a log that nobody can write to', async () => {
  const full = openSync('/dev/full', 'w')
  const output = openOutput(full)
  await drill(
    'OctagentLogLost',
    async () => {
      output.write('a line\n')
    },
    () => closeSync(full),
  )
})

test('a Lightning node that goes away', async () => {
  const node = await openDevelopmentLightning({ key: async () => '33'.repeat(32) })
  let isAway = false
  const away = async () => {
    if (isAway) throw new Error('connect ECONNREFUSED')
  }
  const look = () => checkLightning(async () => ({ ...node, ping: away }))
  watches.push(
    watchNetwork({ network: 'lightning', title: 'Lightning', look, pace: { okMs: 50, failingMs: 50 } }),
  )
  await drill(
    'OctagentLightningAway',
    () => {
      isAway = true
    },
    () => {
      isAway = false
    },
  )
  for (const watch of watches.splice(0)) watch.close()
})

test('a collector that takes no spans', async () => {
  const receiver = await startReceiver()
  const tracer = openTracer({
    fetch: out,
    endpoint: receiver.url,
    resource: {},
    ratio: 1,
    onDelivery({ ok }) {
      isDelivering = ok
    },
  })
  const send = async () => {
    for (let n = 0; n < 512; n++) tracer.begin('call', {})?.end()
    await sleep(50)
  }
  await drill(
    'OctagentTracesLost',
    async () => {
      receiver.fail(503)
      await send()
    },
    async () => {
      receiver.fail(200)
      await send()
    },
  )
  await tracer.close()
  await receiver.stop()
})

const entry = {
  service: 'cat',
  tool: 'pet',
  channel: 'rest',
  caller: undefined,
  price: undefined,
  receipt: undefined,
} as const

test.each<[string, string, () => void]>([
  ['a fault of the program', 'OctagentFaults', () => observer.call({ ...entry, ms: 1, code: 'internal' })],
  ['a transfer that a chain took back', 'OctagentPaymentReverted', () => observer.payment('reverted')],
  ['a transfer that is lost', 'OctagentPaymentLost', () => observer.payment('lost')],
  [
    'a settlement without an answer',
    'OctagentSettlementUnknown',
    () => observer.settlement('base', 'unknown', 30),
  ],
  [
    'six settlements that failed',
    'OctagentSettlementFailing',
    () => {
      for (let n = 0; n < 6; n++) observer.settlement('base', 'failed', 1)
    },
  ],
])('%s', (_, name, count) => drill(name, count, () => undefined))

test.each<[string, string, 'owed' | 'unexplained' | 'pending', number]>([
  ['money that is owed for two days', 'OctagentMoneyOwed', 'owed', 172_800],
  ['a transfer that nothing explains', 'OctagentMoneyUnexplained', 'unexplained', 60],
  ['a payment that stays open', 'OctagentPaymentPending', 'pending', 3600],
])('%s', (_, name, state, ageSeconds) =>
  drill(
    name,
    () =>
      observer.openMoney([
        { state, network: 'base', tool: 'cat.feed', count: 1, amount: 100_000n, ageSeconds },
      ]),
    () => observer.openMoney([]),
  ),
)

test('an event loop that stands still', () =>
  drill(
    'OctagentStalled',
    async () => {
      await sleep(30)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
      await sleep(0)
    },
    () => undefined,
  ))

describe('what is written of alerts', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

  test('is fresh', () => {
    expect(read('ops/alerts.yaml')).toBe(alertRules())
    const page = read('docs/operations.md')
    expect(page).toBe(withAlerts(page))
  })

  test('names metrics that there are', async () => {
    const { body } = await observer.metrics()
    const names = new Set(
      [...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name.replace(/_(bucket|sum|count)$/, '')),
    )
    const ofStore = ['bytes', 'max_bytes', 'documents', 'archived_documents'].map(
      name => `octagent_store_${name}`,
    )
    const known = (name: string) =>
      names.has(name.replace(/_(bucket|sum|count)$/, '')) || ofStore.includes(name)
    const dashboard = JSON.parse(read('ops/dashboard.json')) as { panels: { targets: { expr: string }[] }[] }
    const expressions = [
      ...alerts.map(toExpression),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ]
    const used = expressions.flatMap(text => text.match(/\b(?:octagent|nodejs|process)_\w+/g) ?? [])
    expect(used.filter(name => !known(name))).toEqual([])
    expect(new Set(dashboard.panels.map(panel => JSON.stringify(panel))).size).toBe(dashboard.panels.length)
  })

  const promtool = spawnSync('promtool', ['--version']).status === 0
  test.skipIf(!promtool)('is what Prometheus reads', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', 'ops/alerts.yaml'], {
      encoding: 'utf8',
    })
    expect([status, stdout + stderr]).toEqual([
      0,
      expect.stringContaining(`${alerts.length + 1} rules found`),
    ])
  })
})
