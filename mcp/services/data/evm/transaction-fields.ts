import { z } from 'zod'
import { ChainOutput, chainId, chainNames } from './chains.ts'

const text = (what: string) => z.string().nullable().describe(what)
const number = (what: string) => z.number().nullable().describe(what)

export const TokenTransferFields = z.object({
  standard: z.enum(['ERC-20', 'ERC-721', 'ERC-1155']).describe('Token standard'),
  token: z.string().describe('Address of the token'),
  symbol: text('Its symbol, as it tells it'),
  from: z.string().describe('From; the zero address when tokens are made'),
  to: z.string().describe('To; the zero address when they are destroyed'),
  amount: text('In tokens, of an ERC-20 that tells its decimals'),
  raw: text('In the smallest unit; null of ERC-721 and of ERC-1155 batches'),
  token_id: text('Which one, of ERC-721 and ERC-1155'),
})

/** Fields of the answer of tx-status. */
export const TransactionFields = z.object({
  transaction_hash: z.string().describe('Hash of the transaction'),
  chain: ChainOutput,
  chain_id: chainId,
  status: z
    .enum(['success', 'failed', 'pending', 'not_found'])
    .nullable()
    .describe('Of the transaction on this chain; null when it is there and its outcome cannot be told'),
  found_on: z
    .enum(chainNames)
    .nullable()
    .describe('The chain it is on; another than chain when the wrong one was asked'),
  block: number('Block it is in'),
  block_hash: text('Hash of that block'),
  timestamp: z.iso.datetime().nullable().describe('Time of that block, UTC'),
  confirmations: number('Blocks from that one to the latest, both counted'),
  finalized: z
    .boolean()
    .nullable()
    .describe('True when it cannot be undone; null when the chain does not say'),
  type: text('Type of the transaction, such as 0x2'),
  type_name: text('What that type is'),
  from: text('Sender'),
  to: text('Recipient; null when a contract is created'),
  contract_created: text('Address of the contract that was created'),
  nonce: number('Number of the transaction among those of the sender'),
  value_native: text('Coins sent'),
  value_wei: text('The same in the smallest unit'),
  symbol: z.string().describe('ETH or POL'),
  gas_used: number('Gas that was used'),
  gas_limit: number('Gas that it had'),
  effective_gas_price_gwei: number('Price per gas that was paid'),
  fee_native: text('Fee in coins, with those for data and blobs'),
  fee_wei: text('The same in the smallest unit'),
  l1_fee_native: text('Of the fee, what went for data on Ethereum; null where there is none apart'),
  method: text('Name of the method called, or its selector'),
  method_id: text('Selector of the method called'),
  revert_reason: text('Why it failed, where that can be found out'),
  transfers: z.array(TokenTransferFields).describe('Token transfers, at most 200'),
  transfer_count: z.number().int().describe('All token transfers'),
})
