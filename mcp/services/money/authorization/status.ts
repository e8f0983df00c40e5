import type { Address, Hex } from 'viem'
import type { Stablecoin } from '../../../lib/stablecoins.ts'
import type { Evm, EvmNetwork } from '../../../ports/evm/port.ts'
import { onChain, openReader } from '../stablecoin/reader.ts'
import { readMovements } from '../transaction/movements.ts'
import { findNonceUse } from './use.ts'

/** Reads the status of an authorization, and what it paid. */
export const readAuthorizationStatus = async (
  { evm, signal }: { evm: Evm; signal: AbortSignal },
  { coin, chain }: { coin: Stablecoin; chain: EvmNetwork },
  authorizer: Address,
  nonce: Hex,
) => {
  const reader = openReader(evm, chain, signal)
  const { state, transaction, block } = await findNonceUse(reader, coin, authorizer, nonce)
  const receipt =
    state === 'used' && transaction
      ? await onChain(reader.getTransactionReceipt({ hash: transaction }))
      : undefined
  const movement = receipt && readMovements(receipt.logs, coin).find(({ nonce: own }) => own === nonce)
  return {
    chainId: coin.chainId,
    authorizer,
    nonce,
    state,
    transaction,
    block: block === null ? null : String(block),
    payment: movement ? { to: movement.to, amount: String(movement.amount) } : null,
  }
}
