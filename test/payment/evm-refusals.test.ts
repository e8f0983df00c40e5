import { encodeFunctionData, type Hex, parseSignature } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Refusal } from '../../mcp/payment/method.ts'
import { openX402EvmDevnet } from '../../mcp/payment/methods/x402-evm/devnet.ts'
import { openX402Evm } from '../../mcp/payment/methods/x402-evm/method.ts'
import { toRefusal } from '../../mcp/payment/methods/x402-evm/refusal.ts'
import { openChain } from '../../mcp/ports/chain/chain.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import type { Chain } from '../../mcp/ports/chain/port.ts'
import { abi, balanceOf, makePayer, onAnvil, openTestDevnet, pay, signTerms } from './evm-chain.ts'
import { type Requirements as Offer, overX402, type Payload, type X402Method } from './x402.ts'

onAnvil('a payment that is refused', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let chain: Chain
  let method: X402Method
  let offer: Offer
  let payer: Awaited<ReturnType<typeof makePayer>>

  beforeAll(async () => {
    net = await openTestDevnet()
    chain = net.devnet.chain('base-sepolia')
    method = overX402(openX402EvmDevnet(net.devnet, 'base-sepolia'))
    offer = await method.offer('1.00', 'before')
    payer = await makePayer(chain, 5_000_000n)
  })
  afterAll(() => net.close())

  const seconds = () => BigInt(Math.floor(Date.now() / 1_000))
  const stranger = () => privateKeyToAccount(generatePrivateKey())
  const sign = (terms: Parameters<typeof signTerms>[3]) => signTerms(chain, payer.account, offer, terms)

  const cases: [Refusal, string, () => Promise<Payload>][] = [
    ['expired', 'is past its time', () => sign({ validBefore: seconds() - 1n })],
    ['expired', 'expires in three seconds', () => sign({ validBefore: seconds() + 3n })],
    ['not_yet_valid', 'begins in a minute', () => sign({ validAfter: seconds() + 60n })],
    ['wrong_recipient', 'pays somebody else', () => sign({ to: stranger().address })],
    ['too_little', 'is one unit short', () => sign({ value: 999_999n })],
    [
      'wrong_network',
      'was made for another network',
      async () => ({ ...(await sign({})), accepted: { ...offer, network: 'eip155:1' } }),
    ],
    [
      'wrong_asset',
      'was made for another token',
      async () => ({ ...(await sign({})), accepted: { ...offer, asset: stranger().address } }),
    ],
    ['insufficient_funds', 'is not covered', async () => signTerms(chain, stranger(), offer)],
    [
      'invalid_signature',
      'is signed by another',
      async () => {
        const { payload, ...rest } = await signTerms(chain, stranger(), offer)
        const authorization = { ...(payload.authorization as object), from: payer.address }
        return { ...rest, payload: { ...payload, authorization } }
      },
    ],
    [
      'invalid_signature',
      'was changed after it was signed',
      async () => {
        const { payload, ...rest } = await sign({})
        const authorization = { ...(payload.authorization as object), validBefore: '99999999999' }
        return { ...rest, payload: { ...payload, authorization } }
      },
    ],
    ['unreadable', 'is empty', async () => ({ x402Version: 2, accepted: offer, payload: {} })],
    [
      'unreadable',
      'counts in hexadecimal',
      async () => {
        const { payload, ...rest } = await sign({})
        const authorization = { ...(payload.authorization as object), value: '0xf4240' }
        return { ...rest, payload: { ...payload, authorization } }
      },
    ],
    [
      'unreadable',
      'has half an address',
      async () => {
        const { payload, ...rest } = await sign({})
        const authorization = { ...(payload.authorization as object), from: '0x12' }
        return { ...rest, payload: { ...payload, authorization } }
      },
    ],
    [
      'unreadable',
      'goes through Permit2',
      async () => ({
        x402Version: 2,
        accepted: offer,
        payload: { permit2Authorization: {}, signature: '0x00' },
      }),
    ],
  ]

  test.each(cases)('%s: one that %s', async (reason, _, make) => {
    expect(await method.verify(await make(), offer)).toEqual({ ok: false, reason })
  })

  test('none of them moves money when it is settled all the same', async () => {
    const before = await balanceOf(chain, offer.payTo)
    for (const [reason, , make] of cases) {
      const result = await method.settle(await make(), offer)
      expect(result).toMatchObject({ state: 'refused' })
      if (result.state === 'refused' && reason !== 'insufficient_funds') expect(result.reason).toBe(reason)
    }
    expect(await balanceOf(chain, offer.payTo)).toBe(before)
  })

  test('already_used: one that was settled', async () => {
    const payload = await pay(payer.account, offer)
    expect(await method.settle(payload, offer)).toMatchObject({ state: 'settled' })
    expect(await method.verify(payload, offer)).toEqual({ ok: false, reason: 'already_used' })
  })

  test('already_used: one whose nonce paid a different amount', async () => {
    const { nonce } = (await settledTerms()) as { nonce: Hex }
    const again = await sign({ nonce, value: 1_500_000n })
    expect(await method.verify(again, offer)).toEqual({ ok: false, reason: 'too_much' })
    expect(await method.settle(again, offer)).toEqual({ state: 'failed', reason: 'already_used' })
    expect(await method.find(again, offer)).toEqual({ state: 'failed', reason: 'already_used' })
  })

  test('already_used: one that its payer has cancelled', async () => {
    const payload = await sign({})
    const { nonce } = payload.payload.authorization as { nonce: Hex }
    const { name, version, address: verifyingContract } = chain.network.token
    const signature = await payer.account.signTypedData({
      domain: { name, version, chainId: chain.network.chainId, verifyingContract },
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: payer.address, nonce },
    })
    const { r, s, v = 27n } = parseSignature(signature)
    const data = encodeFunctionData({
      abi,
      functionName: 'cancelAuthorization',
      args: [payer.address, nonce, Number(v), r, s],
    })
    await (await chain.reader()).waitForTransactionReceipt({ hash: await payer.send(data) })
    expect(await method.verify(payload, offer)).toEqual({ ok: false, reason: 'already_used' })
    expect(await method.find(payload, offer)).toEqual({ state: 'failed', reason: 'already_used' })
  })

  test('too_much: an authorization over more than is asked; where it arrived all the same it is found', async () => {
    const before = await balanceOf(chain, offer.payTo)
    const payload = await sign({ value: 1_000_001n })
    expect(await method.verify(payload, offer)).toEqual({ ok: false, reason: 'too_much' })
    expect(await balanceOf(chain, offer.payTo)).toBe(before)
    expect(await method.settle(payload, offer)).toMatchObject({ state: 'settled' })
    expect(await method.find(payload, offer)).toMatchObject({ state: 'settled' })
    expect((await balanceOf(chain, offer.payTo)) - before).toBe(1_000_001n)
  })

  test('a chain that does not answer is no refusal, and its words stay inside', async () => {
    const dead = openChain({ network: networks.base, rpc: 'http://127.0.0.1:9/secret-token', devnet: true })
    const unreachable = overX402(
      openX402Evm({
        chain: dead,
        payTo: async () => '0x1111111111111111111111111111111111111111',
        facilitator: { key: async () => generatePrivateKey() },
      }),
    )
    const there = { ...offer, network: networks.base.id, asset: networks.base.token.address }
    const to = '0x1111111111111111111111111111111111111111'
    const payload = await signTerms(dead, payer.account, { ...there, payTo: to })
    const cause: unknown = await unreachable.verify(payload, { ...there, payTo: to }).catch(error => error)
    expect(cause).toMatchObject({ code: 'upstream', extra: { retryAfter: 5 } })
    const { signature } = payload.payload as { signature: string }
    const text = `${(cause as Error).message} ${String((cause as Error).cause)}`
    expect(text).not.toContain('secret-token')
    expect(text).not.toContain(signature.slice(2, 30))
  })

  test('a local chain that is not on this machine is not spoken to', async () => {
    const far = openChain({ network: networks.base, rpc: 'https://rpc.example.org', devnet: true })
    await expect(far.reader()).rejects.toMatchObject({ code: 'unavailable' })
  })

  const settledTerms = async () => {
    const payload = await sign({})
    expect(await method.settle(payload, offer)).toMatchObject({ state: 'settled' })
    return payload.payload.authorization
  }
})

