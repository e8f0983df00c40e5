import { fileURLToPath } from 'node:url'
import {
  type Abi,
  createWalletClient,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  http,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDevnetKeys } from '../../../mcp/ports/devnet/keys.ts'
import { compile } from '../../payment/compile.ts'
import { abi, anvilClient, balanceOf, onAnvil } from '../../payment/evm-chain.ts'
import { type Buyer, openBuyer, type Prepared } from './buyer.ts'
import { type App, asking, startSelling } from './shop.ts'

const source = fileURLToPath(new URL('../../payment/Accounts.sol', import.meta.url))
const call = (of: Abi, functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: of, functionName, args } as EncodeFunctionDataParameters)

onAnvil('route intelligence paid through contracts', () => {
  let app: App
  let buyer: Buyer
  let ask: ReturnType<typeof asking>
  let contract: Awaited<ReturnType<typeof compile>>
  let deploy: (name: string, args?: readonly unknown[]) => Promise<Hex>
  let delegate: (owner: PrivateKeyAccount, implementation: Hex) => Promise<void>
  let forwarder: Hex

  beforeAll(async () => {
    app = await startSelling()
    ask = asking(app)
    buyer = await openBuyer(app)
    contract = await compile(source)
    const rpc = await app.devnetRpc('base')
    const { demo } = await openDevnetKeys(app.dir)
    const wallet = createWalletClient({
      account: privateKeyToAccount(demo),
      transport: http(rpc, { retryCount: 0 }),
    })
    const mined = async (hash: Hex) => buyer.reader.waitForTransactionReceipt({ hash })
    deploy = async (name, args = []) => {
      const { contractAddress } = await mined(
        await wallet.deployContract({ ...contract(name), args, chain: null } as never),
      )
      if (!contractAddress) throw new Error(`${name} was not deployed`)
      return contractAddress
    }
    delegate = async (owner, contractAddress) => {
      const authorization = await owner.signAuthorization({ contractAddress, chainId: 8453, nonce: 0 })
      const sent = { to: buyer.account.address, data: '0x', authorizationList: [authorization], chain: null }
      await mined(await wallet.sendTransaction(sent as never))
    }
    forwarder = await deploy('Forwarder')
  })
  afterAll(() => app.stop())

  const prepare = async (): Promise<Prepared> => {
    const { status, body } = await ask.buy()
    expect(status).toBe(402)
    return (body as unknown as { params: Prepared }).params
  }
  const prove = ({ purchase_id }: Prepared, transaction_hash: string) =>
    ask.buy({ purchase_id, transaction_hash })
  const token = () => buyer.chain.network.token.address
  const mint = (to: Hex) => buyer.send(token(), call(abi as Abi, 'mint', [to, 1_000_000n]))

  type Terms = { from?: Hex; to?: string; value?: string; signer?: PrivateKeyAccount }

  /** The transfer that a 402 asks for as calldata of the token, with a signature of any length. */
  const transferBy = async (prepared: Prepared, terms: Terms = {}): Promise<Hex> => {
    const { domain, types, primaryType, message } = prepared.authorization
    const { signer = buyer.account, from = signer.address, ...changes } = terms
    const asked = { ...message, ...changes, from }
    const signature = await signer.signTypedData({
      domain,
      types,
      primaryType,
      message: {
        ...asked,
        value: BigInt(asked.value),
        validAfter: BigInt(asked.validAfter),
        validBefore: BigInt(asked.validBefore),
      },
    })
    const { to, value, validAfter, validBefore, nonce } = asked
    const args = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature]
    return call(abi as Abi, 'transferWithAuthorization', args)
  }
  const forward = (...calls: { to: Hex; data: Hex }[]) =>
    buyer.send(forwarder, call(contract('Forwarder').abi, 'forward', [calls]))

  test('by a forwarder counts', async () => {
    const prepared = await prepare()
    const hash = await forward({ to: token(), data: await transferBy(prepared) })
    const { status, body } = await prove(prepared, hash)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      state: 'entitled',
      payment: { transaction_hash: hash, payer: buyer.account.address.toLowerCase() },
    })
  })

  test('by a smart account, carried in a bundle of somebody else, counts for the account', async () => {
    const owner = privateKeyToAccount(generatePrivateKey())
    const account = await deploy('Account', [owner.address])
    const entryPoint = await deploy('EntryPoint')
    await mint(account)
    const prepared = await prepare()
    const data = await transferBy(prepared, { signer: owner, from: account })
    const operations = [{ account, to: token(), data }]
    const hash = await buyer.send(entryPoint, call(contract('EntryPoint').abi, 'handleOps', [operations]))
    expect(await prove(prepared, hash)).toMatchObject({
      status: 200,
      body: { state: 'entitled', payment: { payer: account.toLowerCase() } },
    })
  })

  test('by an ordinary account with code (EIP-7702) counts', async () => {
    const owner = privateKeyToAccount(generatePrivateKey())
    await delegate(owner, await deploy('Account', [owner.address]))
    expect(await buyer.reader.getCode({ address: owner.address })).toMatch(/^0xef0100/)
    await mint(owner.address)
    const prepared = await prepare()
    const data = await transferBy(prepared, { signer: owner })
    const execute = call(contract('Account').abi, 'execute', [token(), data])
    const hash = await buyer.send(owner.address, execute)
    expect(await prove(prepared, hash)).toMatchObject({
      status: 200,
      body: { state: 'entitled', payment: { payer: owner.address.toLowerCase() } },
    })
  })

  test('two in one transaction count once each', async () => {
    const [one, other, third] = [await prepare(), await prepare(), await prepare()]
    const payTo = one.quote.pay_to as Hex
    const before = await balanceOf(buyer.chain, payTo)
    const hash = await forward(
      { to: token(), data: await transferBy(one) },
      { to: token(), data: await transferBy(other) },
    )
    const all = await Promise.all([one, other, one, other].map(prepared => prove(prepared, hash)))
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(all.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(2)
    expect(new Set(all.map(({ body }) => body.purchase_id)).size).toBe(2)
    expect(await prove(third, hash)).toMatchObject({ status: 409, body: { reason: 'payment_rejected' } })
    expect(await balanceOf(buyer.chain, payTo)).toBe(before + 100_000n)
  })

  test('counts although a stranger used the same nonce in the same transaction', async () => {
    const stranger = privateKeyToAccount(generatePrivateKey())
    const prepared = await prepare()
    const aside = await transferBy(prepared, { signer: stranger, to: stranger.address, value: '0' })
    const hash = await forward(
      { to: token(), data: aside },
      { to: token(), data: await transferBy(prepared) },
    )
    expect(await prove(prepared, hash)).toMatchObject({
      status: 200,
      body: { payment: { payer: buyer.account.address.toLowerCase() } },
    })
  })

  test.each([
    ['a token that only says so', false, /nonce/],
    ['a token that says so beside a payment to somebody else', true, /recipient/],
  ])('is not given for %s', async (_, alsoReal, why) => {
    const fake = await deploy('FakeToken')
    const prepared = await prepare()
    const { nonce } = prepared.authorization.message
    const told = [buyer.account.address, prepared.quote.pay_to, 50_000n, nonce]
    const pretend = { to: fake, data: call(contract('FakeToken').abi, 'pretend', told) }
    const aside = { to: token(), data: await transferBy(prepared, { to: buyer.account.address }) }
    const hash = await forward(...(alsoReal ? [aside, pretend] : [pretend]))
    expect(await prove(prepared, hash)).toMatchObject({
      status: 409,
      body: { reason: 'payment_rejected', detail: expect.stringMatching(why) },
    })
  })

  test('is not given for an authorization over less with the rest sent beside it', async () => {
    const prepared = await prepare()
    const hash = await forward(
      { to: token(), data: await transferBy(prepared, { value: '1' }) },
      { to: token(), data: call(abi as Abi, 'mint', [prepared.quote.pay_to, 50_000n]) },
    )
    expect(await prove(prepared, hash)).toMatchObject({
      status: 409,
      body: { reason: 'payment_owed', detail: expect.stringMatching(/amount/), charged: true },
    })
  })

  test('is not given for a transaction that was reverted on its way', async () => {
    const prepared = await prepare()
    const data = await transferBy(prepared)
    const calls = [
      { to: token(), data },
      { to: token(), data },
    ]
    const twice = call(contract('Forwarder').abi, 'forward', [calls])
    const hash = await buyer.send(forwarder, twice, 500_000n)
    expect(await prove(prepared, hash)).toMatchObject({
      status: 409,
      body: { reason: 'payment_rejected', detail: expect.stringMatching(/reverted/) },
    })
    await (await anvilClient(buyer.chain)).mine({ blocks: 1 })
  })
})
