import { BaseError } from 'viem'
import { revertReason } from '../../../lib/evm-revert.ts'

const dataIn = (problem: BaseError): string | undefined => {
  const holder = problem.walk(cause => typeof (cause as { data?: unknown }).data === 'string')
  return (holder as { data?: string } | null)?.data
}

/** Why a call reverts, from what viem throws; null where neither the bytes nor the node's words tell. */
export const readRevert = (problem: unknown): string | null =>
  problem instanceof BaseError ? revertReason(dataIn(problem), problem.details) : null