test.each<[string | undefined, Refusal]>([
  ['invalid_exact_evm_payload_authorization_valid_before', 'expired'],
  ['invalid_exact_evm_payload_authorization_valid_after', 'not_yet_valid'],
  ['invalid_exact_evm_network_mismatch', 'wrong_network'],
  ['asset_not_deployed_contract', 'wrong_asset'],
  ['invalid_exact_evm_recipient_mismatch', 'wrong_recipient'],
  ['invalid_exact_evm_payload_authorization_value_mismatch', 'too_little'],
  ['invalid_exact_evm_nonce_already_used', 'already_used'],
  ['invalid_exact_evm_insufficient_balance', 'insufficient_funds'],
  ['insufficient_funds', 'insufficient_funds'],
  ['invalid_exact_evm_signature', 'invalid_signature'],
  ['eip6492_factory_not_allowed', 'factory_not_allowed'],
  ['invalid_exact_evm_token_name_mismatch', 'invalid_signature'],
  ['invalid_exact_evm_scheme', 'unreadable'],
  ['invalid_exact_evm_transaction_failed', 'settlement_failed'],
  ['0xdeadbeef at 10.0.0.1', 'settlement_failed'],
  [undefined, 'settlement_failed'],
])('a facilitator that says %s means %s', (reason, refusal) => expect(toRefusal(reason)).toBe(refusal))
