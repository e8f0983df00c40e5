// Costs: processes on a local chain, killed with -9 between states, on both stores.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { entryPoint08Abi, entryPoint08Address } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Receipt } from '../../../mcp/kernel/tool.ts'
import { openChains } from '../../../mcp/ports/chain/chains.ts'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { openSponsorChains, type SponsorChains } from '../../../mcp/services/money/gas/sponsor-chains.ts'
import { priceSponsorship, sellSponsorship } from '../../../mcp/services/money/gas/sponsorship.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import { openPostgres } from '../../../store/postgres/open.ts'
import { balanceOf, makePayer, onAnvil, openTestDevnet } from '../../payment/evm-chain.ts'
import { compile } from '../../store/compiled.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../../store/database.ts'
import { sample } from '../../stress.ts'
import { signSold, twoTransfers } from './gas.ts'

const database = withDatabase()
const program = compile('../services/money/gas-child')

type Line = {
  here?: true
  state?: string
  success?: boolean
  transaction_hash?: string
  transactions?: number
}

let net: Awaited<ReturnType<typeof openTestDevnet>>
let chains: SponsorChains
let keys: Record<string, string>
const clock = { now: () => new Date() }
const secret = { reveal: () => '' as const }

beforeAll(async () => {
  net = await openTestDevnet()
  const ports = openChains({
    devnet: net.devnet,
    node: () => undefined,
    shared: () => undefined,
    relayerKey: undefined,
  })
  keys = {
    'gas signer': await ports.localKey('gas signer'),
    'gas submitter': await ports.localKey('gas submitter'),
  }
  chains = openSponsorChains({
    chains: ports,
    clock,
    sponsor: '',
    signer: secret,
    submitter: secret,
    feeds: {},
    owners: [],
    maxAgeSeconds: 3_600,
  })
})
afterAll(() => net.close())

/** Runs the program with an operation; it is killed with -9 where it stops. */
const live = async (
  args: readonly string[],
  input: object,
  more: NodeJS.ProcessEnv = {},
): Promise<Line | undefined> => {
  const env = { ...process.env, ...more }
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env })
  child.stdin.end(JSON.stringify(input, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
  let last: Line | undefined
  for await (const text of createInterface({ input: child.stdout })) {
    last = JSON.parse(text) as Line
    if (last.here) child.kill('SIGKILL')
  }
  return last
}

/** An operation that is sold and signed, and its account. */
const sell = async (store: Store) => {
  const chain = net.devnet.chain('base')
  const account = privateKeyToAccount(generatePrivateKey())
  const payer = await makePayer(chain)
  const to = privateKeyToAccount(generatePrivateKey()).address
  const reader = await chain.reader()
  await reader.waitForTransactionReceipt({ hash: await payer.transfer(account.address, 5_000_000n) })
  const usdc = chain.network.token.address
  const request = { sender: account.address, calls: twoTransfers(usdc, to) }
  const deps = { store, clock, chains, maxUsd: 5 }
  await priceSponsorship(deps, request)
  const receipt: Receipt = { id: 'r', method: 'm', network: 'n', transaction: 't', payer: 'p' }
  const sold = await sellSponsorship(
    deps,
    {
      receipt,
      commit: work => store.transaction(work),
      decline: async work => {
        throw (await store.transaction(work)).refusal
      },
    },
    request,
  )
  return { rpc: (await net.devnet.network('base')).rpc, keys, to, sold, ...(await signSold(account, sold)) }
}

const arrived = (to: string) => balanceOf(net.devnet.chain('base'), to)

/** How often the chain carried an operation out. */
const countMined = async (userOpHash: string) => {
  const reader = await net.devnet.chain('base').reader()
  const logs = await reader.getContractEvents({
    address: entryPoint08Address,
    abi: entryPoint08Abi,
    eventName: 'UserOperationEvent',
    args: { userOpHash: userOpHash as `0x${string}` },
    fromBlock: 0n,
  })
  return logs.length
}

const later = { GAS_LATER_MS: '61000' }

onAnvil('a process that is killed with -9', () => {
  test.each(sample(['leased', 'signed', 'written', 'broadcast', 'mined'], 2))(
    'when an operation is %s leaves it to the next one, which carries it out once',
    async place => {
      const dir = await mkdtemp(join(tmpdir(), 'octagent-gas-'))
      const store = await openEmbedded({ dir: join(dir, 'store') })
      const input = await sell(store)
      await store.close()
      expect(await live([dir, 'submit', place], input)).toEqual({ here: true })
      const after = await live([dir, 'resume'], input, later)
      expect(after).toMatchObject({ state: 'mined', success: true })
      expect(await live([dir, 'submit'], input, later)).toEqual(after)
      expect(await arrived(input.to)).toBe(3_000_000n)
      expect(await countMined(input.sold.user_op_hash)).toBe(1)
      await rm(dir, { recursive: true, force: true })
    },
  )

  test.skipIf(!postgresIsHere)(
    'is followed by another replica once its lease is over, and not before',
    async () => {
      const env = { GAS_DATABASE: database(), GAS_SCHEMA: freshSchema() }
      const store = await openPostgres({ url: env.GAS_DATABASE, schema: env.GAS_SCHEMA })
      const input = await sell(store)
      expect(await live(['', 'submit', 'written'], input, env)).toEqual({ here: true })
      expect(await live(['', 'submit'], input, env)).toMatchObject({ state: 'submitted', transactions: 1 })
      expect(await arrived(input.to)).toBe(0n)
      expect(await live(['', 'submit'], input, { ...env, ...later })).toMatchObject({ state: 'mined' })
      expect(await arrived(input.to)).toBe(3_000_000n)
      await store.close()
    },
  )

  test.skipIf(!postgresIsHere)('two replicas that get the same signature at once send it once', async () => {
    const env = { GAS_DATABASE: database(), GAS_SCHEMA: freshSchema() }
    const store = await openPostgres({ url: env.GAS_DATABASE, schema: env.GAS_SCHEMA })
    const input = await sell(store)
    await Promise.all([1, 2, 3].map(() => live(['', 'submit'], input, env)))
    expect(await live(['', 'submit'], input, { ...env, ...later })).toMatchObject({
      state: 'mined',
      transactions: 1,
    })
    expect(await countMined(input.sold.user_op_hash)).toBe(1)
    await store.close()
  })

  test.skipIf(!postgresIsHere)('replicas with one wallet submit operations of several accounts', async () => {
    const env = { GAS_DATABASE: database(), GAS_SCHEMA: freshSchema() }
    const store = await openPostgres({ url: env.GAS_DATABASE, schema: env.GAS_SCHEMA })
    const inputs = [await sell(store), await sell(store), await sell(store)]
    await Promise.all(inputs.map(input => live(['', 'submit'], input, env)))
    for (const input of inputs) {
      let answer: Line | undefined
      // On a busy machine one visit may end before the block that it waits for; the next comes after its lease.
      for (let visit = 1; visit <= 10 && answer?.state !== 'mined'; visit++)
        answer = await live(['', 'resume'], input, { ...env, GAS_LATER_MS: String(61_000 * visit) })
      expect(answer).toMatchObject({ state: 'mined', success: true })
      expect(await arrived(input.to)).toBe(3_000_000n)
    }
    await store.close()
  })
})
