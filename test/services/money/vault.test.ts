import { fileURLToPath } from 'node:url'
import { createWalletClient, custom, encodeFunctionData, erc20Abi, formatUnits, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { basketVaultFactory } from '../../../contracts/basket-vault-factory.ts'
import { testUsdc } from '../../../contracts/test-usdc.ts'
import { openCache } from '../../../mcp/ports/cache/cache.ts'
import type { Evm, EvmAnswer } from '../../../mcp/ports/evm/port.ts'
import { moneySettings } from '../../../mcp/services/money/config.ts'
import { describeVaults, openBasket, vaultAddress } from '../../../mcp/services/money/vault/basket.ts'
import { readMarketHours } from '../../../mcp/services/money/vault/market-hours.ts'
import { compile } from '../../payment/compile.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { type Answer, startVaults } from './basket.ts'
import { refusalOf } from './run.ts'

type Status = {
  exists: boolean
  vault: Hex
  shares: string
  cash: string
  value: string | null
  weightsBps: number[]
  current_bps: number[] | null
  holdings: { symbol: string; amount: string | null; transferable: boolean | null; price: string | null }[]
  set_aside: { symbol: string; amount: string }[]
  warnings: string[]
  simulated: boolean
}
type After = {
  shares: string
  cash: string
  holdings: { amount: string }[]
  weightsBps: number[]
  value: string
}
type Expect = {
  vault: After
  usdc: { expected: string; minimum: string } | null
  tokens: { symbol: string; token: Hex; amount: string }[]
  set_aside: { symbol: string; amount: string }[]
  left_out: string[]
  after_bps: number[]
  cost_bps: number | null
  spent: string
  shares: string
  created: boolean
}

const usd = (amount: number) => BigInt(amount) * 10n ** 6n
const stranger: Hex = '0x00000000000000000000000000000000000000bb'

/** A source of numbers below `max`, the same for the same seed. */
const openDice = (seed: number) => {
  let state = seed
  return (max: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * max)
  }
}

const drawWeights = (dice: (max: number) => number): number[] => {
  const cuts = [dice(9_996), dice(9_996), dice(9_996)].sort((a, b) => a - b)
  const [a = 0, b = 0, c = 0] = cuts
  return [a + 1, b - a + 1, c - b + 1, 9_996 - c + 1]
}

