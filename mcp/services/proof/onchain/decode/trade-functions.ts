import type { Hex } from '../action.ts'
import { type Call, lower } from '../scene.ts'
import type { Reading } from './functions.ts'
import { type KnownFunction, knownFunction, knownPlain } from './functions.ts'
import { readRouterCommands, settleRecipient, tokensOfPath } from './universal-router.ts'

/** The first and the last token of a route. */
const ends = (route: readonly string[]) => {
  const [first, last] = [route[0], route.at(-1)]
  return {
    tokenIn: first === undefined ? undefined : lower(first),
    tokenOut: last === undefined ? undefined : lower(last),
  }
}

type V2 = {
  amountIn?: bigint
  minOut?: bigint
  maxIn?: bigint
  route: readonly string[]
  recipient: string
  deadline: bigint
}

const addV2 = ({ route, recipient, ...facts }: V2, call: Call, { trade }: Reading) =>
  trade({
    ...facts,
    ...settleRecipient(recipient, call),
    ...ends(route),
    ...(call.value > 0n && { tokenIn: undefined }),
    route: route.map(lower),
    router: call.to,
    style: 'v2',
    path: call.path,
  })

const v2In = 'uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline' as const
const v2Coins = 'uint256 amountOutMin, address[] path, address to, uint256 deadline' as const
const v2Out = 'uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline' as const

const sellV2 = (name: string) =>
  knownFunction(name, v2In, ([amountIn, minOut, route, recipient, deadline], call, reading) =>
    addV2({ amountIn, minOut, route, recipient, deadline }, call, reading),
  )

const sellCoins = (name: string) =>
  knownFunction(name, v2Coins, ([minOut, route, recipient, deadline], call, reading) =>
    addV2({ amountIn: call.value, minOut, route, recipient, deadline }, call, reading),
  )

const buyV2 = (name: string) =>
  knownFunction(name, v2Out, ([, maxIn, route, recipient, deadline], call, reading) =>
    addV2({ maxIn, route, recipient, deadline }, call, reading),
  )

type V3 = {
  recipient: string
  deadline?: bigint
  amountIn?: bigint
  minOut?: bigint
  maxIn?: bigint
  tokens: readonly string[]
}

const addV3 = ({ recipient, tokens, ...facts }: V3, call: Call, { trade }: Reading) =>
  trade({
    ...facts,
    ...settleRecipient(recipient, call),
    ...ends(tokens),
    route: tokens.map(lower),
    router: call.to,
    style: 'v3',
    path: call.path,
  })

const followSelf = (items: readonly string[], call: Call, { follow }: Reading) => {
  for (const [index, data] of items.entries())
    follow(
      {
        to: call.to,
        data: data as Hex,
        value: 0n,
        from: call.from,
        path: `${call.path}.multicall[${index}]`,
      },
      call,
    )
}

