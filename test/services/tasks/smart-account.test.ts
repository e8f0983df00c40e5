import { createHash } from 'node:crypto'
import {
  concatHex,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  numberToHex,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testWallet } from '../../../contracts/test-wallet.ts'
import { testWalletFactory } from '../../../contracts/test-wallet-factory.ts'
import type { Chain } from '../../../mcp/ports/chain/port.ts'
import { openEvm } from '../../../mcp/ports/evm/evm.ts'
import { identifySigner } from '../../../mcp/services/tasks/signature.ts'
import { anvilClient, makePayer, onAnvil, openTestDevnet } from '../../payment/evm-chain.ts'
import { openRpcProxy } from '../../payment/rpc-proxy.ts'
import { openTestWorld, type TestWorld } from '../../world.ts'
import { signRequest } from './signing.ts'

const wrapper = `0x${'6492'.repeat(16)}` as const
const moods = { honest: 0, reverts: 1, saysTrue: 2, saysLittle: 3, loops: 4, agreesToAll: 5 } as const
const body = '{"hello":"world"}'
const url = 'https://api.example/items'

/** A signature that says how its account is made (ERC-6492). */
const wrap = (factory: Hex, call: Hex, signature: Hex): Hex =>
  concatHex([
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
      [factory, call, signature],
    ),
    wrapper,
  ])

type SignedBy = (base: string) => Promise<Hex>

