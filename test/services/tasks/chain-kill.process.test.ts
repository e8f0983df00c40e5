import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEmbedded } from '../../../store/embedded/open.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { openRpcProxy } from '../../payment/rpc-proxy.ts'
import { compile } from '../../store/compiled.ts'
import { sample } from '../../stress.ts'
import type { ChildOrders } from './chain-child.ts'
import { openTownChain, type TownChain } from './chain-town.ts'

const program = compile('../services/tasks/chain-child')

/** Where a process is killed: when it asks its node for something the n-th time. `before`: nobody gets what it asked. */
type Stop = { method: string; nth: number; before: boolean }

const send = 'eth_sendRawTransaction'
const receipt = 'eth_getTransactionReceipt'

const stops: readonly [string, Stop][] = [
  ['before it asks anything', { method: 'eth_blockNumber', nth: 1, before: true }],
  ['before the deposit is taken', { method: send, nth: 1, before: true }],
  ['after the deposit is taken', { method: send, nth: 1, before: false }],
  ['before it hears that the deposit is taken', { method: receipt, nth: 1, before: true }],
  ['before a part is paid', { method: send, nth: 2, before: true }],
  ['after a part is paid', { method: send, nth: 2, before: false }],
  ['before it hears that a part is paid', { method: receipt, nth: 2, before: true }],
  ['before the rest goes back', { method: send, nth: 3, before: true }],
  ['after the rest went back', { method: send, nth: 3, before: false }],
  ['before it hears that the rest went back', { method: receipt, nth: 3, before: true }],
]

/** The job in processes of its own, killed with -9 between any two states. */
onAnvil('an escrow on the chain whose process is killed with -9', () => {
  let chain: TownChain
  let proxy: Awaited<ReturnType<typeof openRpcProxy>>
  let stop: Stop | undefined
  let count = 0
  let child: ChildProcess | undefined

  beforeAll(async () => {
    chain = await openTownChain()
    proxy = await openRpcProxy(await chain.rpc())
    proxy.knobs.interfere = ({ method }) => {
      if (!stop || method !== stop.method) return undefined
      count += 1
      if (count !== stop.nth) return undefined
      child?.kill('SIGKILL')
      return stop.before ? 'broken' : undefined
    }
  })
  afterAll(async () => {
    await proxy?.close()
    await chain?.close()
  })

  /** Resolves to the signal that ended it, or null. */
  const run = async (order: ChildOrders): Promise<NodeJS.Signals | null> => {
    count = 0
    const started = spawn(process.execPath, [program], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ESCROW_CHILD: JSON.stringify(order) },
    })
    child = started
    return new Promise((resolve, reject) => {
      started.once('error', reject)
      started.once('exit', (code, signal) =>
        code === null || code === 0 ? resolve(signal) : reject(new Error(`ended with ${code}`)),
      )
    })
  }

  test.each(sample(stops, 2))('%s: another process goes on, and the money moves once', async (_, where) => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-escrow-'))
    const store = await openEmbedded({ dir })
    const town = await chain.openTown({ store })
    const [publisher, worker] = [await chain.person(), await chain.person(0n)]
    const house = await chain.usdc(chain.house)
    const task_id = await town.assigned(publisher, worker)
    await town.ask(worker.id, 'start_work', { task_id })
    await town.ask(publisher.id, 'release_payment', { task_id, amount_usd: '0.20' })
    await town.ask(worker.id, 'abandon_task', { task_id })
    const { escrow } = await town.held(task_id)
    await store.close()

    const order = { dir, rpc: proxy.url, operatorKey: chain.operatorKey, aheadMs: 0 }
    stop = where
    expect(await run(order)).toBe('SIGKILL')
    stop = undefined
    expect(await run({ ...order, aheadMs: 60_000 })).toBeNull()

    expect(await chain.usdc(worker.address)).toBe(200_000n)
    expect((await chain.usdc(chain.house)) - house).toBe(10_000n)
    expect(await chain.usdc(publisher.address)).toBe(5_000_000n - 210_000n)
    expect(await chain.usdc(escrow.contract)).toBe(0n)
    const after = await openEmbedded({ dir })
    const replica = await chain.openTown({ store: after })
    expect((await replica.steps(task_id)).map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'authorize done',
      'capture done',
      'void done',
    ])
    await after.close()
    await town.stop()
    await replica.stop()
    await rm(dir, { recursive: true, force: true })
  })
})