/** Routers and pools: Uniswap V2, V3, its Universal Router, Curve, and what wraps several of their calls. */
export const tradeFunctions: readonly KnownFunction[] = [
  sellV2('swapExactTokensForTokens'),
  sellV2('swapExactTokensForTokensSupportingFeeOnTransferTokens'),
  sellV2('swapExactTokensForETH'),
  sellV2('swapExactTokensForETHSupportingFeeOnTransferTokens'),
  sellCoins('swapExactETHForTokens'),
  sellCoins('swapExactETHForTokensSupportingFeeOnTransferTokens'),
  buyV2('swapTokensForExactTokens'),
  buyV2('swapTokensForExactETH'),
  knownFunction(
    'swapETHForExactTokens',
    'uint256 amountOut, address[] path, address to, uint256 deadline',
    ([, route, recipient, deadline], call, reading) =>
      addV2({ maxIn: call.value, route, recipient, deadline }, call, reading),
  ),
  knownFunction(
    'swapExactTokensForTokens',
    'uint256 amountIn, uint256 amountOutMin, address[] path, address to',
    ([amountIn, minOut, route, recipient], call, { trade }) =>
      trade({
        amountIn,
        minOut,
        ...settleRecipient(recipient, call),
        ...ends(route),
        route: route.map(lower),
        router: call.to,
        style: 'v2',
        path: call.path,
      }),
  ),
  knownFunction(
    'exactInputSingle',
    '(address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params',
    ([{ tokenIn, tokenOut, recipient, deadline, amountIn, amountOutMinimum: minOut }], call, reading) =>
      addV3({ recipient, deadline, amountIn, minOut, tokens: [tokenIn, tokenOut] }, call, reading),
  ),
  knownFunction(
    'exactInputSingle',
    '(address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params',
    ([{ tokenIn, tokenOut, recipient, amountIn, amountOutMinimum: minOut }], call, reading) =>
      addV3({ recipient, amountIn, minOut, tokens: [tokenIn, tokenOut] }, call, reading),
  ),
  knownFunction(
    'exactInput',
    '(bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum) params',
    ([{ path, recipient, deadline, amountIn, amountOutMinimum: minOut }], call, reading) =>
      addV3({ recipient, deadline, amountIn, minOut, tokens: tokensOfPath(path) }, call, reading),
  ),
  knownFunction(
    'exactInput',
    '(bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params',
    ([{ path, recipient, amountIn, amountOutMinimum: minOut }], call, reading) =>
      addV3({ recipient, amountIn, minOut, tokens: tokensOfPath(path) }, call, reading),
  ),
  knownFunction(
    'exactOutputSingle',
    '(address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params',
    ([{ tokenIn, tokenOut, recipient, deadline, amountInMaximum: maxIn }], call, reading) =>
      addV3({ recipient, deadline, maxIn, tokens: [tokenIn, tokenOut] }, call, reading),
  ),
  knownFunction(
    'exactOutputSingle',
    '(address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params',
    ([{ tokenIn, tokenOut, recipient, amountInMaximum: maxIn }], call, reading) =>
      addV3({ recipient, maxIn, tokens: [tokenIn, tokenOut] }, call, reading),
  ),
  knownFunction(
    'exchange',
    'int128 i, int128 j, uint256 dx, uint256 min_dy',
    ([, , amountIn, minOut], call, { trade }) =>
      trade({ amountIn, minOut, recipient: call.from, router: call.to, path: call.path }),
  ),
  knownFunction(
    'addLiquidity',
    'address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline',
    ([tokenA, , amountIn, , minA, minB, recipient, deadline], call, { trade }) =>
      trade({
        tokenIn: lower(tokenA),
        amountIn,
        minOut: minA === 0n || minB === 0n ? 0n : minA,
        ...settleRecipient(recipient, call),
        deadline,
        router: call.to,
        path: call.path,
      }),
  ),
  knownFunction(
    'removeLiquidity',
    'address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline',
    ([tokenA, , amountIn, minA, minB, recipient, deadline], call, { trade }) =>
      trade({
        tokenOut: lower(tokenA),
        amountIn,
        minOut: minA === 0n || minB === 0n ? 0n : minA,
        ...settleRecipient(recipient, call),
        deadline,
        router: call.to,
        path: call.path,
      }),
  ),
  knownFunction(
    'unwrapWETH9',
    'uint256 amountMinimum, address recipient',
    ([minimum, recipient], call, { scene, mention }) => {
      scene.sweeps.push({
        token: undefined,
        minimum,
        recipient: mention(recipient, 'recipient of a trade', call.path),
        path: call.path,
      })
    },
  ),
  knownFunction('unwrapWETH9', 'uint256 amountMinimum', ([minimum], call, { scene }) => {
    if (call.from) scene.sweeps.push({ token: undefined, minimum, recipient: call.from, path: call.path })
  }),
  knownFunction(
    'sweepToken',
    'address token, uint256 amountMinimum, address recipient',
    ([token, minimum, recipient], call, { scene, mention }) => {
      scene.sweeps.push({
        token: lower(token),
        minimum,
        recipient: mention(recipient, 'recipient of a trade', call.path),
        path: call.path,
      })
    },
  ),
  knownPlain('refundETH'),
  knownFunction('wrapETH', 'uint256 value', () => undefined),
  knownFunction(
    'selfPermit',
    'address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s',
    ([token, amount, expires], call, { grant }) =>
      grant({
        kind: 'token',
        via: 'selfPermit',
        token: lower(token),
        spender: call.to,
        amount,
        expires,
        path: call.path,
      }),
  ),
  knownFunction('multicall', 'bytes[] data', ([items], call, reading) => followSelf(items, call, reading)),
  knownFunction('multicall', 'uint256 deadline, bytes[] data', ([, items], call, reading) =>
    followSelf(items, call, reading),
  ),
  knownFunction('multicall', 'bytes32 previousBlockhash, bytes[] data', ([, items], call, reading) =>
    followSelf(items, call, reading),
  ),
  knownFunction(
    'execute',
    'bytes commands, bytes[] inputs, uint256 deadline',
    ([commands, inputs, deadline], call, reading) =>
      readRouterCommands(commands, inputs, deadline, call, reading),
  ),
  knownFunction('execute', 'bytes commands, bytes[] inputs', ([commands, inputs], call, reading) =>
    readRouterCommands(commands, inputs, undefined, call, reading),
  ),
  knownFunction(
    'depositForBurn',
    'uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken',
    ([amountIn, , recipient, token], call, { trade }) =>
      trade({
        tokenIn: lower(token),
        amountIn,
        recipient: lower(`0x${recipient.slice(26)}`),
        router: call.to,
        path: call.path,
      }),
  ),
  knownFunction(
    'depositForBurn',
    'uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold',
    ([amountIn, , recipient, token], call, { trade }) =>
      trade({
        tokenIn: lower(token),
        amountIn,
        recipient: lower(`0x${recipient.slice(26)}`),
        router: call.to,
        path: call.path,
      }),
  ),
]
