import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbi } from 'viem'
import type { Address } from '../action.ts'
import type { Scene } from '../scene.ts'
import type { SaleFacts } from './chain-state.ts'
import {
  approveStep,
  balanceStep,
  dryRun,
  returnedNumber,
  type StateOverride,
  transferStep,
} from './dry-run.ts'
import type { Node } from './node.ts'

/** Somebody who has never held anything, and who gets a balance for the dry run only. */
const holder: Address = '0x00000000000000000000000000000000c0ffee01'
const receiver: Address = '0x00000000000000000000000000000000c0ffee02'

const supply = 10n ** 24n
const amount = 10n ** 18n
const slotsTried = 24

const sellAbi = parseAbi([
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
])

const slotKey = (slot: number, isVyper: boolean): string => {
  const address = { type: 'address' } as const
  const number = { type: 'uint256' } as const
  return keccak256(
    isVyper
      ? encodeAbiParameters([number, address], [BigInt(slot), holder])
      : encodeAbiParameters([address, number], [holder, BigInt(slot)]),
  )
}

/** Mappings of balances in the storage that OpenZeppelin's upgradeable ERC-20 names (ERC-7201). */
const initializableSlot = keccak256(
  encodeAbiParameters(
    [{ type: 'address' }, { type: 'uint256' }],
    [holder, BigInt('0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00')],
  ),
)

const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

const give = (token: Address, key: string): StateOverride => ({
  [holder]: { balance: '0xde0b6b3a7640000' },
  [token]: { stateDiff: { [key]: word(supply) } },
})

/** Finds a token's balance slot, as an override that gives the holder some. Undefined where it is not found. */
const findBalance = async (node: Node, token: Address): Promise<StateOverride | undefined> => {
  const keys = [
    ...Array.from({ length: slotsTried }, (_, slot) => slotKey(slot, false)),
    initializableSlot,
    ...Array.from({ length: slotsTried }, (_, slot) => slotKey(slot, true)),
  ]
  // All at once: only the slot of the balance changes what the token says.
  const all = Object.fromEntries(keys.map((key, index) => [key, word(supply + BigInt(index))]))
  const { results } = await dryRun(node, [balanceStep(token, holder, holder)], {
    [token]: { stateDiff: all },
  })
  const balance = returnedNumber(results[0])
  const index = balance === undefined ? -1 : Number(balance - supply)
  const key = balance !== undefined && balance >= supply && index < keys.length ? keys[index] : undefined
  return key === undefined ? undefined : give(token, key)
}

/** True when a stranger who holds a token can pass it on, and sell it over the same route. Undefined where that cannot be tried. */
const trySale = async (
  node: Node,
  token: Address,
  route: { router: Address; path: readonly Address[] } | undefined,
): Promise<SaleFacts | undefined> => {
  const overrides = await findBalance(node, token)
  if (!overrides) return undefined
  const passing = await dryRun(
    node,
    [
      balanceStep(token, receiver, holder),
      transferStep(token, holder, receiver, amount),
      balanceStep(token, receiver, holder),
    ],
    overrides,
  )
  const [before, passed, after] = passing.results
  const arrived = (returnedNumber(after) ?? 0n) - (returnedNumber(before) ?? 0n)
  const canTransfer = passed?.ok === true && arrived > 0n
  const feeBps = canTransfer && arrived < amount ? Number(((amount - arrived) * 10_000n) / amount) : 0
  if (!route || !canTransfer) return { token, canTransfer, feeBps, canSell: null }
  const [last] = route.path
  if (last === undefined) return { token, canTransfer, feeBps, canSell: null }
  const path = [...route.path].reverse()
  const bought = path.at(-1) ?? last
  const selling = await dryRun(
    node,
    [
      balanceStep(bought, holder, holder),
      approveStep(token, holder, route.router, amount),
      {
        to: route.router,
        from: holder,
        value: 0n,
        data: encodeFunctionData({
          abi: sellAbi,
          functionName: 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
          args: [amount / 1000n, 0n, path, holder, 2n ** 40n],
        }),
      },
      balanceStep(bought, holder, holder),
    ],
    overrides,
  )
  const [had, , sold, has] = selling.results
  const gain = (returnedNumber(has) ?? 0n) - (returnedNumber(had) ?? 0n)
  return { token, canTransfer, feeBps, canSell: sold?.ok === true && gain > 0n }
}

const maxTokens = 3

/** Tries every token that the action buys. Throws where no node can, or a token keeps its balances where they are not found. */
export const readSales = async (node: Node, { trades }: Scene): Promise<SaleFacts[] | undefined> => {
  const bought = new Map<Address, { router: Address; path: readonly Address[] } | undefined>()
  for (const { tokenOut, style, router, route } of trades)
    if (tokenOut !== undefined && !bought.has(tokenOut))
      bought.set(tokenOut, style === 'v2' ? { router, path: route } : undefined)
  const facts = await Promise.all(
    [...bought].slice(0, maxTokens).map(([token, route]) => trySale(node, token, route)),
  )
  return facts.every(one => one !== undefined) ? facts : undefined
}
