import { numberToHex } from 'viem/utils'
import type { z } from 'zod'
import type { Store } from '../../../ports/store/port.ts'
import { fromWire, operationHash, type WireOperation } from './operation.ts'
import { noOperation, operationsIn } from './records.ts'
import type { UserOperationInput } from './request.ts'

type Hex = `0x${string}`

const numbers = new Set([
  'nonce',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
])

const toWireOperation = (operation: z.output<typeof UserOperationInput>): WireOperation =>
  Object.fromEntries(
    Object.entries(operation).flatMap(([field, value]) => {
      if (typeof value !== 'string' || field === 'signature') return []
      return [[field, numbers.has(field) ? numberToHex(BigInt(value)) : value]]
    }),
  ) as WireOperation

/**
 * The id of an operation that was sold, by the operation itself with the word of the sponsor: wallets that know ERC-7677 drop the id
 * of its answer. Throws `not_found`.
 */
export const findOperationId = async (
  store: Pick<Store, 'collection'>,
  operation: z.output<typeof UserOperationInput>,
  chainId: number,
  delegate: Hex | undefined,
): Promise<string> => {
  const named = operation.eip7702Auth?.address as Hex | undefined
  const sent = fromWire(toWireOperation(operation))
  for (const code of new Set([delegate, named, null])) {
    if (code === undefined) continue
    const { rows } = await operationsIn(store).find({
      index: 'userOpHash',
      where: { userOpHash: operationHash(sent, code, chainId) },
      limit: 1,
    })
    if (rows[0]) return rows[0].id
  }
  throw noOperation()
}
