import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anvilClient, onAnvil } from '../../payment/evm-chain.ts'
import { type Gas, shop, signSold, startGas, twoTransfers } from './gas.ts'

let gas: Gas
let offset = 0
const clock = { now: () => new Date(Date.now() + offset) }
beforeAll(async () => {
  gas = await startGas({ ports: { clock } })
})
afterAll(() => gas.stop())

type User = Awaited<ReturnType<Gas['makeUser']>>

const delegateTo = async (user: User, code: Hex) =>
  (await anvilClient(gas.chain)).setCode({
    address: user.address,
    bytecode: `0xef0100${code.slice(2)}`,
  })

const requestOf = (user: User) => ({ sender: user.address, calls: twoTransfers(gas.usdc) })

const buy = async (user: User, request: object = requestOf(user)) => {
  const sold = await gas.post(request, user.fetch)
  expect(sold.body).toMatchObject({ state: 'paid' })
  return sold.body as {
    id: string
    user_op_hash: string
    typed_data: { message: object }
    userOperation: object
  }
}

const carryOut = async (user: User, request: object = requestOf(user)) =>
  gas.post(await signSold(user.account, await buy(user, request)))

const dollars = 20_000_000n

onAnvil('what an account is', () => {
  test('one that delegated with its first operation needs to sign no second delegation', async () => {
    const user = await gas.makeUser()
    expect((await carryOut(user)).body).toMatchObject({ state: 'mined', success: true })
    const sold = await gas.post(requestOf(user), user.fetch)
    expect(sold.body).toMatchObject({ authorization: null, state: 'paid' })
    const done = await gas.post(await signSold(user.account, sold.body))
    expect(done.body).toMatchObject({ state: 'mined', success: true })
    const receipt = await gas.reader.getTransactionReceipt({ hash: done.body.transaction_hash as Hex })
    expect(BigInt(String(done.body.gas_used))).toBeGreaterThanOrEqual(receipt.gasUsed)
  })

  test('one that delegates elsewhere is refused unless it says redelegate, and nothing is charged', async () => {
    const user = await gas.makeUser()
    await delegateTo(user, shop)
    const refused = await gas.post(requestOf(user), user.fetch)
    expect(refused).toMatchObject({
      status: 409,
      body: { reason: 'already_delegated', charged: false, params: { current: shop } },
    })
    expect(await gas.balance(user.address)).toBe(dollars)
    // Its code answers for no signature, so that somebody else has to pay.
    const payer = await gas.makeUser()
    const sold = await gas.post({ ...requestOf(user), redelegate: true }, payer.fetch)
    expect(sold.body).toMatchObject({ state: 'paid', authorization: { nonce: 0 } })
    const done = await gas.post(await signSold(user.account, sold.body))
    expect(done.body).toMatchObject({ state: 'mined', success: true })
  })

  test('a contract is told to send its own user operation', async () => {
    const user = await gas.makeUser()
    const answer = await gas.post({ ...requestOf(user), sender: gas.usdc })
    expect(answer).toMatchObject({ status: 409, body: { reason: 'send_user_operation' } })
    expect(answer.body.hint).toContain('userOperation')
  })
})