onAnvil('requests that a smart account signs', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let chain: Chain
  let world: TestWorld
  let proxy: Awaited<ReturnType<typeof openRpcProxy>>
  let factory: Hex
  let payer: Awaited<ReturnType<typeof makePayer>>
  beforeAll(async () => {
    net = await openTestDevnet()
    chain = net.devnet.chain('base')
    world = await openTestWorld()
    payer = await makePayer(chain, 0n)
    proxy = await openRpcProxy((await net.devnet.network('base')).rpc)
    factory = await deploy(encodeDeployData(testWalletFactory))
  })
  afterAll(async () => {
    await proxy?.close()
    await world?.stop()
    await net?.close()
  })

  const create2: Hex = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

  const mined = async (hash: Hex) => (await chain.reader()).waitForTransactionReceipt({ hash })

  const deploy = async (code: Hex): Promise<Hex> => {
    const { getCreate2Address } = await import('viem')
    const salt = numberToHex(0, { size: 32 })
    await mined(await payer.send(concatHex([salt, code]), create2))
    return getCreate2Address({ from: create2, salt, bytecode: code })
  }

  const createCall = (owner: Hex): Hex =>
    encodeFunctionData({ abi: testWalletFactory.abi, functionName: 'create', args: [owner] })

  const walletOf = async (owner: Hex): Promise<Hex> =>
    (await chain.reader()).readContract({
      address: factory,
      abi: testWalletFactory.abi,
      functionName: 'walletOf',
      args: [owner],
    })

  const create = async (owner: Hex): Promise<Hex> => {
    await mined(await payer.send(createCall(owner), factory))
    return walletOf(owner)
  }

  const setMood = async (wallet: Hex, mood: number) => {
    const data = encodeFunctionData({ abi: testWallet.abi, functionName: 'setMood', args: [mood] })
    await mined(await payer.send(data, wallet))
  }

  const openRequest = async (address: Hex, signedBy: SignedBy, chainId = 8453) => {
    const signer = { address, signMessage: ({ message }: { message: string }) => signedBy(message) }
    const headers = await signRequest(signer, url, {
      method: 'POST',
      body,
      contentType: 'application/json',
      chainId,
    })
    return () => send(headers)
  }

  const send = async (headers: Record<string, string>) => {
    const evm = openEvm({
      rpc: {
        eth: [],
        base: [{ reveal: () => proxy.url }],
        arbitrum: [],
        optimism: [],
        polygon: [],
      } as never,
    })
    const { store, clock } = world.ports
    const ports = { store, clock, evm, contractAccounts: ['base'], olderSignatures: true }
    const digest = () => createHash('sha256').update(body).digest('base64')
    const request = {
      method: 'POST',
      url: '/items',
      headers: { host: 'api.example', ...headers },
      digest,
      site: 'https://api.example',
    }
    try {
      return await identifySigner.run(ports as never, { value: headers.signature ?? '', request } as never)
    } catch (error) {
      const { code, message, extra, retryable } = error as {
        code: string
        message: string
        extra: { reason: string; retryAfter?: number }
        retryable?: boolean
      }
      return { code, message, reason: extra.reason, retryAfter: extra.retryAfter, retryable }
    }
  }

  const ask = async (address: Hex, signedBy: SignedBy, chainId?: number) =>
    (await openRequest(address, signedBy, chainId))()

  const person = () => privateKeyToAccount(generatePrivateKey())
  const by =
    (account: PrivateKeyAccount): SignedBy =>
    message =>
      account.signMessage({ message })
  const accepted = (address: Hex) => ({ id: `eip155:8453:${address.toLowerCase()}`, via: 'erc8128' })
  const bad = { code: 'unauthenticated', reason: 'bad_signature' }

  describe('that is deployed (ERC-1271)', () => {
    test('is known by the signature of its owner, once', async () => {
      const owner = person()
      const wallet = await create(owner.address)
      const request = await openRequest(wallet, by(owner))
      expect(await request()).toEqual(accepted(wallet))
      expect(await request()).toMatchObject({ reason: 'nonce_reused' })
    })

    test('is not known by another key', async () => {
      const wallet = await create(person().address)
      expect(await ask(wallet, by(person()))).toMatchObject(bad)
    })

    test('says what counts, though the key of its own address signed: there is no way back to ECDSA', async () => {
      const key = person()
      const anvil = await anvilClient(chain)
      expect(await ask(key.address, by(key))).toEqual(accepted(key.address))
      await anvil.setCode({ address: key.address, bytecode: testWallet.deployedBytecode })
      expect(await ask(key.address, by(key))).toMatchObject(bad)
    })

    test.each([
      ['reverts', moods.reverts],
      ['answers true', moods.saysTrue],
      ['answers with four bytes', moods.saysLittle],
      ['never ends', moods.loops],
    ])('is not known when it %s', async (_, mood) => {
      const owner = person()
      const wallet = await create(owner.address)
      await setMood(wallet, mood)
      expect(await ask(wallet, by(owner))).toMatchObject(bad)
    })

    test('may agree to what nobody signed: that is its own affair', async () => {
      const wallet = await create(person().address)
      await setMood(wallet, moods.agreesToAll)
      expect(await ask(wallet, async () => '0x01')).toEqual(accepted(wallet))
    })

    test('is not asked on a chain that is not served', async () => {
      const owner = person()
      const wallet = await create(owner.address)
      expect(await ask(wallet, by(owner), 42161)).toMatchObject({
        ...bad,
        message: expect.stringContaining('for eip155:8453 alone'),
      })
      const long: SignedBy = async () => `0x${'00'.repeat(80)}`
      expect(await ask(wallet, long, 42161)).toMatchObject({ reason: 'unsupported_account' })
    })
  })

  describe('that is not deployed yet (ERC-6492)', () => {
    const wrapped =
      (
        owner: PrivateKeyAccount,
        { to = factory, call = createCall(owner.address) }: { to?: Hex; call?: Hex } = {},
      ): SignedBy =>
      async message =>
        wrap(to, call, await owner.signMessage({ message }))

    test('is known by what its factory would make, and nothing is deployed', async () => {
      const owner = person()
      const wallet = await walletOf(owner.address)
      expect(await ask(wallet, wrapped(owner))).toEqual(accepted(wallet))
      expect(await (await chain.reader()).getCode({ address: wallet })).toBeUndefined()
    })

    test('is known by either form once it is deployed', async () => {
      const owner = person()
      const wallet = await create(owner.address)
      expect(await ask(wallet, wrapped(owner))).toEqual(accepted(wallet))
      expect(await ask(wallet, by(owner))).toEqual(accepted(wallet))
    })

    test('is not known by the signature of its owner alone', async () => {
      const owner = person()
      expect(await ask(await walletOf(owner.address), by(owner))).toMatchObject(bad)
    })

    test('is not known by another owner', async () => {
      const owner = person()
      const wallet = await walletOf(owner.address)
      const thief = person()
      const call = createCall(owner.address)
      expect(await ask(wallet, wrapped(thief, { to: factory, call }))).toMatchObject(bad)
      expect(await ask(wallet, wrapped(thief))).toMatchObject(bad)
    })

    test('is not known when its factory makes something else, nothing, or fails', async () => {
      const owner = person()
      const wallet = await walletOf(owner.address)
      const elsewhere = createCall(person().address)
      const calls: [Hex, Hex][] = [
        [factory, elsewhere],
        [factory, '0xdeadbeef'],
        [person().address, '0x'],
      ]
      for (const [to, call] of calls)
        expect(await ask(wallet, wrapped(owner, { to, call }))).toMatchObject(bad)
    })

    test('is no way back to ECDSA: the key of an address without code proves nothing in a wrapper', async () => {
      const key = person()
      const nothing = { to: person().address, call: '0x' as const }
      expect(await ask(key.address, wrapped(key, nothing))).toMatchObject(bad)
    })

    test.each([
      ['nothing before the mark', wrapper],
      ['words that are no arguments', concatHex([`0x${'ff'.repeat(96)}`, wrapper])],
      ['a cut signature', `0x${'00'.repeat(64)}${wrapper.slice(2)}`],
    ] as [string, Hex][])('is not known by %s', async (_, signature) => {
      const owner = person()
      expect(await ask(await walletOf(owner.address), async () => signature)).toMatchObject(bad)
    })
  })

  describe('while the chain does not answer', () => {
    const unavailable = { code: 'unavailable', reason: 'signature_verification_unavailable', retryAfter: 5 }
    const failures: [string, () => ReturnType<typeof proxy.knobs.interfere>][] = [
      ['a connection breaks', () => 'broken'],
      ['a node is over its limit', () => ({ error: { code: -32005, message: 'rate limit exceeded' } })],
      ['a node has an error of its own', () => ({ error: { code: -32603, message: 'internal error' } })],
      ['a node answers null', () => ({ result: null })],
      ['a node answers nonsense', () => ({ result: { code: '0x' } })],
    ]

    test.each(failures)('%s: nobody is known, and the same request works later', async (_, fail) => {
      const owner = person()
      const key = person()
      const deployed = await create(owner.address)
      const planned = person()
      const wallet = await walletOf(planned.address)
      const requests = [
        [await openRequest(deployed, by(owner)), accepted(deployed)],
        [await openRequest(key.address, by(key)), accepted(key.address)],
        [
          await openRequest(wallet, async message =>
            wrap(factory, createCall(planned.address), await planned.signMessage({ message })),
          ),
          accepted(wallet),
        ],
      ] as const
      for (const [request, caller] of requests) {
        proxy.knobs.interfere = ({ method }) =>
          method === 'eth_getCode' || method === 'eth_call' ? fail() : undefined
        expect(await request()).toMatchObject(unavailable)
        proxy.knobs.interfere = () => undefined
        expect(await request()).toEqual(caller)
      }
    })

    test('the key of a contract is not believed because its code cannot be read', async () => {
      const key = person()
      const anvil = await anvilClient(chain)
      await anvil.setCode({ address: key.address, bytecode: testWallet.deployedBytecode })
      const request = await openRequest(key.address, by(key))
      proxy.knobs.interfere = ({ method }) =>
        method === 'eth_getCode' ? { error: { code: -32000, message: 'header not found' } } : undefined
      expect(await request()).toMatchObject(unavailable)
      proxy.knobs.interfere = () => undefined
      expect(await request()).toMatchObject(bad)
    })
  })
})
