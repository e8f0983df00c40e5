import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestClient, http } from 'viem'
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { testUsdc } from '../../contracts/test-usdc.ts'
import { checkEvm } from '../../mcp/payment/checks/evm.ts'
import { checkPayee } from '../../mcp/payment/checks/payee.ts'
import { publishedAddresses } from '../../mcp/payment/checks/published-addresses.ts'
import { checkSvm } from '../../mcp/payment/checks/svm.ts'
import { watchNetwork } from '../../mcp/payment/checks/watch.ts'
import { openChain } from '../../mcp/ports/chain/chain.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { startAnvil } from '../../mcp/ports/devnet/anvil.ts'
import { findAnvil } from '../../mcp/ports/devnet/binary.ts'
import { base58 } from '../../mcp/ports/solnet/base58.ts'
import { toAddress } from '../../mcp/ports/solnet/keys.ts'
import { solanaNetworks } from '../../mcp/ports/solnet/network.ts'
import { openSolnet } from '../../mcp/ports/solnet/solnet.ts'
import { anvilBinary, onAnvil, openTestDevnet } from './evm-chain.ts'
import { serveFacilitator } from './facilitator-server.ts'
import { openRpcProxy } from './rpc-proxy.ts'
import { hasSolana } from './svm-world.ts'

const states = (findings: readonly { check: string; state: string }[]) =>
  Object.fromEntries(findings.map(({ check, state }) => [check, state]))

