import {
  encodeFunctionData,
  type Hex,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature,
  toHex,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onAnvil } from '../../payment/evm-chain.ts'
import { abi, blockedAccount, payee, startBase } from './chain.ts'
import { refusalOf } from './run.ts'

onAnvil('debugging a payment on Base', () => {
  let base: Awaited<ReturnType<typeof startBase>>
  beforeAll(async () => {
    base = await startBase()
  })
  afterAll(() => base.stop())

  const check = (input: object) => base.ask('authorization_check', input)
  const stranger = () => privateKeyToAccount(generatePrivateKey())
  const withSignature = <T extends { signature: Hex }>(signed: T, signature: Hex): T => ({
    ...signed,
    signature,
  })

  test('a payment that works is payable, also by a trial on the chain', async () => {
    const answer = await check(await base.sign(base.payer.account))
    expect(answer).toMatchObject({
      payable: true,
      first: null,
      signature: { kind: 'key', signer: base.payer.address },
    })
    expect(
      (answer.checks as { check: string; state: string }[]).map(({ check, state }) => `${check} ${state}`),
    ).toEqual([
      'recipient ok',
      'amount ok',
      'window ok',
      'signature ok',
      'token ok',
      'nonce ok',
      'block_list ok',
      'balance ok',
      'transfer ok',
    ])
  })

  type Case = [fault: string, code: string, input: () => Promise<object>]
  const { payer } = { payer: () => base.payer.account }
  const cases: Case[] = [
    [
      'signs under the name of Base Sepolia',
      'wrong_domain_name',
      () => base.sign(payer(), {}, { domain: { ...base.domain, name: 'USDC' } }),
    ],
    [
      'signs version 1',
      'wrong_domain_version',
      () => base.sign(payer(), {}, { domain: { ...base.domain, version: '1' } }),
    ],
    [
      'signs for Base Sepolia',
      'wrong_chain',
      () =>
        base.sign(
          payer(),
          {},
          {
            domain: {
              name: 'USDC',
              version: '2',
              chainId: 84532,
              verifyingContract: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
            },
          },
        ),
    ],
    [
      'signs another type',
      'wrong_type',
      () => base.sign(payer(), {}, { primaryType: 'ReceiveWithAuthorization' }),
    ],
    ['signs an empty domain', 'incomplete_domain', () => base.sign(payer(), {}, { domain: {} })],
    [
      'signs a personal message',
      'personal_sign',
      async () => {
        const signed = await base.sign(payer())
        const { digest } = await check(signed)
        return withSignature(signed, await payer().signMessage({ message: { raw: digest as Hex } }))
      },
    ],
    [
      'changes the amount after signing',
      'wrong_signer',
      async () => {
        const signed = await base.sign(payer())
        return { ...signed, authorization: { ...signed.authorization, value: '20000' } }
      },
    ],
    ['signs with another key', 'wrong_signer', () => base.sign(stranger(), { from: base.payer.address })],
    [
      'sends v as 0 or 1',
      'signature_v',
      async () => {
        const signed = await base.sign(payer())
        const v = signed.signature.endsWith('1b') ? '00' : '01'
        return withSignature(signed, `${signed.signature.slice(0, -2)}${v}` as Hex)
      },
    ],
    [
      'sends the other half of the curve',
      'signature_high_s',
      async () => {
        const signed = await base.sign(payer())
        const { r, s, yParity } = parseSignature(signed.signature)
        const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
        const high = toHex(order - BigInt(s), { size: 32 }).slice(2)
        return withSignature(signed, `${r}${high}${yParity === 0 ? '1c' : '1b'}` as Hex)
      },
    ],
    [
      'sends a compact signature',
      'compact_signature',
      async () => {
        const signed = await base.sign(payer())
        const compact = signatureToCompactSignature(parseSignature(signed.signature))
        return withSignature(signed, serializeCompactSignature(compact))
      },
    ],
    [
      'signs as a smart account that is not there',
      'account_not_deployed',
      async () => withSignature(await base.sign(payer()), `0x${'ab'.repeat(200)}`),
    ],
    ['is past its time', 'expired', () => base.sign(payer(), { validBefore: base.seconds() - 1n })],
    ['expires in seconds', 'expires_now', () => base.sign(payer(), { validBefore: base.seconds() + 4n })],
    ['begins later', 'not_yet_valid', () => base.sign(payer(), { validAfter: base.seconds() + 100n })],
    [
      'never holds',
      'empty_window',
      () => base.sign(payer(), { validAfter: base.seconds() + 300n, validBefore: base.seconds() }),
    ],
    ['counts milliseconds', 'milliseconds', () => base.sign(payer(), { validAfter: base.seconds() * 1000n })],
    ['pays the zero address', 'payee_zero', () => base.sign(payer(), { to: `0x${'0'.repeat(40)}` })],
    ['pays the token', 'payee_is_token', () => base.sign(payer(), { to: base.usdc })],
    ['pays nothing', 'amount_zero', () => base.sign(payer(), { value: 0n })],
    ['counts 18 decimals', 'wrong_decimals', () => base.sign(payer(), { value: 10n ** 16n })],
    ['has too little', 'insufficient_funds', () => base.sign(payer(), { value: 900_000_000n })],
    ['pays somebody on the block list', 'payee_blocked', () => base.sign(payer(), { to: blockedAccount })],
    [
      'pays another than the quote says',
      'wrong_recipient',
      async () => ({ ...(await base.sign(payer())), expect: { payTo: base.payer.address } }),
    ],
    [
      'pays less than the quote says',
      'too_little',
      async () => ({ ...(await base.sign(payer())), expect: { amount: '10001' } }),
    ],
    [
      'pays more than the quote says',
      'too_much',
      async () => ({ ...(await base.sign(payer())), expect: { amount: '9999' } }),
    ],
    [
      'counts the quote with 18 decimals',
      'wrong_decimals',
      async () => ({ ...(await base.sign(payer(), { value: 10n ** 16n })), expect: { amount: '10000' } }),
    ],
  ]

  test.each(cases)('names the fault of one that %s', async (_fault, code, input) => {
    expect(await check(await input())).toMatchObject({ payable: false, first: { state: 'failed', code } })
  })

  test('a used nonce is told with its transaction and what it paid', async () => {
    const signed = await base.sign(base.payer.account)
    const hash = await base.settle(signed)
    expect(await check(signed)).toMatchObject({
      first: { code: 'nonce_used', message: expect.stringContaining(hash) },
    })
    const { nonce } = signed.authorization
    expect(
      await base.ask('authorization_status', { chainId: 8453, authorizer: base.payer.address, nonce }),
    ).toMatchObject({ state: 'used', transaction: hash, payment: { to: payee, amount: '10000' } })
  })

  test('a cancelled nonce is told apart from a used one', async () => {
    const signed = await base.sign(base.payer.account)
    const { nonce } = signed.authorization
    const hash = await base.cancel(base.payer.account, nonce)
    expect(await check(signed)).toMatchObject({ first: { code: 'nonce_cancelled' } })
    expect(
      await base.ask('authorization_status', { chainId: 8453, authorizer: base.payer.address, nonce }),
    ).toMatchObject({ state: 'cancelled', transaction: hash, payment: null })
    expect(await base.ask('payment_explain', { chainId: 8453, transaction_hash: hash })).toMatchObject({
      status: 'success',
      meaning: ['cancellation'],
      payments: [],
    })
  })

  test('a nonce that nobody used is unused', async () => {
    const input = { chainId: 8453, authorizer: payee, nonce: `0x${'7'.repeat(64)}` }
    expect(await base.ask('authorization_status', input)).toMatchObject({
      state: 'unused',
      transaction: null,
      payment: null,
    })
  })

  test('a smart account answers for itself (ERC-1271)', async () => {
    const { address } = await base.openAccount(true)
    expect(await check(await base.sign(base.payer.account, { from: address }))).toMatchObject({
      payable: true,
      signature: { kind: 'erc1271' },
    })
    expect(await check(await base.sign(stranger(), { from: address }))).toMatchObject({
      first: { check: 'signature', code: 'account_refuses' },
    })
    const domain = { ...base.domain, name: 'USDC' }
    expect(await check(await base.sign(base.payer.account, { from: address }, { domain }))).toMatchObject({
      first: { check: 'signature', code: 'wrong_domain_name' },
    })
  })

  test('an account that is not deployed answers through its factory (ERC-6492)', async () => {
    const { address, wrap } = await base.openAccount(false)
    const signed = await base.sign(base.payer.account, { from: address })
    expect(await check(withSignature(signed, wrap(signed.signature)))).toMatchObject({
      payable: true,
      signature: { kind: 'erc6492' },
    })
    const forged = await base.sign(stranger(), { from: address })
    expect(await check(withSignature(forged, wrap(forged.signature)))).toMatchObject({
      first: { check: 'signature', code: 'account_refuses' },
    })
  })

  test('a wallet with delegated code (EIP-7702) is asked through that code', async () => {
    const wallet = await base.makePayer(1_000_000n)
    const delegate = await base.openDelegate()
    await base.delegateTo(wallet.address, delegate)
    expect(await check(await base.sign(wallet.account))).toMatchObject({
      payable: true,
      signature: { kind: 'eip7702', delegate: delegate.toLowerCase() },
    })
    // The token itself is code that knows no ERC-1271.
    await base.delegateTo(wallet.address, base.usdc)
    expect(await check(await base.sign(wallet.account))).toMatchObject({
      first: { check: 'signature', code: 'delegate_refuses' },
    })
    expect(await base.ask('stablecoin_account', { address: wallet.address, chainId: 8453 })).toMatchObject({
      chains: [{ kind: 'delegated', delegate: base.usdc.toLowerCase(), balance: '1' }],
    })
  })

  test('on a chain that is not read, what can be told without it is told', async () => {
    const domain = {
      name: 'USD Coin',
      version: '2',
      chainId: 43114,
      verifyingContract: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
    } as const
    const sound = await base.sign(base.payer.account, {}, { domain })
    expect(await check({ ...sound, chainId: 43114 })).toMatchObject({ payable: null, first: null })
    const wrong = await base.sign(base.payer.account, {}, { domain: { ...domain, name: 'USDC' } })
    expect(await check({ ...wrong, chainId: 'eip155:43114' })).toMatchObject({
      payable: false,
      first: { code: 'wrong_domain_name' },
    })
  })

  test('an account is told with its balance, allowances, block and domain', async () => {
    const approve = encodeFunctionData({ abi, functionName: 'approve', args: [payee, 77n] })
    await base.mined(base.payer.send(approve, base.usdc))
    const answer = await base.ask('stablecoin_account', {
      address: base.payer.address,
      chainId: 8453,
      spender: payee,
    })
    expect(answer).toMatchObject({
      address: base.payer.address,
      failed: [],
      chains: [
        {
          chainId: 8453,
          kind: 'key',
          delegate: null,
          blocked: false,
          paused: false,
          permit2_allowance: '0',
          spender_allowance: '77',
          domain: { name: 'USD Coin', version: '2', matches: true },
        },
      ],
    })
    expect(await base.ask('stablecoin_account', { address: blockedAccount, chainId: 8453 })).toMatchObject({
      chains: [{ blocked: true }],
    })
  })

  test('chains that do not answer are told of', async () => {
    const answer = await base.ask('stablecoin_account', { address: payee })
    expect(answer.chains).toMatchObject([{ chainId: 8453 }])
    expect((answer.failed as { chainId: number }[]).map(({ chainId }) => chainId)).toEqual([
      1, 42161, 10, 137, 5042, 84532,
    ])
  })

  test('a payment is explained and compared with what was expected', async () => {
    const signed = await base.sign(base.payer.account)
    const hash = await base.settle(signed)
    const explain = (amount: string, payTo: string = payee) =>
      base.ask('payment_explain', { chainId: 8453, transaction_hash: hash, expect: { payTo, amount } })
    expect(await explain('10000')).toMatchObject({
      status: 'success',
      method: 'transferWithAuthorization',
      meaning: ['x402_payment'],
      payments: [
        { from: base.payer.address, to: payee, amount: '10000', authorization: signed.authorization.nonce },
      ],
      expect: { satisfied: true },
    })
    expect(await explain('10001')).toMatchObject({
      expect: { satisfied: false, reason: expect.stringContaining('0.010001 USDC') },
    })
    expect(await explain('10000', base.payer.address)).toMatchObject({ expect: { satisfied: false } })
  })

  test('a payment that reverted is explained with the reason', async () => {
    const signed = await base.sign(base.payer.account)
    await base.settle(signed)
    const { from, to, value, validAfter, validBefore, nonce } = signed.authorization
    const args = [
      from,
      to,
      BigInt(value),
      BigInt(validAfter),
      BigInt(validBefore),
      nonce,
      signed.signature,
    ] as const
    const data = encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args })
    const { request } = { request: { to: base.usdc, data, gas: 200_000n } }
    const wallet = await base.chain.wallet(generatePrivateKey())
    await base.anvil.setBalance({ address: wallet.address, value: 10n ** 18n })
    const hash = await base.mined(wallet.send(request))
    expect(
      await base.ask('payment_explain', {
        chainId: 8453,
        transaction_hash: hash,
        expect: { payTo: payee, amount: '10000' },
      }),
    ).toMatchObject({
      status: 'reverted',
      revert_reason: 'FiatTokenV2: authorization is used or canceled',
      payments: [],
      expect: { satisfied: false },
    })
  })

  test('a transaction that nobody knows is not found', async () => {
    const input = { chainId: 8453, transaction_hash: `0x${'5'.repeat(64)}` }
    expect(await base.ask('payment_explain', input)).toMatchObject({ status: 'not_found', payments: [] })
  })

  test.each([
    ['stablecoin_account', { address: payee.replace('0x2096', '0x2097') }, 'address'],
    ['stablecoin_account', { address: '0x12' }, 'address'],
    ['stablecoin_account', { address: payee, chainId: 12345 }, 'chainId'],
    ['authorization_status', { chainId: 43114, authorizer: payee, nonce: `0x${'1'.repeat(64)}` }, 'chainId'],
    ['authorization_status', { chainId: 8453, authorizer: payee, nonce: '0x1' }, 'nonce'],
    ['payment_explain', { chainId: 8453, transaction_hash: 'x' }, 'transaction_hash'],
  ])('%s refuses %j by the name of the field', async (name, input, path) => {
    expect(await refusalOf(base.ask(name, input))).toMatchObject({
      code: 'invalid_input',
      extra: { issues: [{ path }] },
    })
  })

  test.each(['-1', '1e30', '0.01', '', '0x10'])('authorization_check refuses the amount %j', async value => {
    const signed = await base.sign(base.payer.account)
    const authorization = { ...signed.authorization, value }
    expect(await refusalOf(check({ ...signed, authorization }))).toMatchObject({
      code: 'invalid_input',
      extra: { issues: [{ path: 'authorization.value' }] },
    })
  })

  test('an offer that pays somebody on the block list is found', async () => {
    const { checkOnChain } = await import('../../../mcp/services/money/x402/offer-on-chain.ts')
    const { evm } = base.money.world.ports
    if (!evm) throw new Error('no evm')
    const offer = {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '1',
      price: null,
      name: 'USD Coin',
      version: '2',
    }
    const look = (asset: Hex, payTo: Hex) =>
      checkOnChain(evm, new AbortController().signal, { ...offer, asset, payTo }, 'accepts[0]')
    expect(await look(base.usdc, payee)).toEqual([])
    expect(await look(base.usdc, blockedAccount)).toMatchObject([{ code: 'payee_blocked' }])
    expect(await look(payee, payee)).toMatchObject([{ code: 'asset_without_code' }])
  })
})
