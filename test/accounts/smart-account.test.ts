import {
  concatHex,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getCreate2Address,
  type Hex,
  numberToHex,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { testWallet } from '../../contracts/test-wallet.ts'
import { testWalletFactory } from '../../contracts/test-wallet-factory.ts'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import type { Chain } from '../../mcp/ports/chain/port.ts'
import { openEvm } from '../../mcp/ports/evm/evm.ts'
import { anvilClient, makePayer, onAnvil, openTestDevnet } from '../payment/evm-chain.ts'
import { openRpcProxy } from '../payment/rpc-proxy.ts'
import { beginWallet, openBrowserless, openPages, type Pages, signInWith } from './pages.ts'

const wrapper = `0x${'6492'.repeat(16)}` as const
const create2: Hex = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

onAnvil('a smart account', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let chain: Chain
  let proxy: Awaited<ReturnType<typeof openRpcProxy>>
  let payer: Awaited<ReturnType<typeof makePayer>>
  let factory: Hex
  let pages: Pages
  beforeAll(async () => {
    net = await openTestDevnet()
    chain = net.devnet.chain('base')
    payer = await makePayer(chain, 0n)
    proxy = await openRpcProxy((await net.devnet.network('base')).rpc)
    const rpc = { base: [{ reveal: () => proxy.url }] } as never
    pages = await openPages({ evm: openEvm({ rpc }) })
    const salt = numberToHex(0, { size: 32 })
    const code = encodeDeployData(testWalletFactory)
    await mined(await payer.send(concatHex([salt, code]), create2))
    factory = getCreate2Address({ from: create2, salt, bytecode: code })
  })
  beforeEach(() => {
    pages.clock.pass(86_400)
    proxy.knobs.interfere = () => undefined
  })
  afterAll(async () => {
    await pages?.stop()
    await proxy?.close()
    await net?.close()
  })

  const mined = async (hash: Hex) => (await chain.reader()).waitForTransactionReceipt({ hash })
  const person = () => privateKeyToAccount(generatePrivateKey())

  const createCall = (owner: Hex): Hex =>
    encodeFunctionData({ abi: testWalletFactory.abi, functionName: 'create', args: [owner] })

  const walletOf = async (owner: Hex): Promise<Hex> =>
    (await chain.reader()).readContract({
      address: factory,
      abi: testWalletFactory.abi,
      functionName: 'walletOf',
      args: [owner],
    })

  const deployed = async (owner: Hex): Promise<Hex> => {
    await mined(await payer.send(createCall(owner), factory))
    return walletOf(owner)
  }

  /** An account that its owner signs for. */
  const signerFor = (address: Hex, owner: PrivateKeyAccount) => ({
    address,
    signMessage: ({ message }: { message: string }) => owner.signMessage({ message }),
  })

  /** A signature that says how its account is made (ERC-6492). */
  const planned = (address: Hex, owner: PrivateKeyAccount) => ({
    address,
    signMessage: async ({ message }: { message: string }) =>
      concatHex([
        encodeAbiParameters(
          [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
          [factory, createCall(owner.address), await owner.signMessage({ message })],
        ),
        wrapper,
      ]),
  })

  test('signs in by its own word (ERC-1271), as the account of that chain alone', async () => {
    const owner = person()
    const wallet = await deployed(owner.address)
    const signedIn = await signInWith(openBrowserless(pages), signerFor(wallet, owner))
    expect(signedIn.status).toBe(200)
    const key = await accountKeysIn(pages.deps.store).get(`wallet:8453:${wallet.toLowerCase()}`)
    expect(key?.name).toMatch(/^Wallet 0x\w{6}…\w{6} on Base$/)
    expect((await signInWith(openBrowserless(pages), signerFor(wallet, person()))).status).toBe(401)
    // No chain that is asked is no proof, and another chain has no such account.
    expect(
      (await signInWith(openBrowserless(pages), signerFor(wallet, owner), { chain_id: 99 })).status,
    ).toBe(401)
    expect(await accountKeysIn(pages.deps.store).get(`wallet:${wallet.toLowerCase()}`)).toBeUndefined()
  })

  test('that is planned signs in by its factory (ERC-6492), and later by itself, to one account', async () => {
    const owner = person()
    const wallet = await walletOf(owner.address)
    expect((await signInWith(openBrowserless(pages), signerFor(wallet, owner))).status).toBe(401)
    expect((await signInWith(openBrowserless(pages), planned(wallet, owner))).status).toBe(200)
    const before = await accountKeysIn(pages.deps.store).count()
    await deployed(owner.address)
    expect((await signInWith(openBrowserless(pages), signerFor(wallet, owner))).status).toBe(200)
    expect(await accountKeysIn(pages.deps.store).count()).toBe(before)
    expect((await signInWith(openBrowserless(pages), planned(wallet, person()))).status).toBe(401)
  })

  test('whose chain does not answer is asked to start again, and its attempt is used up', async () => {
    const owner = person()
    const wallet = await deployed(owner.address)
    const browser = openBrowserless(pages)
    const { id, message } = await beginWallet(browser, { address: wallet })
    const body = { id, signature: await owner.signMessage({ message }) }
    proxy.knobs.interfere = ({ method }) => (method.startsWith('eth_') ? 'broken' : undefined)
    const refused = await browser.ask('/auth/wallet/finish', { body })
    expect([refused.status, refused.json().detail]).toEqual([
      502,
      expect.stringContaining('does not answer just now'),
    ])
    proxy.knobs.interfere = () => undefined
    expect((await browser.ask('/auth/wallet/finish', { body })).status).toBe(410)
    expect((await signInWith(browser, signerFor(wallet, owner))).status).toBe(200)
  })

  test('is not asked while the key of the address itself has signed', async () => {
    const key = person()
    proxy.knobs.interfere = () => 'broken'
    expect((await signInWith(openBrowserless(pages), key)).status).toBe(200)
    // Nor does the chain's word for the same address become the same key.
    proxy.knobs.interfere = () => undefined
    const anvil = await anvilClient(chain)
    await anvil.setCode({ address: key.address, bytecode: testWallet.deployedBytecode })
    expect((await signInWith(openBrowserless(pages), signerFor(key.address, person()))).status).toBe(401)
  })

  test('cannot be claimed by the key of an address without code, in whatever wrapper', async () => {
    const victim = person()
    const thief = person()
    expect((await signInWith(openBrowserless(pages), planned(victim.address, thief))).status).toBe(401)
    expect((await signInWith(openBrowserless(pages), planned(victim.address, victim))).status).toBe(401)
  })
})
