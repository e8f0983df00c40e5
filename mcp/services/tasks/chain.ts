import type { PublicClient } from 'viem'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { port } from '../../kernel/port.ts'
import type { JournalFields } from '../../kernel/tool.ts'
import type { Chains, Wallet } from '../../ports/chain/port.ts'
import type { Index, Tx } from '../../ports/store/port.ts'
import { tasksSettings } from './config.ts'
import { autoAcceptMs, disputeWindowMs, maxRounds, reworkMs, type Task } from './task.ts'

type Hex = `0x${string}`

/** Place of escrows, and who moves what is in them. */
export type Place = {
  chainId: number
  contract: Hex
  token: Hex
  /** The account that authorizes, captures and voids. */
  operator: Hex
  /** Receiver of fees. */
  feeReceiver: Hex
}

/** The terms of a payment as the contract knows them (`PaymentInfo`), as JSON. */
export type EscrowInfo = {
  operator: Hex
  payer: Hex
  receiver: Hex
  token: Hex
  /** Atomic units, fee included. */
  maxAmount: string
  /** Seconds since 1970. */
  preApprovalExpiry: number
  authorizationExpiry: number
  refundExpiry: number
  minFeeBps: number
  maxFeeBps: number
  feeReceiver: Hex
  salt: Hex
}

const hourMs = 3_600_000

/**
 * When the payer of a task can take back what is left without our help: after the longest way that the task can go from its
 * deadline, by every round of more work, every review and every window, and a week for chains that stand still.
 */
export const reclaimTime = ({ terms, funds }: Pick<Task, 'terms' | 'funds'>): Date => {
  const window = disputeWindowMs(BigInt(funds.bounty))
  const reviews = (maxRounds + 1) * (autoAcceptMs + window)
  return new Date(Date.parse(terms.deadline) + reviews + maxRounds * reworkMs + window + 7 * 24 * hourMs)
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** The terms under which the money of a task is held for a worker. The `attempt` tells payments apart of which one went back. */
export const toEscrowInfo = async (
  place: Place,
  task: Pick<Task, 'id' | 'publisher' | 'terms' | 'funds'>,
  { publisher, worker, attempt }: { publisher: string; worker: string; attempt: number },
): Promise<EscrowInfo> => {
  const { keccak256, stringToHex } = await import('viem')
  const [bounty, fee] = [BigInt(task.funds.bounty), BigInt(task.funds.fee)]
  const total = bounty + fee
  const expiry = seconds(reclaimTime(task))
  return {
    operator: place.operator,
    payer: publisher as Hex,
    receiver: worker as Hex,
    token: place.token,
    maxAmount: total.toString(),
    preApprovalExpiry: seconds(new Date(Date.parse(task.terms.deadline) + 24 * hourMs)),
    authorizationExpiry: expiry,
    refundExpiry: expiry,
    minFeeBps: 0,
    maxFeeBps: Number((fee * 10_000n + total - 1n) / total),
    feeReceiver: place.feeReceiver,
    salt: keccak256(stringToHex(JSON.stringify([task.id, worker, attempt]))),
  }
}

/** Which payment on the chain is meant: its name, where it is made, and what its payer agreed to. */
type EscrowPayment = { contract: Hex; hash: Hex; purse: Hex; info: EscrowInfo }

/** The money of a task in escrow on the chain, as this side has decided on it; the chain follows step by step. */
export type ChainEscrow = EscrowPayment & {
  /** Id of the task. */
  id: string
  receipt: string
  /** How many steps there are. */
  steps: number
  /** Captured amount, fees included, and capturable, once all steps are carried out. */
  captured: string
  capturable: string
}

const escrowTable = { name: 'tasks.escrows', indexes: [{ name: 'hash', fields: ['hash'] }] } as const

export const escrowsIn = collection<ChainEscrow>({
  name: escrowTable.name,
  indexes: escrowTable.indexes,
  bounded: 'As many as were paid for.',
})

/**
 * A payment that may be on its way: written down before its money can move, under the id of its receipt. `quoted`: the call that it
 * pays for has not ended; `held`: it pays a task; `returning`: it goes back to its payer; `unpaid`: no money came.
 */
export type Deposit = JournalFields & DepositTerms

export type DepositTerms = EscrowPayment & {
  task: string
  worker: string
  state: 'quoted' | 'held' | 'returning' | 'unpaid'
}

export const depositCollection = 'tasks.deposits'

export const depositIndexes: readonly Index[] = [
  { name: 'state', fields: ['state', 'created'] },
  { name: 'task', fields: ['task', 'created'] },
]

export const depositsIn = collection<Deposit>({
  name: depositCollection,
  indexes: depositIndexes,
  bounded: 'As many as were paid for.',
})

/** Step for the contract: each is written down with the decision for it, and carried out afterwards, once. */
export type Step = EscrowPayment & {
  /** `<hash>.<number>` */
  id: string
  task: string
  n: number
  kind: 'authorize' | 'capture' | 'void' | 'excess'
  /** Of a capture: what is paid, fee included, the fee, and what was captured and could be before. */
  amount: string
  fee: string
  before: string
  capturable: string
  /** `sent`: the chain shows it, in a block that may yet go. `failed`: it can never be carried out. */
  state: 'queued' | 'sent' | 'done' | 'failed'
  open: boolean
  due: string
  tries: number
  /** The last transaction, written down before it is broadcast. */
  transaction: string | null
  /** Why the last try did not go. */
  problem: string | null
  created_at: string
  done_at: string | null
}

export const stepsIn = collection<Step>({
  name: 'tasks.escrow-steps',
  indexes: [
    { name: 'due', fields: ['open', 'due'] },
    { name: 'task', fields: ['task', 'n'] },
  ],
  bounded: 'The few steps of an escrow that was paid in.',
})

type NewStep = Pick<Step, 'kind'> & Partial<Pick<Step, 'amount' | 'fee' | 'before' | 'capturable'>>

/** Writes down a step of a payment; a second one with its number is the program's fault. */
export const addStep = async (
  tx: Tx,
  { contract, hash, purse, info }: EscrowPayment,
  { task, n, now }: { task: string; n: number; now: Date },
  step: NewStep,
): Promise<void> => {
  const at = now.toISOString()
  const row: Step = {
    id: `${hash}.${n}`,
    contract,
    hash,
    purse,
    info,
    task,
    n,
    amount: '0',
    fee: '0',
    before: '0',
    capturable: '0',
    ...step,
    state: 'queued',
    open: true,
    due: at,
    tries: 0,
    transaction: null,
    problem: null,
    created_at: at,
    done_at: null,
  }
  if (!(await stepsIn(tx).insert(row))) throw new Error(`${row.id}: this step is there already`)
}

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
    const { taskEscrow } = await import('../../../contracts/task-escrow.ts')
    const { isCodeOf } = await import('../../lib/contract.ts')
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
      const { deployLocally } = await import('./chain/devnet.ts')
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
