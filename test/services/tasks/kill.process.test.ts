// Costs: processes on a local chain, killed with -9 between states, on both stores.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depositTypes, openChannels, topUpNonce } from '../../../mcp/services/tasks/channel/channels.ts'
import { abi, balanceOf, makePayer, onAnvil, openTestDevnet } from '../../payment/evm-chain.ts'
import { openRpcProxy } from '../../payment/rpc-proxy.ts'
import { compile } from '../../store/compiled.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../../store/database.ts'
import { sample } from '../../stress.ts'
import { chainsOf, signData } from './sessions.ts'
import type { ChildLine, ChildOrders } from './tasks-child.ts'
import { accountOf } from './town.ts'

const url = withDatabase()
const program = compile('../services/tasks/tasks-child')

/** Where a process is killed: when it asks its node for something the nth time. `before`: the node never hears of it. */
type Stop = { what: string; nth: number; before: boolean }

const send = 'eth_sendRawTransaction'
const receipt = 'eth_getTransactionReceipt'

const stops: readonly [string, Stop][] = ['opening', 'topping up', 'closing'].flatMap((step, index) => [
  [`before the ${step} is broadcast`, { what: send, nth: index + 1, before: true }] as const,
  [`after the ${step} is broadcast`, { what: send, nth: index + 1, before: false }] as const,
  [`when the ${step} is mined`, { what: receipt, nth: index + 1, before: true }] as const,
])