onAnvil('what would not work is refused before anybody pays', () => {
  test('calls that revert, with the number of the call and its reason', async () => {
    const user = await gas.makeUser()
    const calls = twoTransfers(gas.usdc, shop, [1n, 999_000_000n])
    const answer = await gas.post({ sender: user.address, calls }, user.fetch)
    expect(answer).toMatchObject({
      status: 409,
      body: { reason: 'would_revert', issues: [{ path: 'calls.1' }], charged: false },
    })
    expect(await gas.balance(user.address)).toBe(dollars)
  })

  test('an operation whose fee no block takes, whose limits are too low, or whose nonce is not the next', async () => {
    const user = await gas.makeUser()
    await carryOut(user)
    const callData = encodeFunctionData({
      abi: [{ type: 'function', name: 'entryPoint', stateMutability: 'view', inputs: [], outputs: [] }],
      functionName: 'entryPoint',
    })
    const operation = { sender: user.address, callData }
    const ask = async (more: object) =>
      (await gas.post({ userOperation: { ...operation, ...more } }, user.fetch)).body
    expect(await ask({ maxFeePerGas: '1' })).toMatchObject({
      issues: [{ path: 'userOperation.maxFeePerGas' }],
    })
    expect(await ask({ preVerificationGas: '1' })).toMatchObject({
      issues: [{ path: 'userOperation.preVerificationGas' }],
    })
    expect(await ask({ callGasLimit: '99999999' })).toMatchObject({
      issues: [{ path: 'userOperation.callGasLimit' }],
    })
    expect(await ask({ nonce: '7' })).toMatchObject({
      reason: 'wrong_nonce',
      issues: [{ path: 'userOperation.nonce', message: 'must be 1' }],
    })
    expect(await ask({ factory: shop, factoryData: '0x' })).toMatchObject({ reason: 'account_exists' })
    expect(await ask({ maxFeePerGas: '100000000000' })).toMatchObject({ reason: 'cap_too_high' })
  })

  const wrong: readonly [string, object, string][] = [
    ['a wrong checksum', { sender: '0x209693bc6afc0c5328BA36FaF03C514EF312287c' }, 'sender'],
    ['an unknown chain', { chainId: 1 }, 'chainId'],
    ['no calls', { calls: [] }, 'calls'],
    ['odd bytes', { calls: [{ to: shop, data: '0x123' }] }, 'calls.0.data'],
    ['a negative value', { calls: [{ to: shop, value: '-1' }] }, 'calls.0.value'],
    ['a value of 1e30', { calls: [{ to: shop, value: '1e30' }] }, 'calls.0.value'],
    ['a value beyond all coins', { calls: [{ to: shop, value: '9'.repeat(77) }] }, 'calls.0.value'],
    ['a field that is none', { callz: [] }, 'callz'],
    ['both forms', { userOperation: { sender: shop, callData: '0x' } }, 'sender'],
    ['an id that is none', { id: 'gas_1' }, 'id'],
  ]
  test.each(wrong)('%s names its field', async (_, more, path) => {
    const user = await gas.makeUser(0n)
    const answer = await gas.call('gas_quote', { ...requestOf(user), ...more })
    expect(answer.status).toBe(422)
    expect(JSON.stringify(answer.body.issues)).toContain(`"${path}"`)
  })

  test('what is no JSON object, and a call of JSON-RPC that is none of ERC-7677', async () => {
    expect((await gas.post([1] as object)).body).toMatchObject({ code: 'malformed' })
    const rpc = { jsonrpc: '2.0', id: 'a' }
    expect((await gas.post({ ...rpc, method: 'eth_chainId', params: [] })).body).toMatchObject({
      id: 'a',
      error: { code: -32601 },
    })
    const params = [{ sender: shop, callData: '0x' }, shop, '0x2105']
    expect((await gas.post({ ...rpc, method: 'pm_getPaymasterData', params })).body).toMatchObject({
      error: { code: -32602, data: { issues: [{ path: 'params.1' }] } },
    })
  })
})

onAnvil('what is signed', () => {
  test('other call data than what was sold is refused; the right signature still works, and its answer is kept', async () => {
    const user = await gas.makeUser()
    const sold = await buy(user)
    const theft = {
      ...sold,
      typed_data: { ...sold.typed_data, message: { ...sold.typed_data.message, callData: '0x' } },
    }
    const refused = await gas.post(await signSold(user.account, theft))
    expect(refused).toMatchObject({ status: 422, body: { issues: [{ path: 'signature' }] } })
    expect(await gas.balance(user.address)).toBe(dollars - 30_000n)

    const signed = await signSold(user.account, sold)
    // A wallet that knows ERC-7677 has dropped the id.
    const { id: _, ...unnamed } = signed
    const other = { ...sold.userOperation, callData: '0x' }
    expect((await gas.post({ ...unnamed, userOperation: other })).status).toBe(404)
    const named = { ...unnamed, userOperation: sold.userOperation }
    expect((await gas.post({ ...named, id: sold.id })).body).toMatchObject({ issues: [{ path: 'id' }] })
    const done = await gas.post(named)
    expect(done.body).toMatchObject({ id: sold.id, state: 'mined', success: true })
    expect((await gas.post(named)).body).toEqual(done.body)
    expect((await gas.post(signed)).body).toEqual(done.body)
    expect((await gas.get(`/v1/gas/${sold.id}`)).body).toEqual(done.body)
    expect(await gas.balance(user.address)).toBe(dollars - 30_000n - 3_000_000n)
  })

  test('somebody else cannot sign, nor delegate, and an authorization must fit the account', async () => {
    const [user, stranger] = [await gas.makeUser(), await gas.makeUser(0n)]
    const sold = await buy(user)
    const theirs = await signSold(stranger.account, sold)
    const ours = await signSold(user.account, sold)
    const issuesOf = async (body: object) => JSON.stringify((await gas.post(body)).body.issues)
    expect(await issuesOf({ ...ours, signature: theirs.signature })).toContain('"signature"')
    expect(await issuesOf({ ...ours, authorization: theirs.authorization })).toContain('"authorization"')
    expect(await issuesOf({ id: ours.id, signature: ours.signature })).toContain('"authorization"')
    const { authorization } = ours
    if (!authorization) throw new Error('nothing to delegate')
    expect(await issuesOf({ ...ours, authorization: { ...authorization, nonce: 4 } })).toContain(
      '"authorization.nonce"',
    )
    expect(await issuesOf({ ...ours, authorization: { ...authorization, chainId: 1 } })).toContain(
      '"authorization.chainId"',
    )
    expect(await issuesOf({ ...ours, authorization: { ...authorization, address: shop } })).toContain(
      '"authorization.address"',
    )
    expect((await gas.post(ours)).body).toMatchObject({ state: 'mined' })
  })

  test('ids of others reveal nothing, and a hash only what is on the chain', async () => {
    const user = await gas.makeUser()
    const sold = await buy(user)
    const unknown = `gas_${'0'.repeat(32)}`
    expect((await gas.get(`/v1/gas/${unknown}`)).status).toBe(404)
    expect((await gas.post({ id: unknown, signature: '0x00' })).status).toBe(404)
    expect((await gas.call('gas_status', { user_op_hash: sold.user_op_hash })).status).toBe(404)
    await gas.post(await signSold(user.account, sold))
    const byHash = await gas.call('gas_status', { user_op_hash: sold.user_op_hash })
    expect(byHash.body).toMatchObject({ state: 'mined', id: null })
  })
})

