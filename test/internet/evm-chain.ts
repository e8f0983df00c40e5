import { decodeFunctionData, encodeFunctionResult, type Hex, numberToHex, pad, parseAbi } from 'viem'
import { type Answer, rpcFailure } from './evm-node.ts'

type Revert = { revert: Hex }

/** `calls` by calldata, or by selector where the arguments do not count; `run` answers any call. */
export type LocalAccount = {
  balance?: bigint
  nonce?: number
  code?: Hex
  storage?: Readonly<Record<Hex, Hex>>
  calls?: Readonly<Record<Hex, Hex | Revert>>
  run?: (data: Hex) => Hex | Revert | undefined
}

/** A chain in memory that knows what tests tell it. */
export type LocalChain = {
  id: number
  head: number
  finalized: number | undefined
  baseFee: bigint
  gasPrice: bigint
  /** Tips of a block at the percentiles that are asked for; undefined for an empty one. */
  tips: (block: number) => readonly bigint[] | undefined
  /** Unix seconds of a block. */
  time: (block: number) => number
  accounts: Map<string, LocalAccount>
  transactions: Map<string, { transaction: object | null; receipt: object | null }>
  answer: Answer
}

const multicall3 = '0xca11bde05977b3631167028862be2a173976ca11'
const abi = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)',
])

const hex = (number: bigint | number): Hex => numberToHex(number)

export const blockHash = (id: number, number: number): Hex =>
  pad(hex(id * 1_000_000_000 + number), { size: 32 })

const call = (chain: LocalChain, to: string, data: Hex): Hex | Revert => {
  const account = chain.accounts.get(to.toLowerCase())
  if (to.toLowerCase() === multicall3 && account) {
    const { args } = decodeFunctionData({ abi, data })
    const results = args[0].map(({ target, callData }) => {
      const returned = call(chain, target, callData)
      return typeof returned === 'string'
        ? { success: true, returnData: returned }
        : { success: false, returnData: returned.revert }
    })
    return encodeFunctionResult({ abi, functionName: 'aggregate3', result: results })
  }
  if (!account || (account.code ?? '0x') === '0x') return '0x'
  const selector = data.slice(0, 10) as Hex
  return account.run?.(data) ?? account.calls?.[data] ?? account.calls?.[selector] ?? { revert: '0x' }
}

const blockOf = (chain: LocalChain, tag: unknown) => {
  const { head, finalized, id, baseFee, time } = chain
  if (tag === 'finalized' && finalized === undefined) throw rpcFailure(-39001, 'unknown block')
  const number = tag === 'latest' ? head : tag === 'finalized' ? (finalized ?? 0) : Number(tag)
  if (number > head) return null
  return {
    number: hex(number),
    hash: blockHash(id, number),
    parentHash: blockHash(id, number - 1),
    timestamp: hex(time(number)),
    baseFeePerGas: hex(baseFee),
    gasLimit: '0x2255100',
    gasUsed: '0x10aa2d1',
    transactions: [],
  }
}

const history = ({ head, tips, baseFee, id }: LocalChain, [count]: unknown[]) => {
  const numbers = Array.from({ length: Number(count) }, (_, index) => head - Number(count) + 1 + index)
  return {
    oldestBlock: hex(numbers[0] ?? 0),
    reward: numbers.map(number => (tips(number) ?? [0n, 0n, 0n]).map(hex)),
    baseFeePerGas: [...numbers.map(() => hex(baseFee)), hex((baseFee * 9n) / 8n)],
    gasUsedRatio: numbers.map(number => (tips(number) ? 0.5 : 0)),
    ...(id === 1 && {
      baseFeePerBlobGas: [...numbers, 0].map(() => '0x3'),
      blobGasUsedRatio: numbers.map(() => 0.5),
    }),
  }
}

type Facts = Pick<LocalChain, 'id' | 'head'> & Partial<LocalChain>

/** A chain in memory. Blocks are two seconds apart, the latest one is of now. */
export const openLocalChain = (facts: Facts): LocalChain => {
  const born = Math.floor(Date.now() / 1000)
  const chain: LocalChain = {
    finalized: facts.head - 60,
    baseFee: 1_000_000_000n,
    gasPrice: 1_500_000_000n,
    tips: () => [1_000_000n, 50_000_000n, 2_000_000_000n],
    time: number => born - (chain.head - number) * 2,
    accounts: new Map(),
    transactions: new Map(),
    ...facts,
    answer: (method, params) => {
      const [first, second] = params
      const account = chain.accounts.get(String(first).toLowerCase()) ?? {}
      const known = chain.transactions.get(String(first))
      const answers: Record<string, () => unknown> = {
        eth_chainId: () => hex(chain.id),
        eth_blockNumber: () => hex(chain.head),
        eth_getBalance: () => hex(account.balance ?? 0n),
        eth_getTransactionCount: () => hex(account.nonce ?? 0),
        eth_getCode: () => account.code ?? '0x',
        eth_getStorageAt: () => account.storage?.[second as Hex] ?? pad('0x0', { size: 32 }),
        eth_gasPrice: () => hex(chain.gasPrice),
        eth_maxPriorityFeePerGas: () => '0xf4240',
        eth_feeHistory: () => history(chain, params),
        eth_getBlockByNumber: () => blockOf(chain, first),
        eth_getTransactionByHash: () => known?.transaction ?? null,
        eth_getTransactionReceipt: () => known?.receipt ?? null,
        eth_call: () => {
          const { to, data } = first as { to: string; data: Hex }
          const returned = call(chain, to, data)
          if (typeof returned === 'string') return returned
          throw rpcFailure(3, 'execution reverted', returned.revert)
        },
      }
      const answered = answers[method]
      if (!answered) throw rpcFailure(-32601, `the method ${method} does not exist/is not available`)
      return answered()
    },
  }
  return chain
}
