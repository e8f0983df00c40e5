import type { PublicClient } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import { port } from '../../../kernel/port.ts'
import type { Chains, Wallet } from '../../../ports/chain/port.ts'
import { tasksSettings } from '../config.ts'
import type { Place } from './info.ts'

type Hex = `0x${string}`

/** The contract that holds the money of tasks on Base, and the wallet that moves it. Nothing is connected before the first use. */
export type EscrowChain = {
  /** Blocks that make a transaction certain. */
  confirmations: number
  /** Place of escrows. Throws `unavailable` where there is no contract or no wallet to move what is in it. */
  place(): Promise<Place>
  reader(): Promise<PublicClient>
  /** The wallet that authorizes, captures and voids. */
  operator(): Promise<Wallet>
}

type Options = {
  chains: Chains
  /** The contract on the real Base; local chains have their own. */
  contract: Hex | undefined
  /** Receiver of fees. */
  feeReceiver(): Promise<string>
}

const network = 'base'
/** As for payouts: a block of Base that so many follow stays. */
const confirmations = 10

/** Opens the escrow on Base. */
export const openEscrowChain = ({ chains, contract, feeReceiver }: Options): EscrowChain => {
  const operator = () => chains.relayer(network)

  /** Throws where something else stands at the address: money sent there would be nobody's. */
  const requireContract = async (address: Hex): Promise<Hex> => {
    const { taskEscrow } = await import('../../../../contracts/task-escrow.ts')
    const { isCodeOf } = await import('../../../lib/contract.ts')
    const code = await (await chains.open(network).reader()).getCode({ address })
    if (isCodeOf(taskEscrow, code)) return address
    throw new ToolError(
      'unavailable',
      code === undefined
        ? `There is no contract at ${address} on Base (TASKS_ESCROW_CONTRACT).`
        : `What stands at ${address} on Base is no TaskEscrow of this version (TASKS_ESCROW_CONTRACT).`,
    )
  }

  let checked: Promise<Hex> | undefined
  const findContract = async (): Promise<Hex> => {
    if (chains.local) {
      const { deployLocally } = await import('./devnet.ts')
      return deployLocally(chains.open(network), await operator())
    }
    if (contract === undefined)
      throw new ToolError('unavailable', 'No escrow contract is configured here (TASKS_ESCROW_CONTRACT).')
    checked ??= requireContract(contract).catch(error => {
      checked = undefined
      throw error
    })
    return checked
  }

  return {
    confirmations: chains.local ? 1 : confirmations,
    place: async () => {
      const [{ address }, receiver, contract] = await Promise.all([operator(), feeReceiver(), findContract()])
      const { chainId, token } = chains.open(network).network
      return {
        chainId,
        contract: contract,
        token: token.address,
        operator: address,
        feeReceiver: receiver as Hex,
      }
    },
    reader: () => chains.open(network).reader(),
    operator,
  }
}

/** Escrow on the chain, as tools and jobs of the marketplace use it. */
export const escrowChain = port({
  name: 'escrowChain',
  needs: ['chains', 'transfers', tasksSettings.escrowContract],
}).open(({ chains, transfers, escrowContract }) =>
  openEscrowChain({
    chains,
    contract: escrowContract === '' ? undefined : (escrowContract as Hex),
    feeReceiver: () => transfers.wallet(network),
  }),
)

/** The port, where it is configured. Throws `unavailable` where it is not. */
export const requireEscrowChain = (chain: EscrowChain | undefined): EscrowChain => {
  if (chain) return chain
  throw new ToolError('unavailable', 'Escrow on the chain is not configured here.', {
    hint: 'Publish with escrow: ledger.',
  })
}