onAnvil('one payment, one operation', () => {
  test('while one is open, another with its nonce is refused and not charged', async () => {
    const user = await gas.makeUser()
    await buy(user)
    const other = { sender: user.address, calls: twoTransfers(gas.usdc).slice(1) }
    const refused = await gas.post(other, user.fetch)
    expect(refused).toMatchObject({ status: 409, body: { reason: 'operation_open', charged: false } })
    expect(await gas.balance(user.address)).toBe(dollars - 30_000n)
  })

  test('a payment for one request pays no other', async () => {
    const user = await gas.makeUser()
    let payment: string | undefined
    const spy: typeof fetch = async (input, init) => {
      const request = new Request(input, init)
      payment = request.headers.get('payment-signature') ?? payment
      return fetch(request)
    }
    const { wrapFetchWithPayment, x402Client } = await import('@x402/fetch')
    const { ExactEvmScheme } = await import('@x402/evm/exact/client')
    const paying = wrapFetchWithPayment(
      spy,
      new x402Client().register('eip155:*', new ExactEvmScheme(user.account)),
    )
    const first = await gas.post(requestOf(user), paying)
    expect(first.body).toMatchObject({ state: 'paid' })
    const headers = { 'payment-signature': payment ?? '' }
    // The same again is the same answer, and the money moved once.
    expect((await gas.post(requestOf(user), fetch, headers)).body).toEqual(first.body)
    const other = { sender: (await gas.makeUser()).address, calls: twoTransfers(gas.usdc) }
    const refused = await gas.post(other, fetch, headers)
    expect(refused).toMatchObject({ status: 409, body: { reason: 'payment_already_used' } })
    expect(await gas.balance(user.address)).toBe(dollars - 30_000n)
  })

  test('what its owner has carried out by others is no credit', async () => {
    const user = await gas.makeUser()
    const sold = await gas.post(requestOf(user), user.fetch)
    const { signature, authorization } = await signSold(user.account, sold.body)
    const { fromWire } = await import('../../../mcp/services/money/gas/operation.ts')
    const { handleOps } = await import('../../../mcp/services/money/gas/trial.ts')
    const operation = { ...fromWire(sold.body.userOperation as never), signature }
    const hash = await gas.facilitator.send({
      to: '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
      data: handleOps(operation, shop),
      ...(authorization && { authorizationList: [authorization as never] }),
    })
    await gas.reader.waitForTransactionReceipt({ hash })
    const { id } = sold.body
    expect((await gas.get(`/v1/gas/${id}`)).body).toMatchObject({
      state: 'mined',
      success: true,
      transaction_hash: hash,
    })
    expect((await gas.post({ ...requestOf(user), id })).body).toMatchObject({ reason: 'not_credited' })
  })

  test('what was not carried out in time pays for another operation of the account', async () => {
    const [user, stranger] = [await gas.makeUser(), await gas.makeUser()]
    const sold = await buy(user)
    const signed = await signSold(user.account, sold)
    // Its time is not over: its money cannot be in two operations.
    const early = await gas.post({ ...requestOf(user), id: sold.id })
    expect(early).toMatchObject({ status: 409, body: { reason: 'not_credited' } })

    offset += 400_000
    await (await anvilClient(gas.chain)).increaseTime({ seconds: 400 })
    expect((await gas.post(signed)).body).toMatchObject({ reason: 'credited', params: { credit: '0.03' } })
    expect((await gas.get(`/v1/gas/${sold.id}`)).body).toMatchObject({ state: 'credited', credit: '0.03' })

    const theirs = await gas.post({ ...requestOf(stranger), id: sold.id })
    expect(theirs.status).toBe(404)
    const again = await gas.post({ ...requestOf(user), id: sold.id })
    expect(again.body).toMatchObject({ id: sold.id, state: 'paid' })
    expect(again.status).toBe(200)
    // The credit is used up.
    const twice = await gas.post({
      sender: user.address,
      calls: twoTransfers(gas.usdc).slice(1),
      id: sold.id,
    })
    expect(twice).toMatchObject({ status: 409, body: { reason: 'not_credited' } })
    const done = await gas.post(await signSold(user.account, again.body))
    expect(done.body).toMatchObject({ state: 'mined', success: true })
    expect(await gas.balance(user.address)).toBe(dollars - 30_000n - 3_000_000n)
  })
})
