import { encode, inYears, soon, transaction, who } from '../examples.ts'
import { at, days, isMeant, isTrusted, type OnchainRule } from '../rule.ts'
import { isSame, type Scene, type Trade } from '../scene.ts'

const v2 = 'swapExactTokensForTokens(uint256,uint256,address[],address,uint256)'
const route = [who.usdc, who.token]

const swap = (minimum: bigint, { to = who.me as string, deadline = soon, intent = {} } = {}) =>
  transaction(who.router, encode(v2, [10_000n, minimum, route, to, deadline]), { intent })

const v3 =
  'exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)'

/** A swap whose output is kept by the router, and the step that pays it out. */
const swapAndUnwrap = (minimum: bigint) =>
  transaction(
    '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
    encode('multicall(bytes[])', [
      [
        encode(v3, [
          {
            tokenIn: who.usdc,
            tokenOut: who.token,
            fee: 500,
            recipient: '0x0000000000000000000000000000000000000002',
            amountIn: 10_000n,
            amountOutMinimum: 0n,
            sqrtPriceLimitX96: 0n,
          },
        ]),
        encode('unwrapWETH9(uint256,address)', [minimum, who.me]),
      ],
    ]),
  )

/** Computes a trade's minimum out, also if a later step of the batch says it. */
const computeMinimum = (scene: Scene, trade: Trade): bigint | undefined => {
  if (trade.minOut === undefined) return undefined
  const guards = scene.sweeps.map(({ minimum }) => minimum)
  const guard = guards.length === 0 ? 0n : guards.reduce((one, other) => (other > one ? other : one))
  return guard > trade.minOut ? guard : trade.minOut
}

/** A minimum of a few atomic units for thousands of them is none. */
const isNothing = (minimum: bigint, amountIn: bigint | undefined): boolean =>
  minimum === 0n || (minimum <= 10n && amountIn !== undefined && amountIn > 1000n)

const noLimit = 2n ** 128n

/** Exchanges: what must come out, to whom, and until when. */
export const tradeRules: readonly OnchainRule[] = [
  {
    id: 'zero-minimum',
    severity: 'blocker',
    fix: 'Set the minimum to the quote less the slippage that you bear.',
    hits: () => [swap(0n), swap(1n), swapAndUnwrap(0n)],
    misses: () => [swap(9_900n), swapAndUnwrap(9_900n)],
    check: scene =>
      scene.trades
        .filter(trade => {
          const minimum = computeMinimum(scene, trade)
          return minimum !== undefined && isNothing(minimum, trade.amountIn)
        })
        .map(({ path }) => ({
          detail: 'Any output is taken, even nothing: whoever sees the trade coming keeps the difference.',
          place: at(path),
        })),
  },
  {
    id: 'unbounded-input',
    severity: 'blocker',
    fix: 'Set the maximum to the quote and the slippage that you bear.',
    hits: () => [
      transaction(
        who.router,
        encode('swapTokensForExactTokens(uint256,uint256,address[],address,uint256)', [
          10n,
          2n ** 256n - 1n,
          route,
          who.me,
          soon,
        ]),
      ),
    ],
    misses: () => [
      transaction(
        who.router,
        encode('swapTokensForExactTokens(uint256,uint256,address[],address,uint256)', [
          10n,
          20n,
          route,
          who.me,
          soon,
        ]),
      ),
    ],
    check: ({ trades }) =>
      trades
        .filter(({ maxIn }) => maxIn !== undefined && maxIn >= noLimit)
        .map(({ path }) => ({ detail: 'It pays any price for what comes out.', place: at(path) })),
  },
  {
    id: 'slippage',
    severity: 'high',
    fix: 'Set the minimum closer to the quote.',
    hits: () => [
      swap(8_500n, { intent: { amount_out: '10000' } }),
      swap(7_500n, { intent: { amount_out: '10000' } }),
    ],
    misses: () => [swap(9_900n, { intent: { amount_out: '10000' } }), swap(8_500n)],
    check: scene => {
      const { amountOut: quote } = scene.action.intent
      if (quote === undefined || quote === 0n) return []
      return scene.trades.flatMap(trade => {
        const minimum = computeMinimum(scene, trade)
        if (minimum === undefined || minimum >= quote) return []
        const bps = Number(((quote - minimum) * 10_000n) / quote)
        if (bps <= 1000) return []
        return [
          {
            detail: `It may give ${bps / 100} % less than the quote of ${quote}.`,
            ...(bps > 2000 && { severity: 'blocker' as const }),
            place: at(trade.path),
          },
        ]
      })
    },
  },
  {
    id: 'foreign-recipient',
    severity: 'high',
    fix: 'Have the output come to your own account.',
    hits: () => [swap(9_900n, { to: who.stranger })],
    misses: () => [swap(9_900n), swap(9_900n, { to: who.friend, intent: { recipient: who.friend } })],
    check: scene => {
      if (scene.signer === undefined) return []
      const recipients = [
        ...scene.trades.flatMap(({ recipient, path }) => (recipient ? [{ recipient, path }] : [])),
        ...scene.sweeps,
      ]
      return recipients
        .filter(({ recipient }) => !isMeant(scene, recipient) && !isTrusted(scene, recipient))
        .filter(({ recipient }) => !scene.calls.some(({ from }) => isSame(from, recipient)))
        .map(({ recipient, path }) => ({
          detail: `What comes out goes to ${recipient}, which is not the account that signs.`,
          place: at(path),
        }))
    },
  },
  {
    id: 'other-trade-recipient',
    severity: 'blocker',
    fix: 'Compare the whole address with the one that is meant.',
    hits: () => [swap(9_900n, { to: who.stranger, intent: { recipient: who.friend } })],
    misses: () => [swap(9_900n, { to: who.friend, intent: { recipient: who.friend } }), swap(9_900n)],
    check: ({ trades, signer, action: { intent } }) =>
      trades
        .filter(
          ({ recipient }) =>
            intent.recipient !== undefined &&
            recipient !== undefined &&
            !isSame(recipient, intent.recipient) &&
            !isSame(recipient, signer),
        )
        .map(({ recipient, path }) => ({
          detail: `The output goes to ${recipient}; ${intent.recipient} is meant.`,
          place: at(path),
        })),
  },
  {
    id: 'far-deadline',
    severity: 'medium',
    fix: 'Let it end within minutes: whoever holds it back executes it when the price suits them.',
    hits: () => [swap(9_900n, { deadline: inYears })],
    misses: () => [swap(9_900n)],
    check: scene => {
      // Orders wait to be filled; a month is theirs.
      const isOrder = scene.typedData !== undefined
      return scene.trades
        .filter(({ deadline }) => deadline !== undefined && deadline > scene.now + days(isOrder ? 31 : 1))
        .map(({ path }) => ({
          detail: `It holds for more than ${isOrder ? 'a month' : 'a day'}.`,
          place: at(path),
        }))
    },
  },
  {
    id: 'past-deadline',
    severity: 'low',
    fix: 'Ask for a new quote.',
    hits: () => [swap(9_900n, { deadline: 1_700_000_000 })],
    misses: () => [swap(9_900n)],
    check: scene =>
      scene.trades
        .filter(({ deadline }) => deadline !== undefined && deadline > 1_000_000_000n && deadline < scene.now)
        .map(({ path }) => ({ detail: 'Its deadline is over: it would fail.', place: at(path) })),
  },
]
