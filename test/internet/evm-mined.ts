import { type Hex, keccak256, numberToHex, toHex } from 'viem'
import type { EvmChain } from '../../mcp/ports/evm/port.ts'
import { type LocalEvm, vitalik } from './evm.ts'
import { blockHash } from './evm-chain.ts'

let made = 0

/** Puts a mined transaction of 100 blocks ago on a chain, with changes; null is a half that no node knows. */
export const putTransaction = (
  { chains }: LocalEvm,
  transaction: object | null = {},
  receipt: object | null = {},
  name: EvmChain = 'eth',
): { hash: Hex; block: number } => {
  const chain = chains[name]
  const hash = keccak256(toHex(`transaction ${++made}`))
  const block = chain.head - 99
  const both = {
    blockNumber: numberToHex(block),
    blockHash: blockHash(chain.id, block),
    from: vitalik,
    to: '0x5df9b87991262f6ba471f09758cde1c0fc1de734',
    transactionIndex: '0x1',
    type: '0x2',
  }
  chain.transactions.set(hash, {
    transaction: transaction && {
      ...both,
      hash,
      nonce: '0x672',
      value: '0xde0b6b3a7640000',
      gas: '0x5208',
      gasPrice: '0x3b9aca00',
      maxFeePerGas: '0x77359400',
      maxPriorityFeePerGas: '0x5f5e100',
      input: '0x',
      ...transaction,
    },
    receipt: receipt && {
      ...both,
      transactionHash: hash,
      contractAddress: null,
      cumulativeGasUsed: '0xa410',
      effectiveGasPrice: '0x3b9aca00',
      gasUsed: '0x5208',
      logs: [],
      status: '0x1',
      ...receipt,
    },
  })
  return { hash, block }
}