/** The marketplace in processes of its own, on a chain that it takes for the real one, killed with -9 between any two states. */
onAnvil('a marketplace that is killed with -9', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let proxy: Awaited<ReturnType<typeof openRpcProxy>>
  let common: Omit<ChildOrders, 'dir' | 'calls' | 'runsJobs' | 'aheadMs' | 'worker'>
  let stop: Stop | undefined
  let count = 0
  let child: ChildProcess | undefined
  const chain = () => net.devnet.chain('base')

  beforeAll(async () => {
    net = await openTestDevnet()
    proxy = await openRpcProxy((await net.devnet.network('base')).rpc)
    proxy.knobs.interfere = ({ method }) => {
      if (!stop || method !== stop.what) return undefined
      count += 1
      if (count !== stop.nth) return undefined
      child?.kill('SIGKILL')
      return stop.before ? 'broken' : undefined
    }
    const { escrow } = await openChannels(chainsOf(net.devnet), {}).network('base')
    const keys = await net.devnet.keys()
    common = { rpc: proxy.url, relayerKey: keys.facilitator, payoutKey: keys.payTo, escrow }
  })
  afterAll(async () => {
    await proxy.close()
    await net.close()
  })

  const run = async (order: Partial<ChildOrders> & Pick<ChildOrders, 'dir' | 'worker'>) => {
    count = 0
    const full: ChildOrders = { ...common, calls: [], runsJobs: false, aheadMs: 0, ...order }
    child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TASKS_CHILD: JSON.stringify(full) },
    })
    const { stdout } = child
    if (!stdout) throw new Error('no output')
    let last: ChildLine | undefined
    for await (const text of createInterface({ input: stdout })) last = JSON.parse(text) as ChildLine
    return last
  }

  /** All that a payer signs for a session: opening, a voucher, a top-up, and the last voucher. */
  const signAll = async (payer: Awaited<ReturnType<typeof makePayer>>, quote: Record<string, unknown>) => {
    const { deposit_typed_data, voucher_typed_data, channel_id, authorization, salt } = quote
    const { account } = payer
    const first = voucher_typed_data as { message: { channelId: Hex } }
    const voucher = (cumulative: bigint) =>
      signData(account, { ...first, message: { ...first.message, cumulativeAmount: cumulative } })
    const from = payer.address.toLowerCase() as Hex
    const topUpSalt: Hex = `0x${'7a'.repeat(32)}`
    const topUp = {
      ...(authorization as { validBefore: string; to: Hex }),
      value: '500000',
      nonce: topUpNonce(channel_id as Hex, 500_000n, from, topUpSalt),
    }
    const { domain } = deposit_typed_data as { domain: object }
    return {
      open: {
        channel_id,
        authorization,
        salt,
        signature: await signData(account, deposit_typed_data),
        voucher_signature: await signData(account, voucher_typed_data),
      },
      voucher: { session_id: '', cumulative_amount: '420000', signature: await voucher(420_000n) },
      topUp: {
        session_id: '',
        authorization: topUp,
        additional_deposit: '500000',
        salt: topUpSalt,
        signature: await signData(account, {
          domain,
          types: depositTypes,
          primaryType: 'ReceiveWithAuthorization',
          message: topUp,
        }),
      },
      close: { session_id: '', cumulative_amount: '210000', signature: await voucher(210_000n) },
    }
  }

  const story = async (where: Stop, database?: { url: string; schema: string }) => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-session-'))
    const payer = await makePayer(chain(), 5_000_000n)
    const publisher = `eip155:8453:${payer.address.toLowerCase()}`
    const worker = accountOf(0x5151)
    const place = { dir, worker, ...(database && { database }) }
    const terms = { task_id: '', rate_usd: '0.10', unit: 'hour', cap_usdc: '1' }
    const by = (name: string, input: Record<string, unknown>) => ({ account: publisher, name, input })
    stop = undefined
    const quoted = await run({ ...place, publisher, calls: [by('quote_session', terms)] })
    if (!quoted?.answers[0]) throw new Error('no quote')
    const signed = await signAll(payer, quoted.answers[0])
    const task = { ...terms, task_id: quoted.task_id }
    const calls = [
      by('open_session', { ...task, ...signed.open }),
      by('send_voucher', signed.voucher),
      by('top_up_session', signed.topUp),
      by('close_session', signed.close),
    ]
    stop = where
    expect(await run({ ...place, calls })).toBeUndefined()
    stop = undefined
    // The process after it finds what was begun, and the payer, who had no answer, does the same again.
    const outcome = await run({ ...place, aheadMs: 45_000, runsJobs: true })
    const [session] = outcome?.sessions ?? []
    expect(session).toMatchObject({ pending: null, problem: null })
    if (!session?.ended) {
      const id = { session_id: session?.id }
      const again = [calls[0], ...calls.slice(1).map(({ name, input }) => by(name, { ...input, ...id }))]
      await run({ ...place, aheadMs: 60_000, calls: again as ChildOrders['calls'], runsJobs: true })
    }
    const last = await run({ ...place, aheadMs: 90_000, publisher: undefined as never })
    const [settled] = last?.sessions ?? []
    expect(settled).toMatchObject({ state: 'settled', ended: true })
    expect(last?.sessions).toHaveLength(1)
    const amounts = Object.fromEntries(
      ['deposit', 'settled', 'refunded', 'earned', 'fee_taken', 'credited'].map(name => [
        name,
        BigInt(String(settled?.[name])),
      ]),
    ) as Record<string, bigint>
    const {
      deposit = 0n,
      settled: paid = 0n,
      refunded = 0n,
      earned = 0n,
      fee_taken = 0n,
      credited = 0n,
    } = amounts
    expect(paid + refunded).toBe(deposit)
    expect(earned + fee_taken + credited).toBe(paid)
    // One hour was begun; the rest is the payer's, on the chain or on the balance.
    expect([deposit, earned, fee_taken]).toEqual([1_500_000n, 100_000n, 5_000n])
    expect(await balanceOf(chain(), payer.address)).toBe(5_000_000n - paid)
    expect(BigInt(last?.balances.worker ?? 0)).toBe(earned)
    await rm(dir, { recursive: true, force: true })
  }

  test.each(sample(stops, 2))('%s: the session goes on, and all of the rest comes back', (_, where) =>
    story(where),
  )

  test.skipIf(!postgresIsHere).each(
    sample(
      stops.filter((_, at) => at % 3 === 1),
      1,
    ),
  )('%s: another replica on PostgreSQL goes on with it', (_, where) =>
    story(where, { url: url(), schema: freshSchema() }),
  )

  const moments: readonly [string, Stop][] = [
    ['before anything is asked', { what: 'eth_call', nth: 1, before: true }],
    ['when the balance is known', { what: 'eth_call', nth: 2, before: false }],
    ['before it is broadcast', { what: send, nth: 1, before: true }],
    ['after it is broadcast', { what: send, nth: 1, before: false }],
    ['when it is mined', { what: receipt, nth: 1, before: false }],
    ['when it is certain', { what: 'eth_call', nth: 3, before: false }],
    ['when its transaction is looked for', { what: 'eth_getLogs', nth: 1, before: true }],
  ]

  const withdrawal = async (where: Stop, database?: { url: string; schema: string }) => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-withdrawal-'))
    const house = await makePayer(chain(), 50_000_000n)
    await house.transfer((await chain().wallet(common.payoutKey)).address, 50_000_000n)
    const { address } = await makePayer(chain(), 0n)
    const worker = `eip155:8453:${address.toLowerCase()}`
    const place = { dir, worker, ...(database && { database }) }
    const calls = [{ account: worker, name: 'withdraw_funds', input: { amount_usd: '7.25' } }]
    stop = where
    const fund = { account: worker, micro: '8000000' }
    expect(await run({ ...place, fund, calls, runsJobs: true })).toBeUndefined()
    stop = undefined
    const line = await run({ ...place, aheadMs: 45_000, runsJobs: true })
    expect(line?.withdrawals).toMatchObject([{ state: 'sent', value: '7250000', to: address.toLowerCase() }])
    expect(line?.balances.worker).toBe('750000')
    expect(await balanceOf(chain(), address)).toBe(7_250_000n)
    const reader = await chain().reader()
    const transfers = await reader.getContractEvents({
      address: chain().network.token.address,
      abi,
      eventName: 'Transfer',
      args: { to: address },
      fromBlock: 0n,
    })
    expect(transfers).toHaveLength(1)
    await rm(dir, { recursive: true, force: true })
  }

  test.each(sample(moments, 2))('a withdrawal, %s: it is paid once', (_, where) => withdrawal(where))

  test.skipIf(!postgresIsHere).each(
    sample(
      moments.filter((_, at) => at % 3 === 2),
      1,
    ),
  )('a withdrawal, %s: another replica on PostgreSQL pays it once', (_, where) =>
    withdrawal(where, { url: url(), schema: freshSchema() }),
  )
})
