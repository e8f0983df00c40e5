import { encodeFunctionData, parseAbi } from 'viem'
import type { JsonRecord } from '../../../lib/json.ts'
import type { AccountFacts, ChainState, SimulationFacts } from './state/chain-state.ts'

/** Addresses of examples. */
export const who = {
  me: '0x1111111111111111111111111111111111111111',
  friend: '0xabc1230000000000000000000000000000def456',
  lookalike: '0xabc1239999999999999999999999999999def456',
  stranger: '0x2222222222222222222222222222222222222222',
  router: '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
  usdc: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  token: '0x3333333333333333333333333333333333333333',
  permit2: '0x000000000022d473030f116ddee9f6b43ac78ba3',
  zero: '0x0000000000000000000000000000000000000000',
} as const

export const maxUint256 = 2n ** 256n - 1n

/** Calldata of a function by its signature, such as `transfer(address,uint256)`. */
export const encode = (signature: string, args: readonly unknown[] = []): string => {
  const abi = parseAbi([`function ${signature}`] as readonly string[] as never) as readonly {
    name: string
  }[]
  return encodeFunctionData({ abi, functionName: abi[0]?.name, args } as never)
}

/** A transaction of the example account. */
export const transaction = (
  to: string,
  data: string,
  { value = 0n, intent, ...more }: { value?: bigint; intent?: JsonRecord; [field: string]: unknown } = {},
): { action: JsonRecord } => ({
  action: {
    from: who.me,
    chain_id: 8453,
    transaction: { to, data, value: String(value), ...more },
    ...(intent && { intent }),
  },
})

type Field = { name: string; type: string }

/** A structured message of the example account. */
export const typedData = (
  primaryType: string,
  message: JsonRecord,
  {
    domain = { name: 'Token', chainId: 8453, verifyingContract: who.usdc },
    intent,
    fields,
  }: { domain?: JsonRecord; intent?: JsonRecord; fields?: readonly Field[] } = {},
): { action: JsonRecord } => ({
  action: {
    from: who.me,
    typed_data: {
      domain,
      types: fields ? { [primaryType]: fields } : {},
      primaryType,
      message,
    },
    ...(intent && { intent }),
  },
})

export const permit2Domain = { name: 'Permit2', chainId: 8453, verifyingContract: who.permit2 }

/** Times of examples: rules are tried with a clock that stands at the first. */
export const now = 1_790_000_000
export const soon = now + 600
export const inYears = now + 100_000_000

/** An account of the chain state. */
export const account = (address: string, facts: Partial<AccountFacts> = {}): AccountFacts => ({
  address: address as AccountFacts['address'],
  codeBytes: 0,
  delegate: undefined,
  proxy: undefined,
  ...facts,
})

/** A chain state that says what a dry run gave. */
export const withSimulation = (facts: Partial<SimulationFacts>): { chain: Partial<ChainState> } => ({
  chain: {
    simulation: {
      facts: {
        method: 'eth_simulateV1',
        ok: true,
        reason: undefined,
        changes: [],
        approvals: [],
        arrivals: [],
        ...facts,
      },
    },
  },
})
