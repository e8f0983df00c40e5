import { encodeAbiParameters, type Hex, pad, stringToHex } from 'viem'
import type { LocalAccount } from './evm-chain.ts'

export const text = (value: string): Hex => encodeAbiParameters([{ type: 'string' }], [value])
export const word = (value: bigint | number): Hex =>
  encodeAbiParameters([{ type: 'uint256' }], [BigInt(value)])
/** The 32 bytes that tokens of 2017 answer with. */
export const bytes32 = (value: string): Hex => pad(stringToHex(value), { dir: 'right', size: 32 })

/** The beginning of the code that a Solidity compiler makes, without DELEGATECALL. */
export const plainCode: Hex = '0x608060405234801561001057600080fd5b50600436106100415760003560e01c'

type Parts = { name: Hex; symbol: Hex; decimals: Hex; totalSupply: Hex; code: Hex; more: LocalAccount }

/** A contract that answers as an ERC-20 does; a part that is left out reverts. */
export const erc20 = ({
  name,
  symbol,
  decimals,
  totalSupply,
  code = plainCode,
  more,
}: Partial<Parts>): LocalAccount => ({
  code,
  ...more,
  calls: {
    ...(name && { '0x06fdde03': name }),
    ...(symbol && { '0x95d89b41': symbol }),
    ...(decimals && { '0x313ce567': decimals }),
    ...(totalSupply && { '0x18160ddd': totalSupply }),
    '0x70a08231': word(0),
    ...more?.calls,
  },
})

const supports = (id: string, yes: boolean) => ({ [`0x01ffc9a7${id.padEnd(64, '0')}`]: word(yes ? 1 : 0) })

/** A contract that says by ERC-165 what it is. */
export const collection = (id: string, name: string, symbol: string): LocalAccount => ({
  code: plainCode,
  calls: {
    '0x06fdde03': text(name),
    '0x95d89b41': text(symbol),
    '0x70a08231': word(0),
    '0x18160ddd': word(10_000),
    ...supports('01ffc9a7', true),
    ...supports('ffffffff', false),
    ...supports('80ac58cd', id === '80ac58cd'),
    ...supports('d9b67a26', id === 'd9b67a26'),
  },
})