describe('what an operator sets', () => {
  const key = generatePrivateKey()
  const { address } = privateKeyToAccount(key)
  const settings = {
    payTo: address as string,
    refundKey: key as string,
    facilitatorKey: generatePrivateKey() as string,
    localAddresses: new Set<string>(),
  }
  const check = async (more: Partial<typeof settings>) => states(await checkPayee({ ...settings, ...more }))
  const fine = { OCTAGENT_PAY_TO: 'ok', OCTAGENT_REFUND_KEY: 'ok', OCTAGENT_FACILITATOR_KEY: 'ok' }

  test('is fine where everything fits', async () => expect(await check({})).toEqual(fine))

  test.each<[string, Partial<typeof settings>, keyof typeof fine]>([
    ['an address without its checksum', { payTo: address.toLowerCase() }, 'OCTAGENT_PAY_TO'],
    ['a refund key of somebody else', { refundKey: generatePrivateKey() }, 'OCTAGENT_REFUND_KEY'],
    [
      'a gas key that everybody knows',
      { facilitatorKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80' },
      'OCTAGENT_FACILITATOR_KEY',
    ],
    [
      'an address of a local chain of this folder',
      { localAddresses: new Set([address.toLowerCase()]) },
      'OCTAGENT_PAY_TO',
    ],
  ])('is wrong with %s', async (_, more, where) =>
    expect(await check(more)).toEqual({ ...fine, [where]: 'wrong' }),
  )

  test('is wrong with an address of a published key', async () => {
    const payTo = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
    expect(await check({ payTo })).toMatchObject({ OCTAGENT_PAY_TO: 'wrong' })
  })

  test('published addresses are those of the phrases that local chains print', () => {
    const derive = (words: string, count: number) =>
      Array.from({ length: count }, (_, addressIndex) =>
        mnemonicToAccount(words, { addressIndex }).address.toLowerCase(),
      )
    const expected = [
      ...derive(`${'test '.repeat(11)}junk`, 20),
      ...derive('myth like bonus scare over problem client lizard pioneer submit female collect', 10),
      ...derive('candy maple cake sugar pudding cream honey rich smooth crumble sweet treat', 10),
      ...Array.from({ length: 10 }, (_, at) =>
        privateKeyToAccount(`0x${(at + 1).toString(16).padStart(64, '0')}`).address.toLowerCase(),
      ),
    ]
    expect([...publishedAddresses]).toEqual(expected)
  })
})

onAnvil('an EVM network', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let proxy: Awaited<ReturnType<typeof openRpcProxy>>
  let rpc: string
  const gasKey = generatePrivateKey()
  beforeAll(async () => {
    net = await openTestDevnet()
    rpc = (await net.devnet.network('base')).rpc
    proxy = await openRpcProxy(rpc)
    const { address } = privateKeyToAccount(gasKey)
    await createTestClient({ mode: 'anvil', transport: http(rpc) }).setBalance({ address, value: 10n ** 18n })
  })
  afterEach(() => {
    proxy.knobs.interfere = () => undefined
  })
  afterAll(async () => {
    await proxy.close()
    await net.close()
  })

  const check = (at: string, key = gasKey) =>
    checkEvm({ chain: openChain({ network: networks.base, rpc: at }), facilitator: { key: async () => key } })

  test('is sound where it is what it says, and its gas is counted', async () => {
    const findings = await check(rpc)
    expect(states(findings)).toEqual({ 'chain id': 'ok', USDC: 'ok', blocks: 'ok', gas: 'ok' })
    expect(findings.find(({ check }) => check === 'gas')?.detail).toMatch(
      /has 1 ETH, enough for \d+ settlements/,
    )
  })

  test('is wrong where the node is of another chain, and the token is another', async () => {
    const { rpc: sepolia } = await net.devnet.network('base-sepolia')
    expect(states(await check(sepolia))).toMatchObject({ 'chain id': 'wrong', USDC: 'wrong' })
  })

  test('is wrong where its USDC has another name', async () => {
    const other = await startAnvil(await findAnvil(anvilBinary), networks.base.chainId)
    const chain = openChain({ network: networks.base, rpc: other.rpc, devnet: true })
    const anvil = createTestClient({ mode: 'anvil', transport: http(other.rpc) })
    const { encodeFunctionData } = await import('viem')
    const { address } = networks.base.token
    expect(states(await check(other.rpc))).toMatchObject({ 'chain id': 'ok', USDC: 'wrong' })
    await anvil.setCode({ address, bytecode: testUsdc.deployedBytecode })
    const wallet = await chain.wallet(gasKey)
    await anvil.setBalance({ address: wallet.address, value: 10n ** 18n })
    const data = encodeFunctionData({ abi: testUsdc.abi, functionName: 'initialize', args: ['USDC'] })
    await chain.confirm(await wallet.send({ to: address, data }), 10_000)
    const findings = await check(other.rpc)
    expect(states(findings)).toEqual({ 'chain id': 'ok', USDC: 'wrong', blocks: 'ok', gas: 'ok' })
    expect(findings.find(({ check }) => check === 'USDC')?.detail).toContain('"USD Coin", version 2')
    await other.stop()
  })

  test('fails where the signer has no gas, or the node does not answer, and tells nothing of the address', async () => {
    expect(states(await check(rpc, generatePrivateKey()))).toEqual({
      'chain id': 'ok',
      USDC: 'ok',
      blocks: 'ok',
      gas: 'failing',
    })
    proxy.knobs.interfere = () => ({ error: { code: -32005, message: 'rate limit of key SECRET' } })
    const findings = await check(proxy.url)
    expect(states(findings)).toEqual({
      'chain id': 'failing',
      USDC: 'failing',
      blocks: 'failing',
      gas: 'failing',
    })
    expect(JSON.stringify(findings)).not.toMatch(/SECRET|127\.0\.0\.1/)
  })

  test('asks facilitators elsewhere what they settle: one is enough', async () => {
    const never = { verify: async () => ({}), settle: async () => ({}) }
    const other = await serveFacilitator({ ...never, supported: [{ network: 'eip155:84532' }] })
    const fitting = await serveFacilitator({ ...never, supported: [{ network: 'eip155:8453' }] })
    const at = async (...urls: string[]) => {
      const remotes = urls.map(url => ({ url }))
      const findings = await checkEvm({
        chain: openChain({ network: networks.base, rpc }),
        facilitator: { remotes },
      })
      return findings.find(({ check }) => check === 'facilitator')
    }
    expect(await at(fitting.url)).toMatchObject({ state: 'ok' })
    expect(await at(other.url, fitting.url)).toMatchObject({ state: 'ok' })
    expect(await at(other.url)).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining('eip155:8453'),
    })
    expect(await at(other.url, 'http://127.0.0.1:9')).toMatchObject({ state: 'failing' })
    await other.close()
    await fitting.close()
  })
})

