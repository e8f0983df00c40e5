import type { Hex } from 'viem'
import { taskEscrow } from '../../../../contracts/task-escrow.ts'
import { ToolError } from '../../../kernel/error.ts'
import { addressOf, deployCall } from '../../../lib/contract.ts'
import type { Chain, Wallet } from '../../../ports/chain/port.ts'

/** The address that the contract has wherever it is deployed in this way. */
const escrowAddress = addressOf(taskEscrow.bytecode)

/** The contract on a local chain; it is deployed where it is not there, as after a restart of the chain. */
export const deployLocally = async (chain: Chain, wallet: Wallet): Promise<Hex> => {
  const reader = await chain.reader()
  const isThere = async () => ((await reader.getCode({ address: escrowAddress })) ?? '0x') !== '0x'
  if (await isThere()) return escrowAddress
  const { receipt } = await wallet.carry(deployCall(taskEscrow.bytecode), 10_000)
  if (receipt?.status === 'success' || (await isThere())) return escrowAddress
  throw new ToolError('unavailable', 'The escrow contract could not be deployed on the local chain.')
}
