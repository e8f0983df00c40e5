import { concatHex, getCreate2Address, type Hex, pad } from 'viem'
import { taskEscrow } from '../../../../contracts/task-escrow.ts'
import { ToolError } from '../../../kernel/error.ts'
import type { Chain, Wallet } from '../../../ports/chain/port.ts'

/** The deployer that is on every chain, and on anvil from its start. */
const deployer: Hex = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const salt = pad('0x', { size: 32 })

/** The address that the contract has wherever it is deployed in this way. */
const escrowAddress = getCreate2Address({ from: deployer, salt, bytecode: taskEscrow.bytecode })

/** The contract on a local chain; it is deployed where it is not there, as after a restart of the chain. */
export const deployLocally = async (chain: Chain, wallet: Wallet): Promise<Hex> => {
  const reader = await chain.reader()
  const isThere = async () => ((await reader.getCode({ address: escrowAddress })) ?? '0x') !== '0x'
  if (await isThere()) return escrowAddress
  const { receipt } = await wallet.carry(
    { to: deployer, data: concatHex([salt, taskEscrow.bytecode]) },
    10_000,
  )
  if (receipt?.status === 'success' || (await isThere())) return escrowAddress
  throw new ToolError('unavailable', 'The escrow contract could not be deployed on the local chain.')
}
