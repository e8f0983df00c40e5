import { type AbiParameter, decodeAbiParameters, parseAbiParameters } from 'viem'
import type { Address, Hex } from '../action.ts'
import { type Call, isSame, lower } from '../scene.ts'
import type { Reading } from './functions.ts'

/** Routers keep the output for a later step when it is theirs: zero, themselves, or their constant 2. Constant 1 is the sender. */
export const settleRecipient = (
  recipient: string,
  call: Call,
): { recipient: Address | undefined; isKept: boolean } => {
  if (/^0x0{39}[02]$/.test(recipient) || isSame(recipient, call.to))
    return { recipient: undefined, isKept: true }
  if (/^0x0{39}1$/.test(recipient)) return { recipient: call.from, isKept: false }
  return { recipient: lower(recipient), isKept: false }
}

/** Tokens of a path of Uniswap V3: 20 bytes each, fees of 3 bytes between them. */
export const tokensOfPath = (path: string): Address[] => {
  const digits = path.slice(2)
  const tokens: Address[] = []
  for (let at = 0; at + 40 <= digits.length; at += 46) tokens.push(lower(`0x${digits.slice(at, at + 40)}`))
  return tokens
}

type Command = {
  name: string
  inputs: readonly AbiParameter[]
  read(
    args: readonly unknown[],
    at: { path: string; deadline: bigint | undefined },
    call: Call,
    reading: Reading,
  ): void
}

const command = (name: string, inputs: string, read: Command['read']): Command => ({
  name,
  inputs: parseAbiParameters(inputs) as readonly AbiParameter[],
  read,
})

const swap =
  (style: 'v2' | 'v3', isExactIn: boolean): Command['read'] =>
  ([recipient, first, second, route], { path, deadline }, call, { trade }) => {
    const tokens = style === 'v3' ? tokensOfPath(String(route)) : (route as string[]).map(lower)
    const ordered = style === 'v3' && !isExactIn ? [...tokens].reverse() : tokens
    trade({
      ...settleRecipient(String(recipient), call),
      ...(isExactIn ? { amountIn: first as bigint, minOut: second as bigint } : { maxIn: second as bigint }),
      tokenIn: ordered[0],
      tokenOut: ordered.at(-1),
      route: ordered,
      deadline,
      router: call.to,
      style: 'other',
      path,
    })
  }

type PermitSingle = {
  details: { token: string; amount: bigint; expiration: number }
  spender: string
}

const permitGrant = ({ details, spender }: PermitSingle, path: string, { grant }: Reading) =>
  grant({
    kind: 'token',
    via: 'Permit2 permit',
    token: lower(details.token),
    spender,
    amount: details.amount,
    expires: BigInt(details.expiration),
    path,
  })

const commands: Readonly<Record<number, Command>> = {
  0: command(
    'V3_SWAP_EXACT_IN',
    'address recipient, uint256 amountIn, uint256 amountOutMin, bytes path, bool payerIsUser',
    swap('v3', true),
  ),
  1: command(
    'V3_SWAP_EXACT_OUT',
    'address recipient, uint256 amountOut, uint256 amountInMax, bytes path, bool payerIsUser',
    swap('v3', false),
  ),
  2: command(
    'PERMIT2_TRANSFER_FROM',
    'address token, address recipient, uint160 amount',
    ([token, to, amount], { path }, call, { pay }) => {
      const { recipient, isKept } = settleRecipient(String(to), call)
      if (!isKept && recipient)
        pay({ token: lower(String(token)), from: call.from, to: recipient, amount: amount as bigint, path })
    },
  ),
  4: command(
    'SWEEP',
    'address token, address recipient, uint256 amountMin',
    ([token, to, minimum], { path }, call, { scene, mention }) => {
      const { recipient } = settleRecipient(String(to), call)
      if (recipient)
        scene.sweeps.push({
          token: lower(String(token)),
          minimum: minimum as bigint,
          recipient: mention(recipient, 'recipient of a trade', path),
          path,
        })
    },
  ),
  5: command(
    'TRANSFER',
    'address token, address recipient, uint256 value',
    ([token, to, amount], { path }, call, { pay }) => {
      const { recipient, isKept } = settleRecipient(String(to), call)
      if (!isKept && recipient)
        pay({ token: lower(String(token)), from: call.from, to: recipient, amount: amount as bigint, path })
    },
  ),
  6: command(
    'PAY_PORTION',
    'address token, address recipient, uint256 bips',
    ([token, to, bips], { path }, _, { scene, mention }) => {
      mention(String(to), 'recipient of a share', path)
      scene.problems.push(
        ...(Number(bips) > 300
          ? [`${Number(bips) / 100} % of ${String(token)} goes to ${String(to)} as a fee.`]
          : []),
      )
    },
  ),
  8: command(
    'V2_SWAP_EXACT_IN',
    'address recipient, uint256 amountIn, uint256 amountOutMin, address[] path, bool payerIsUser',
    swap('v2', true),
  ),
  9: command(
    'V2_SWAP_EXACT_OUT',
    'address recipient, uint256 amountOut, uint256 amountInMax, address[] path, bool payerIsUser',
    swap('v2', false),
  ),
  10: command(
    'PERMIT2_PERMIT',
    '((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline) permitSingle, bytes signature',
    ([permit], { path }, _, reading) => permitGrant(permit as PermitSingle, path, reading),
  ),
  11: command('WRAP_ETH', 'address recipient, uint256 amount', () => undefined),
  12: command(
    'UNWRAP_WETH',
    'address recipient, uint256 amountMin',
    ([to, minimum], { path }, call, { scene, mention }) => {
      const { recipient } = settleRecipient(String(to), call)
      if (recipient)
        scene.sweeps.push({
          token: undefined,
          minimum: minimum as bigint,
          recipient: mention(recipient, 'recipient of a trade', path),
          path,
        })
    },
  ),
}

/** Commands of a Universal Router: one byte each, whose upper bit says that it may fail. */
export const readRouterCommands = (
  bytes: Hex,
  inputs: readonly string[],
  deadline: bigint | undefined,
  call: Call,
  reading: Reading,
): void => {
  const codes = Buffer.from(bytes.slice(2), 'hex')
  for (const [index, byte] of codes.entries()) {
    const code = byte & 0x3f
    const path = `${call.path}.commands[${index}]`
    const one = commands[code]
    const unknown = (what: string) =>
      reading.scene.unknowns.push({
        what,
        selector: `0x${code.toString(16)}`,
        to: call.to,
        path,
        isTop: false,
      })
    if (!one) {
      unknown('is a command of the router that is not known')
      continue
    }
    let args: readonly unknown[]
    try {
      args = decodeAbiParameters(one.inputs, (inputs[index] ?? '0x') as Hex) as readonly unknown[]
    } catch {
      unknown(`names ${one.name}, whose arguments cannot be read`)
      continue
    }
    one.read(args, { path, deadline }, call, reading)
  }
}