describe.runIf(await hasSolana())('a Solana cluster', () => {
  test('is what it says, or not', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-checks-'))
    const solnet = openSolnet({ dir })
    const keys = await solnet.keys()
    const settings = {
      network: solanaNetworks.devnet,
      rpc: await solnet.rpc(),
      payTo: toAddress(keys.payTo),
      refundKey: keys.payTo as string | undefined,
      facilitator: { key: keys.feePayer },
    }
    const check = async (more: object) => states(await checkSvm({ ...settings, ...more }))
    const fine = {
      cluster: 'ok',
      USDC: 'ok',
      OCTAGENT_SOLANA_PAY_TO: 'ok',
      fees: 'ok',
      OCTAGENT_SOLANA_REFUND_KEY: 'ok',
    }
    expect(await check({})).toEqual(fine)
    expect(await check({ network: solanaNetworks.mainnet })).toMatchObject({
      cluster: 'wrong',
      USDC: 'wrong',
      OCTAGENT_SOLANA_PAY_TO: 'failing',
    })
    expect(await check({ refundKey: keys.demo })).toEqual({ ...fine, OCTAGENT_SOLANA_REFUND_KEY: 'wrong' })
    expect(await check({ facilitator: { key: keys.demo } })).toEqual({ ...fine, fees: 'failing' })
    expect(await check({ payTo: base58(Buffer.alloc(32, 7)), refundKey: undefined })).toEqual({
      ...fine,
      OCTAGENT_SOLANA_PAY_TO: 'failing',
    })
    expect(await check({ rpc: 'http://127.0.0.1:9' })).toMatchObject({ cluster: 'failing', fees: 'failing' })
    await solnet.close()
    await rm(dir, { recursive: true, force: true })
  })
})

describe('a network that is looked at again and again', () => {
  const fine = [{ check: 'chain id', state: 'ok', detail: '1' } as const]
  const away = [{ check: 'chain id', state: 'failing', detail: 'it does not answer just now' } as const]
  const wrong = [{ check: 'chain id', state: 'wrong', detail: 'another' } as const]
  const open = (look: () => Promise<typeof fine | typeof away | typeof wrong>) =>
    watchNetwork({
      network: 'base',
      title: 'Base',
      look: async () => [...(await look())],
      pace: { okMs: 1, failingMs: 1 },
    })

  test('is off while a check fails, and comes back by itself', async () => {
    let now: typeof fine | typeof away = away
    const watch = open(async () => now)
    expect(await watch.problem()).toBe('Payments on Base are off: chain id: it does not answer just now.')
    now = fine
    await expect.poll(() => watch.problem()).toBeUndefined()
    now = away
    await expect.poll(() => watch.problem()).toContain('off')
    watch.close()
  })

  test('is not off for one hiccup, and at once for a wrong node', async () => {
    const looks: (typeof fine | typeof away | typeof wrong)[] = [fine, away, fine, away, fine, wrong]
    let count = 0
    const watch = open(async () => looks[count++] ?? wrong)
    const problems = new Set<string | undefined>()
    while (count <= looks.length) {
      problems.add(await watch.problem())
      await new Promise(setImmediate)
    }
    expect([...problems]).toEqual([undefined, 'Payments on Base are off: chain id: another.'])
    watch.close()
  })
})
