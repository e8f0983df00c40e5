import { describe, expect, test } from 'vitest'
import { openXoshiro } from '../../../../mcp/services/proof/validate/sign-flip.ts'
import { opened } from '../../../opened.ts'
import { refusalOf, startProof } from '../verdict-run.ts'

const proof = opened(startProof)

const validate = (input: object) => proof.ask('validate', input)

/** Normal returns with an edge of so many standard deviations. */
const draw = (count: number, edge: number, seed: number): number[] => {
  const random = openXoshiro(seed)
  const uniform = () => (random() + 0.5) / 2 ** 32
  return Array.from(
    { length: count },
    () => 0.01 * (edge + Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())),
  )
}

describe('verdicts', () => {
  test('a strong edge over many trades is likely real', async () => {
    expect(await validate({ returns: draw(1000, 0.25, 3) })).toMatchObject({
      verdict: 'likely_real',
      reasons: ['Every test is passed.'],
      observations: 1000,
    })
  })

  test('the same edge as the best of many trials over few trades is noise', async () => {
    expect(await validate({ returns: draw(60, 0.2, 4), n_trials: 1000 })).toMatchObject({
      verdict: 'overfit_or_noise',
      reasons: [expect.stringMatching(/deflated Sharpe/)],
    })
  })

  test('fewer than 30 observations are never likely real', async () => {
    const answer = await validate({ returns: draw(29, 2, 5) })
    expect(answer).toMatchObject({ verdict: 'borderline' })
    expect(answer.reasons).toContain('29 observations are fewer than 30.')
  })

  test('of worthless returns hardly any are called real', async () => {
    const verdicts = await Promise.all(
      Array.from(
        { length: 200 },
        async (_, seed) => (await validate({ returns: draw(120, 0, seed + 10), n_perms: 500 })).verdict,
      ),
    )
    expect(verdicts.filter(verdict => verdict === 'likely_real').length).toBeLessThan(20)
    expect(verdicts.filter(verdict => verdict === 'overfit_or_noise').length).toBeGreaterThan(160)
  })

  test('the same call is answered the same, here and on a worker', async () => {
    const small = { returns: draw(200, 0.1, 6), seed: 9 }
    expect(await validate(small)).toEqual(await validate(small))
    const large = { returns: draw(5000, 0.03, 6), n_perms: 10_000, seed: 9 }
    const [first, second] = await Promise.all([validate(large), validate(large)])
    expect(first).toEqual(second)
    expect(first).toMatchObject({ permutation: { permutations: 10_000, exact: false } })
  })
})

describe('trades', () => {
  const trades = draw(60, 0.3, 8).map((ret, nth) => ({
    ret,
    coin: nth % 4 ? 'ETH' : 'BTC',
    ts: 1_767_225_600 + nth * 3600,
  }))

  test('count as their returns do', async () => {
    const byTrades = await validate({ trades })
    const byReturns = await validate({ returns: trades.map(({ ret }) => ret) })
    expect(byTrades.psr).toBe(byReturns.psr)
    expect(byTrades.concentration).toMatchObject({ dominant_coin: 'ETH' })
    expect(byReturns.concentration).toMatchObject({ dominant_coin: null, coin_hhi: null })
  })

  test('a record that hangs on one trade says so', async () => {
    const lucky = [
      ...trades.map(trade => ({ ...trade, ret: -Math.abs(trade.ret) / 100 })),
      { ret: 3, coin: 'BTC', ts: 1_777_225_600 },
    ]
    expect((await validate({ trades: lucky })).concentration).toMatchObject({ sign_survives: false })
  })

  test('basis points are fractions of ten thousand', async () => {
    const bps = trades.map(({ ret, ...trade }) => ({ ...trade, net_bps: ret * 10_000 }))
    const answer = await validate({ trades: bps })
    expect(answer.sharpe).toBeCloseTo((await validate({ trades })).sharpe as number, 10)
  })
})

describe('refusals name the field', () => {
  const good = draw(20, 0.1, 1)
  const at = (nth: number) => ({ ret: nth % 2 ? 0.01 : -0.002, ts: 1_767_225_600 + nth })
  const trades = Array.from({ length: 12 }, (_, nth) => at(nth))
  const replace = (nth: number, trade: object) => trades.map((old, place) => (place === nth ? trade : old))

  test.each<[string, object, string]>([
    ['nothing', {}, 'returns'],
    ['both', { returns: good, trades }, 'trades'],
    ['one return', { returns: [0.1] }, 'returns'],
    ['one trade', { trades: [at(0)] }, 'trades'],
    ['no trade', { trades: [] }, 'trades'],
    ['NaN', { returns: [...good, Number.NaN] }, 'returns.20'],
    ['infinity', { returns: [Number.POSITIVE_INFINITY, ...good] }, 'returns.0'],
    ['null', { returns: [...good, null] }, 'returns.20'],
    ['text', { returns: [...good, '0.1'] }, 'returns.20'],
    ['a return of 1e7', { returns: [...good, 1e7] }, 'returns.20'],
    ['20,001 returns', { returns: Array.from({ length: 20_001 }, (_, nth) => nth / 1e6) }, 'returns'],
    ['returns that are all the same', { returns: Array.from({ length: 40 }, () => 0.1) }, 'returns'],
    ['NaN in a trade', { trades: replace(3, { ret: Number.NaN, ts: 1_767_225_603 }) }, 'trades.3.ret'],
    ['trades that are not sorted', { trades: replace(4, at(2)) }, 'trades.4.ts'],
    ['a trade without time among others', { trades: replace(5, { ret: 0.1 }) }, 'trades.5.ts'],
    ['a time that is none', { trades: replace(5, { ret: 0.1, ts: 'noon' }) }, 'trades.5.ts'],
    [
      'an exit before the entry',
      { trades: replace(5, { ...at(5), entry: 2000, exit: 1000 }) },
      'trades.5.exit',
    ],
    ['two units in one trade', { trades: replace(2, { ...at(2), pnl: 5 }) }, 'trades.2'],
    ['no unit', { trades: replace(2, { ts: 1_767_225_602 }) }, 'trades.2'],
    ['another unit than the first', { trades: replace(2, { pnl: 5, ts: 1_767_225_602 }) }, 'trades.2'],
    ['no trials', { returns: good, n_trials: 0 }, 'n_trials'],
    ['too many trials', { returns: good, n_trials: 10_000_001 }, 'n_trials'],
    [
      'fewer trials than their ratios',
      { returns: good, n_trials: 2, trial_sharpes: [0.1, 0.2, 0.3] },
      'n_trials',
    ],
    ['one trial ratio', { returns: good, trial_sharpes: [0.1] }, 'trial_sharpes'],
    ['folds of one return', { returns: good, k_folds: 11 }, 'k_folds'],
    ['too few flips', { returns: good, n_perms: 199 }, 'n_perms'],
    ['a strategy', { returns: good, strategy: 'buy low' }, 'strategy'],
  ])('%s', async (_, input, path) => {
    const refusal = await refusalOf(validate(input))
    expect(refusal).toMatchObject({ code: 'invalid_input' })
    expect(refusal.paths.some(named => named === path || named === '')).toBe(true)
    expect(`${refusal.paths} ${refusal.message}`).toContain(path)
  })
})
