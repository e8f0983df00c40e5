import { decodeAbiParameters, type Hex as ViemHex } from 'viem'
import type { Hex } from '../action.ts'
import { type Call, lower, type Scene } from '../scene.ts'
import { accountFunctions } from './account-functions.ts'
import { controlFunctions } from './control-functions.ts'
import type { KnownFunction, Reading } from './functions.ts'
import { tokenFunctions } from './token-functions.ts'
import { tradeFunctions } from './trade-functions.ts'

const functions: readonly KnownFunction[] = [
  ...tokenFunctions,
  ...tradeFunctions,
  ...accountFunctions,
  ...controlFunctions,
]

const bySelector = new Map(functions.map(one => [one.selector, one]))
const functionBySelector = (selector: string): KnownFunction | undefined => bySelector.get(selector)

/** Calls within calls that are followed. */
const maxDepth = 6

const maxCalls = 200
const noLimit = 2n ** 128n

const show = (value: unknown): string => {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return value.length > 140 ? `${value.slice(0, 138)}…` : value
  const text = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'bigint' ? String(inner) : inner,
  )
  return (text ?? '').slice(0, 300)
}

/** Opens what readers of functions and signatures write into a scene. */
export const openReading = (scene: Scene): Reading => {
  const mention: Reading['mention'] = (text, role, path) => {
    const address = lower(text)
    scene.mentions.push({ address, text, role, path })
    return address
  }

  const decode = (call: Call): void => {
    const selector = call.data.slice(0, 10)
    const isTop = call.depth === 0
    const candidate = functionBySelector(selector)
    const unknown = (what: string) => {
      scene.unknowns.push({ what, selector, to: call.to, path: call.path, isTop })
    }
    if (!candidate) {
      unknown('is not known')
      return
    }
    let args: readonly unknown[]
    try {
      args =
        candidate.inputs.length === 0
          ? []
          : (decodeAbiParameters(
              candidate.inputs,
              `0x${call.data.slice(10)}` as ViemHex,
            ) as readonly unknown[])
    } catch {
      unknown(`names ${candidate.name}, whose arguments cannot be read`)
      return
    }
    call.name = candidate.name
    call.args = Object.fromEntries(
      args.map((value, index) => [candidate.inputs[index]?.name ?? String(index), show(value)]),
    )
    scene.understood++
    candidate.read(args, call, reading)
  }

  const reading: Reading = {
    scene,
    mention,
    follow({ to, data, value, from, path }, by) {
      const depth = by.depth + 1
      if (depth > maxDepth || scene.calls.length >= maxCalls) {
        scene.problems.push(`Calls are nested too deeply or too many at ${path}.`)
        return
      }
      enter({ to: lower(to), data, value, from, depth, path, name: undefined, args: {} })
    },
    grant: ({ spender, ...grant }) => {
      scene.grants.push({
        by: 'transaction',
        unlimitedFrom: noLimit,
        ...grant,
        spender: mention(spender, 'spender', grant.path),
      })
    },
    pay: ({ to, ...payment }) => {
      scene.payments.push({
        by: 'transaction',
        isNft: false,
        ...payment,
        to: mention(to, 'recipient', payment.path),
      })
    },
    trade: trade => {
      if (trade.recipient !== undefined) mention(trade.recipient, 'recipient of a trade', trade.path)
      scene.trades.push({
        tokenIn: undefined,
        tokenOut: undefined,
        amountIn: undefined,
        minOut: undefined,
        maxIn: undefined,
        recipient: undefined,
        isKept: false,
        deadline: undefined,
        route: [],
        style: 'other',
        ...trade,
      })
    },
  }

  const enter = (call: Call): void => {
    scene.calls.push(call)
    if (call.value > 0n && call.data === '0x')
      reading.pay({ token: undefined, from: call.from, to: call.to, amount: call.value, path: call.path })
    else if (call.data === '0x') {
      mention(call.to, 'recipient', call.path)
      if (call.depth === 0 && call.value === 0n) scene.understood++
    } else if (call.data.length < 10)
      scene.unknowns.push({
        what: 'is shorter than four bytes',
        selector: call.data,
        to: call.to,
        path: call.path,
        isTop: call.depth === 0,
      })
    else {
      mention(call.to, 'contract', call.path)
      decode(call)
    }
    if (call.data === '0x' && call.value > 0n) scene.understood++
  }

  return { ...reading, follow: reading.follow }
}

/** Enters the outermost call of an action. */
export const enterCall = (
  reading: Reading,
  { to, data, value, path }: { to: string; data: Hex; value: bigint; path: string },
): void => {
  // As it was written: its capital letters are a checksum.
  reading.mention(to, data === '0x' ? 'recipient' : 'contract', path)
  const outer: Call = {
    to: lower(to),
    data,
    value,
    from: reading.scene.signer,
    depth: -1,
    path,
    name: undefined,
    args: {},
  }
  reading.follow({ to, data, value, from: reading.scene.signer, path }, outer)
}