onAnvil('stock vaults', () => {
  let base: Awaited<ReturnType<typeof startVaults>>
  beforeAll(async () => {
    base = await startVaults()
  })
  afterAll(() => base.stop())

  const expectOf = ({ expect }: Answer) => expect as Expect
  const status = async (input: object) => (await base.ask('vault_status', input)) as unknown as Status
  const usdcOf = (account: Hex) =>
    base.reader.readContract({
      address: base.chain.network.token.address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account],
    })
  const tokenOf = (index: number, account: Hex) => {
    const stock = base.basket.stocks[index]
    if (!stock) throw new Error('no such stock')
    return base.reader.readContract({
      address: stock.token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account],
    })
  }
  /** Sends what was prepared and holds the chain against what was expected. */
  const carryOut = async (
    payer: Awaited<ReturnType<typeof base.makePayer>>,
    answer: Answer,
    how: 'order' | 'batch' = 'order',
  ) => {
    await (how === 'order' ? base.sendInOrder : base.sendAsBatch)(payer, answer.calls)
    const after = await status({ owner: payer.address })
    const expected = expectOf(answer).vault
    if (typeof expected === 'object')
      expect({
        shares: after.shares,
        cash: after.cash,
        holdings: after.holdings.map(({ amount }) => amount),
        weightsBps: after.weightsBps,
      }).toEqual({
        shares: expected.shares,
        cash: expected.cash,
        holdings: expected.holdings.map(({ amount }) => amount),
        weightsBps: expected.weightsBps,
      })
    return after
  }
  const openVault = async (amount = 100) => {
    const payer = await base.makePayer(usd(amount))
    const answer = await base.prepare('buy_stocks', { owner: payer.address, amount: String(amount) })
    await carryOut(payer, answer)
    return { payer, vault: answer.vault }
  }

  test('the index has four stocks with made-up prices, and says so', async () => {
    const index = await base.ask('discover_index', {})
    expect(index).toMatchObject({
      chainId: 8453,
      simulated: true,
      fees: { vault_bps: 0, max_slippage_bps: 100 },
      constituents: [{ symbol: 'NVDA', price: '181.25' }, {}, {}, {}],
    })
  })

  test('a vault has its address before it is created, the factory agrees, and nobody else can create it', async () => {
    const payer = await base.makePayer(0n)
    const before = await status({ owner: payer.address })
    expect(before).toMatchObject({ exists: false, shares: '0', value: '0' })
    const { abi } = basketVaultFactory
    const args = [payer.address] as const
    const { factory: address } = base.basket
    expect(await base.reader.readContract({ address, abi, functionName: 'vaultOf', args })).toBe(before.vault)
    const answer = await base.prepare('create_vault', { owner: payer.address })
    expect(answer).toMatchObject({ vault: before.vault, expect: { created: true }, simulated: true })
    const other = await base.makePayer(0n)
    await base.sendInOrder(other, answer.calls)
    expect(await status({ owner: payer.address })).toMatchObject({ exists: false })
    await base.sendInOrder(payer, answer.calls)
    expect(await status({ vault: before.vault })).toMatchObject({ exists: true, owner: payer.address })
    expect(await refusalOf(base.ask('create_vault', { owner: payer.address }))).toMatchObject({
      code: 'conflict',
      extra: { reason: 'vault_exists', issues: [{ path: 'owner' }] },
    })
  })

  test.each(['order', 'batch'] as const)(
    'one dollar buys: created, approved and deposited in %s',
    async how => {
      const payer = await base.makePayer(usd(1))
      const answer = await base.prepare('buy_stocks', { owner: payer.address, amount: '1' })
      expect(answer.calls).toHaveLength(3)
      expect(expectOf(answer)).toMatchObject({ created: true, spent: '1', cost_bps: expect.any(Number) })
      await carryOut(payer, answer, how)
      expect(await usdcOf(payer.address)).toBe(0n)
    },
  )

  test('whatever is prepared does what it says, in order and as a batch', async () => {
    const dice = openDice(20_261_122)
    for (let round = 0; round < 8; round++) {
      const how = dice(2) === 0 ? 'order' : 'batch'
      const payer = await base.makePayer(usd(5_000))
      const owner = payer.address
      const amount = formatUnits(BigInt(1_000_000 + dice(2_000_000_000)), 6)
      const first = await base.prepare('buy_stocks', { owner, amount, weightsBps: drawWeights(dice) })
      await carryOut(payer, first, how)
      await base.setPrice(dice(4), String(50 + dice(600)))
      const paused = dice(4)
      await base.pause(paused, dice(2) === 0)
      const weightsBps = drawWeights(dice)
      const balanced = await base.prepare('rebalance', { owner, weightsBps })
      const after = await carryOut(payer, balanced, how)
      const { left_out: leftOut, after_bps: afterBps } = expectOf(balanced)
      expect(after.current_bps).toEqual(afterBps)
      if (leftOut.length === 0)
        for (const [index, part] of afterBps.entries())
          expect(Math.abs(part - (weightsBps[index] ?? 0))).toBeLessThan(110)
      // A feed dies; exits do not mind.
      await base.setPrice(dice(4), '100', 86_400 * 30)
      const to = dice(2) === 0 ? 'stablecoin' : 'in_kind'
      const before = await usdcOf(owner)
      const exit = await base.prepare('redeem', { owner, to, fraction_bps: 1 + dice(10_000) })
      await carryOut(payer, exit, how)
      const { usdc, set_aside: setAside } = expectOf(exit)
      if (usdc) expect(formatUnits((await usdcOf(owner)) - before, 6)).toBe(usdc.expected)
      expect((await status({ owner })).set_aside).toEqual(setAside)
      await base.pause(paused, false)
      if (setAside.length > 0) {
        const claim = await base.prepare('redeem', { owner, to: 'set_aside' })
        await carryOut(payer, claim, how)
        expect(expectOf(claim).tokens.map(({ amount }) => amount)).toEqual(
          setAside.map(({ amount }) => amount),
        )
        expect((await status({ owner })).set_aside).toEqual([])
      }
      for (const [index, dollars] of ['181.25', '612.40', '268.90', '287.15'].entries())
        await base.setPrice(index, dollars)
    }
  })

  test('exits need no prices: all feeds dead, a stock paused, a pool closed', async () => {
    const { payer, vault } = await openVault()
    const owner = payer.address
    for (const index of [0, 1, 2, 3]) await base.setPrice(index, '1', 86_400 * 30)
    await base.pause(1, true)
    await base.close(2, true)
    try {
      const exit = await base.prepare('redeem', { owner, to: 'stablecoin', fraction_bps: 5_000 })
      const { usdc, tokens, set_aside: setAside } = expectOf(exit)
      expect(Number(usdc?.minimum)).toBeGreaterThan(0)
      expect(tokens.map(({ symbol }) => symbol)).toEqual(['AAPL'])
      expect(setAside.map(({ symbol }) => symbol)).toEqual(['META'])
      await carryOut(payer, exit)
      expect(formatUnits(await tokenOf(2, owner), 8)).toBe(tokens[0]?.amount)
      const rest = await base.prepare('redeem', { owner, to: 'in_kind', fraction_bps: 10_000 })
      expect(expectOf(rest).tokens.map(({ symbol }) => symbol)).toEqual(['NVDA', 'AAPL', 'GOOGL'])
      await carryOut(payer, rest)
      expect(await status({ owner })).toMatchObject({
        shares: '0',
        set_aside: [{ symbol: 'META' }],
        warnings: expect.arrayContaining([expect.stringContaining('no usable price')]),
      })
      // Still paused: it says so, and nothing is answered.
      expect(await refusalOf(base.ask('redeem', { owner, to: 'set_aside' }))).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('TransferPaused'),
      })
      await base.pause(1, false)
      const claim = await base.prepare('redeem', { owner, to: 'set_aside', receiver: stranger })
      await carryOut(payer, claim)
      expect(formatUnits(await tokenOf(1, stranger), 8)).toBe(expectOf(claim).tokens[0]?.amount)
      expect(await tokenOf(1, vault)).toBe(0n)
    } finally {
      await base.pause(1, false)
      await base.close(2, false)
      for (const [index, dollars] of ['181.25', '612.40', '268.90', '287.15'].entries())
        await base.setPrice(index, dollars)
    }
  })

  test('a stock that cannot be traded is left out of a rebalancing, and said', async () => {
    const { payer } = await openVault()
    await base.setPrice(0, '400')
    await base.pause(0, true)
    try {
      const answer = await base.prepare('rebalance', {
        owner: payer.address,
        weightsBps: [1_000, 6_000, 2_000, 1_000],
      })
      expect(expectOf(answer).left_out).toEqual(['NVDA'])
      expect(answer.warnings).toEqual(expect.arrayContaining([expect.stringContaining('NVDA')]))
      const before = await status({ owner: payer.address })
      expect(before.holdings.map(({ transferable }) => transferable)).toEqual([false, true, true, true])
      const after = await carryOut(payer, answer)
      expect(after.holdings[0]?.amount).toBe(before.holdings[0]?.amount)
    } finally {
      await base.pause(0, false)
      await base.setPrice(0, '181.25')
    }
  })

  test('rebalancing that has cost too much lately is refused, with how much it may', async () => {
    const { payer } = await openVault()
    const weigh = (...weightsBps: number[]) => ({ owner: payer.address, weightsBps })
    await base.setFee(99n)
    try {
      await carryOut(payer, await base.prepare('rebalance', weigh(9_997, 1, 1, 1)))
      expect(await refusalOf(base.ask('rebalance', weigh(1, 9_997, 1, 1)))).toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(/cost 3\.\d+% of it within 30 days, and may cost 2%/),
        extra: { reason: 'loss_too_large' },
      })
    } finally {
      await base.setFee(5n)
    }
  })

  test('purchases are refused where they cannot be fair, with the reason', async () => {
    const payer = await base.makePayer(usd(100))
    const buy = (more: object = {}) =>
      refusalOf(base.ask('buy_stocks', { owner: payer.address, amount: '10', ...more }))
    await base.setPrice(3, '287.15', 86_400 * 5)
    expect(await buy()).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('GOOGL'),
      extra: { reason: 'stale_price' },
    })
    await base.setPrice(3, '287.15')
    await base.setFee(300n)
    const tooLittle = await buy()
    await base.setFee(60n)
    expect(tooLittle).toMatchObject({ code: 'conflict', extra: { reason: 'too_little_received' } })
    const dear = await buy({ slippage_bps: 50 })
    await base.setFee(5n)
    expect(dear).toMatchObject({
      code: 'conflict',
      extra: { reason: 'slippage', issues: [{ path: 'slippage_bps' }] },
    })
    expect(await buy({ amount: '101' })).toMatchObject({
      code: 'conflict',
      extra: { reason: 'insufficient_balance', issues: [{ path: 'amount' }] },
    })
  })

  test('the minimum of a sale holds when the price falls before it is sent', async () => {
    const { payer } = await openVault()
    const owner = payer.address
    const exit = await base.prepare('redeem', {
      owner,
      to: 'stablecoin',
      fraction_bps: 10_000,
      slippage_bps: 100,
    })
    await base.setPrice(0, '90')
    try {
      await expect(base.sendInOrder(payer, exit.calls)).rejects.toThrow('it reverted')
      expect(Number((await status({ owner })).shares)).toBeGreaterThan(0)
    } finally {
      await base.setPrice(0, '181.25')
    }
    await carryOut(payer, exit)
    expect(await status({ owner })).toMatchObject({ shares: '0', value: '0' })
  })

  test('another receiver gets it, and shares that were given away leave the vault they are of', async () => {
    const { payer, vault } = await openVault()
    const friend = await base.makePayer(0n)
    const { shares } = await status({ owner: payer.address })
    const half = BigInt(shares.replace('.', '').padEnd(shares.indexOf('.') + 18, '0')) / 2n
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [friend.address, half] })
    await base.mined(await payer.send(data, vault))
    const exit = await base.prepare('redeem', {
      owner: friend.address,
      vault,
      to: 'stablecoin',
      fraction_bps: 10_000,
      receiver: stranger,
    })
    const before = await usdcOf(stranger)
    await base.sendInOrder(friend, exit.calls)
    expect(formatUnits((await usdcOf(stranger)) - before, 6)).toBe(expectOf(exit).usdc?.expected)
    const again = { owner: friend.address, vault, to: 'stablecoin', fraction_bps: 1 }
    expect(await refusalOf(base.ask('redeem', again))).toMatchObject({
      extra: { reason: 'no_shares', issues: [{ path: 'owner' }] },
    })
  })

  test('an account with delegated code buys and leaves', async () => {
    const payer = await base.makePayer(usd(50))
    const buy = (amount: string) => base.prepare('buy_stocks', { owner: payer.address, amount })
    await carryOut(payer, await buy('20'), 'batch')
    const code = await base.reader.getCode({ address: payer.address })
    expect(code?.startsWith('0xef0100')).toBe(true)
    await carryOut(payer, await buy('20'))
    const exit = await base.prepare('redeem', { owner: payer.address, to: 'in_kind', fraction_bps: 3_333 })
    await carryOut(payer, exit, 'batch')
  })

  const owner = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
  const wrong: [string, string, object, string][] = [
    ['buy_stocks', 'a wrong checksum', { owner: owner.replace('d8dA', 'd8da'), amount: '1' }, 'owner'],
    ['buy_stocks', 'no address', { owner: '0x12', amount: '1' }, 'owner'],
    ['buy_stocks', 'the zero address', { owner: `0x${'0'.repeat(40)}`, amount: '1' }, 'owner'],
    ...['0', '0.5', '0.999999', '1.1234567', '1e30', '-1', '1,5', '', '1e400', '99999999999999', 'NaN'].map(
      (amount): [string, string, object, string] => [
        'buy_stocks',
        `the amount "${amount}"`,
        { owner, amount },
        'amount',
      ],
    ),
    ['buy_stocks', 'the amount 1e30', { owner, amount: 1e30 }, 'amount'],
    ['buy_stocks', 'the amount -5', { owner, amount: -5 }, 'amount'],
    ...[0, -1, 501, 1.5].map((slippageBps): [string, string, object, string] => [
      'buy_stocks',
      `slippage of ${slippageBps}`,
      { owner, amount: '1', slippage_bps: slippageBps },
      'slippage_bps',
    ]),
    [
      'buy_stocks',
      'slippage above that of the vault',
      { owner, amount: '1', slippage_bps: 101 },
      'slippage_bps',
    ],
    ...[
      [2_500, 2_500, 2_500, 2_501],
      [5_000, 5_000],
      [2_500, 2_500, 2_500, 1_250, 1_250],
      [10_000, 0, 0, 0],
      [5_000, 5_000, 5_000, -5_000],
      [2_500.5, 2_499.5, 2_500, 2_500],
      [],
    ].map((weightsBps): [string, string, object, string] => [
      'set_weights',
      `weights ${JSON.stringify(weightsBps)}`,
      { owner, weightsBps },
      'weightsBps',
    ]),
    ['set_weights', 'no vault', { owner, weightsBps: [2_500, 2_500, 2_500, 2_500] }, 'owner'],
    ['rebalance', 'no vault', { owner }, 'owner'],
    ['redeem', 'no vault', { owner, to: 'in_kind', fraction_bps: 1 }, 'owner'],
    ['redeem', 'neither shares nor a part', { owner, to: 'in_kind' }, 'shares'],
    ['redeem', 'both', { owner, to: 'in_kind', shares: '1', fraction_bps: 1 }, 'fraction_bps'],
    ['redeem', 'a part of 0', { owner, to: 'in_kind', fraction_bps: 0 }, 'fraction_bps'],
    ['redeem', 'a part above all', { owner, to: 'in_kind', fraction_bps: 10_001 }, 'fraction_bps'],
    ['redeem', 'no shares', { owner, to: 'in_kind', shares: '0' }, 'shares'],
    ['redeem', 'shares with 19 decimals', { owner, to: 'in_kind', shares: `0.${'1'.repeat(19)}` }, 'shares'],
    [
      'redeem',
      'slippage where nothing is sold',
      { owner, to: 'in_kind', shares: '1', slippage_bps: 5 },
      'slippage_bps',
    ],
    ['redeem', 'another form', { owner, to: 'euro', shares: '1' }, 'to'],
    ['redeem', 'a vault that is none', { owner, to: 'in_kind', shares: '1', vault: stranger }, 'vault'],
    ['vault_status', 'a vault that is none', { vault: stranger }, 'vault'],
    ['vault_status', 'nothing', {}, 'owner'],
    ['vault_status', 'owner and vault', { owner, vault: stranger }, 'vault'],
  ]
  test.each(wrong)('%s names the field for %s', async (name, _, input, path) => {
    const { code, extra } = await refusalOf(base.ask(name, input))
    expect(['invalid_input', 'not_found']).toContain(code)
    expect(extra.issues?.[0]?.path.split('.')[0]).toBe(path)
  })

  test('a contract as owner, and receivers that would swallow it, are refused by their field', async () => {
    const { payer, vault } = await openVault(10)
    const token = base.basket.stocks[0]?.token
    expect(await refusalOf(base.ask('buy_stocks', { owner: token, amount: '1' }))).toMatchObject({
      code: 'invalid_input',
      extra: { issues: [{ path: 'owner' }] },
    })
    for (const receiver of [vault, token, `0x${'0'.repeat(40)}`])
      expect(
        await refusalOf(
          base.ask('redeem', { owner: payer.address, to: 'stablecoin', fraction_bps: 1, receiver }),
        ),
      ).toMatchObject({ code: 'invalid_input', extra: { issues: [{ path: 'receiver' }] } })
    const more = { owner: payer.address, to: 'in_kind', shares: '1000000000' }
    expect(await refusalOf(base.ask('redeem', more))).toMatchObject({
      extra: { reason: 'insufficient_shares', issues: [{ path: 'shares' }] },
    })
    const claim = { owner: payer.address, to: 'set_aside' }
    expect(await refusalOf(base.ask('redeem', claim))).toMatchObject({
      extra: { reason: 'nothing_set_aside' },
    })
    const empty = await base.makePayer(0n)
    await base.sendInOrder(empty, (await base.prepare('create_vault', { owner: empty.address })).calls)
    expect(await refusalOf(base.ask('rebalance', { owner: empty.address }))).toMatchObject({
      extra: { reason: 'empty_vault', issues: [{ path: 'owner' }] },
    })
  })

  /** The port with some answers of the node changed. */
  const lyingEvm = (lie: (method: string, params: readonly unknown[]) => EvmAnswer | undefined): Evm => ({
    ask: base.evm.ask,
    local: chain => {
      const local = base.evm.local?.(chain)
      return (
        local && {
          generation: local.generation,
          ask: async (method, params, options) =>
            lie(method, params) ?? (await local.ask(method, params, options)),
        }
      )
    },
  })

  const factorySetting = (): [typeof moneySettings.vaultFactory, Hex] => [
    moneySettings.vaultFactory,
    base.basket.factory,
  ]

  test('a node that puts something else where a vault must be is not believed', async () => {
    const payer = await base.makePayer(usd(10))
    const { vault } = await status({ owner: payer.address })
    const evm = lyingEvm((method, [address]) =>
      method === 'eth_getCode' && String(address).toLowerCase() === vault.toLowerCase()
        ? { result: '0x6001', endpoint: 'liar' }
        : undefined,
    )
    const money = await base.startWith({ evm, own: [factorySetting()] })
    const answer = money.ask('buy_stocks', { owner: payer.address, amount: '1' })
    expect(await refusalOf(answer)).toMatchObject({ code: 'upstream' })
    await money.stop()
  })

  test('a node without eth_simulateV1 prepares the same calls', async () => {
    const { payer } = await openVault(30)
    const evm = lyingEvm(method =>
      method === 'eth_simulateV1'
        ? { error: { code: -32601, message: 'Method not found', data: null }, endpoint: 'old' }
        : undefined,
    )
    const money = await base.startWith({ evm, own: [factorySetting()] })
    expect(await money.ask('vault_status', { owner: payer.address })).toEqual(
      await base.ask('vault_status', { owner: payer.address }),
    )
    const exit = await money.prepare('redeem', {
      owner: payer.address,
      to: 'stablecoin',
      fraction_bps: 5_000,
    })
    await carryOut(payer, exit)
    const balanced = await money.prepare('rebalance', {
      owner: payer.address,
      weightsBps: [4_000, 3_000, 2_000, 1_000],
    })
    await carryOut(payer, balanced)
    await money.stop()
  })

  test('a token that no longer answers hides nothing of the others', async () => {
    const { payer } = await openVault(30)
    const token = base.basket.stocks[1]?.token ?? '0x'
    const code = await base.reader.getCode({ address: token })
    const anvil = (method: string, params: unknown[]) => base.evm.local?.('base')?.ask(method, params)
    await anvil('anvil_setCode', [token, '0x60006000fd'])
    try {
      const after = await status({ owner: payer.address })
      expect(after).toMatchObject({ exists: true, value: null, current_bps: null })
      expect(after.holdings.map(({ amount }) => amount === null)).toEqual([false, true, false, false])
      const exit = { owner: payer.address, to: 'in_kind', fraction_bps: 10_000 }
      expect(await refusalOf(base.ask('redeem', exit))).toMatchObject({ code: 'conflict' })
    } finally {
      await anvil('anvil_setCode', [token, code ?? '0x'])
    }
  })

  test('signals are those of the made-up prices, and a vault has its drift', async () => {
    const { vault } = await openVault(40)
    const { readSignals } = await import('../../../mcp/services/money/signals/basket.ts')
    const { vault: drift, ...signals } = await readSignals(deps({}), vault)
    expect(signals).toMatchObject({ simulated: true, days: 61 })
    expect(drift?.current_bps.reduce((sum, part) => sum + part, 0)).toBe(10_000)
    for (const part of drift?.current_bps ?? []) expect(Math.abs(part - 2_500)).toBeLessThan(200)
  })

  const deps = (more: object) => ({
    evm: base.evm,
    cache: openCache({ clock: { now: () => new Date() } }),
    signal: AbortSignal.timeout(600_000),
    now: () => new Date(),
    stocks: base.basket.stocks,
    ...more,
  })

  test('vaults are on with what they are, or off with the reason', async () => {
    expect(await describeVaults(deps({}))).toMatchObject({ state: 'on', simulated: true })
    const { factory, stocks } = base.basket
    const reasons: [object, RegExp][] = [
      [{ vaultFactory: stranger }, /no factory of vaults at/],
      [{ vaultFactory: stocks[0]?.token }, /no factory of vaults at/],
      [{ vaultFactory: factory, vaultVenue: stranger }, /MONEY_VAULT_VENUE/],
      [{ vaultFactory: factory, stocks: [...stocks].reverse() }, /MONEY_STOCKS has/],
      [{ vaultFactory: factory, stocks: stocks.map(stock => ({ ...stock, feed: stranger })) }, /the feed of/],
      [{ vaultFactory: factory, stocks: stocks.map(stock => ({ ...stock, decimals: 6 })) }, /8 decimals/],
    ]
    for (const [more, reason] of reasons)
      expect(await describeVaults(deps(more))).toMatchObject({
        state: 'off',
        reason: expect.stringMatching(reason),
      })
    // A real chain without a factory.
    const real: Evm = { ask: base.evm.ask }
    expect(await describeVaults(deps({ evm: real }))).toMatchObject({
      state: 'off',
      reason: expect.stringContaining('MONEY_VAULT_FACTORY'),
    })
  })

  test('prices of a closed exchange are frozen, and old ones stale; both are warned of', async () => {
    const hour = 3_600_000
    const hours = Array.from({ length: 94 }, (_, nth) => new Date(Date.now() + nth * hour))
    const isOpen = (at: Date) => readMarketHours(at).open
    const look = async (at: Date | undefined) => {
      if (!at) throw new Error('no such hour')
      const money = await base.startWith({ now: () => at })
      const index = await money.ask('discover_index', {})
      await money.stop()
      return index as { warnings: string[]; constituents: { state: string }[] }
    }
    const open = await look(hours.find(isOpen))
    expect(open.constituents.map(({ state }) => state)).toEqual(['live', 'live', 'live', 'live'])
    const closed = await look(hours.find(at => !isOpen(at)))
    expect(closed.constituents[0]).toMatchObject({ state: 'frozen' })
    expect(closed.warnings[0]).toContain('The exchange is closed')
    const later = await look(new Date(Date.now() + 10 * 24 * hour))
    expect(later.constituents[0]).toMatchObject({ state: 'stale' })
    expect(later.warnings.join()).toContain('no usable price of NVDA, META, AAPL, GOOGL')
  })

  test('a receiver that the issuer of USDC has blocked is named, and in kind works all the same', async () => {
    const { payer } = await openVault(20)
    const { address: usdc } = base.chain.network.token
    const anvil = (method: string, params: unknown[]) => base.evm.local?.('base')?.ask(method, params)
    const code = await base.reader.getCode({ address: usdc })
    const block = await compile(fileURLToPath(new URL('./Blocking.sol', import.meta.url)))
    const wallet = createWalletClient({ account: base.admin.account, transport: custom(base.reader) })
    const { contractAddress } = await base.mined(
      await wallet.deployContract({ ...block('Blocking'), chain: null }),
    )
    const front = await base.reader.getCode({ address: contractAddress ?? '0x' })
    await anvil('anvil_setCode', ['0x00000000000000000000000000000000000c014e', code])
    await anvil('anvil_setCode', [usdc, front])
    try {
      const receiver = '0x000000000000000000000000000000000b10cced'
      const exit = { owner: payer.address, fraction_bps: 10_000, receiver }
      expect(await refusalOf(base.ask('redeem', { ...exit, to: 'stablecoin' }))).toMatchObject({
        code: 'conflict',
        extra: { reason: 'receiver_blocked', issues: [{ path: 'receiver' }] },
      })
      await base.mined(
        await base.admin.send(
          encodeFunctionData({
            abi: testUsdc.abi,
            functionName: 'mint',
            args: [base.admin.address, 1_000_000n],
          }),
        ),
      )
      const { vault } = await status({ owner: payer.address })
      await base.mined(await base.admin.transfer(vault, 1_000_000n))
      const inKind = await base.prepare('redeem', { ...exit, to: 'in_kind' })
      expect(expectOf(inKind).set_aside).toMatchObject([{ symbol: 'USDC', amount: '1' }])
      expect(expectOf(inKind).tokens).toHaveLength(4)
      await base.sendInOrder(payer, inKind.calls)
      expect(await status({ owner: payer.address, receiver })).toMatchObject({
        set_aside: [{ symbol: 'USDC', amount: '1' }],
      })
      const claim = { owner: payer.address, to: 'set_aside', set_aside_for: receiver }
      expect(await refusalOf(base.ask('redeem', claim))).toMatchObject({
        message: expect.stringContaining('Blacklistable: account is blacklisted'),
      })
      // Nobody but the receiver sends it elsewhere.
      expect(await refusalOf(base.ask('redeem', { ...claim, receiver: payer.address }))).toMatchObject({
        extra: { issues: [{ path: 'receiver' }] },
      })
    } finally {
      await anvil('anvil_setCode', [usdc, code])
    }
  })

  test('the address is the one that the factory computes, for any owner', async () => {
    const basket = await openBasket(deps({}))
    const dice = openDice(7)
    for (let round = 0; round < 20; round++) {
      const hex = Array.from({ length: 40 }, () => dice(16).toString(16)).join('')
      const owner: Hex = `0x${hex}`
      const { abi } = basketVaultFactory
      const address = base.basket.factory
      expect(await base.reader.readContract({ address, abi, functionName: 'vaultOf', args: [owner] })).toBe(
        vaultAddress(basket, owner),
      )
    }
  })
})
