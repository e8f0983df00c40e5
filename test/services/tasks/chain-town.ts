import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { PaymentRequired } from '../../../mcp/kernel/error.ts'
import { x402 } from '../../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../../mcp/payment/gate/open.ts'
import { openX402Evm } from '../../../mcp/payment/methods/x402-evm/method.ts'
import { openChain } from '../../../mcp/ports/chain/chain.ts'
import { openChains } from '../../../mcp/ports/chain/chains.ts'
import { networks } from '../../../mcp/ports/chain/networks.ts'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { advanceDueSteps, returnOrphans } from '../../../mcp/services/tasks/chain/carry.ts'
import { readState } from '../../../mcp/services/tasks/chain/contract.ts'
import {
  type EscrowChain,
  escrowChain,
  escrowsIn,
  openEscrowChain,
  stepsIn,
} from '../../../mcp/services/tasks/chain.ts'
import { agentRegistries, openAgentRegistries } from '../../../mcp/services/tasks/identity.ts'
import { tasksIn } from '../../../mcp/services/tasks/task.ts'
import { anvilClient, balanceOf, makePayer, openTestDevnet, pay } from '../../payment/evm-chain.ts'
import { type Payload, type Requirements, rates } from '../../payment/x402.ts'
import { startTown } from './town.ts'

/** A task whose bounty a stock client pays without being told that it may. */
export const smallTask = { bounty_usd: '0.50', escrow: 'onchain' }
export const bounty = 500_000n
export const fee = 25_000n

const nobody = new AbortController().signal

type Options = { store?: Store; confirmations?: number; rpc?: string }

/** Somebody with a wallet on the chain, and the account that goes with it. */
export type Person = Awaited<ReturnType<typeof makePayer>> & { id: string }

/** A local Base whose house has a wallet for fees; towns on it hold bounties in the contract. */
export const openTownChain = async () => {
  const { devnet, close } = await openTestDevnet()
  const base = devnet.chain('base')
  const keys = await devnet.keys()
  const house = (await base.wallet(keys.payTo)).address
  const anvil = await anvilClient(base)

  const person = async (usdc = 5_000_000n): Promise<Person> => {
    const payer = await makePayer(base, usdc)
    return { ...payer, id: `eip155:8453:${payer.address.toLowerCase()}` }
  }

  /** The marketplace on this chain; a second one over the same store is a replica of it. */
  const openTown = async ({ store: given, confirmations, rpc }: Options = {}) => {
    const chain = rpc === undefined ? base : openChain({ network: networks.base, rpc, devnet: true })
    const chains = openChains({
      devnet,
      node: () => undefined,
      shared: () => undefined,
      relayerKey: async () => keys.facilitator,
    })
    const ours = { ...chains, open: () => chain, relayer: async () => chain.wallet(keys.facilitator) }
    const registries = openAgentRegistries({ chains: ours, identity: '', reputation: '' })
    const opened = openEscrowChain({
      chains: ours,
      contract: undefined,
      feeReceiver: async () => house,
    })
    const escrow: EscrowChain = { ...opened, ...(confirmations !== undefined && { confirmations }) }
    const town = await startTown(given ? { store: given } : {}, {}, ({ store }) => ({
      own: [escrowChain.as(escrow), agentRegistries.as(registries)],
      gate: openGate({
        methods: [
          openX402Evm({
            chain: base,
            payTo: async () => house,
            facilitator: { key: async () => keys.facilitator },
            relayerKey: async () => keys.facilitator,
            confirmMs: 4_000,
          }),
        ],
        dialects: [x402],
        rates,
        store,
        // Payers sign by the real time, whatever that of the town is.
        clock: { now: () => new Date() },
        hmacKey: randomBytes(32),
      }) as never,
    }))
    const { store, clock, ask } = town
    const deps = { store: store as Store, clock, escrowChain: escrow }

    const offerFor = async (account: string, name: string, input: object): Promise<Requirements> => {
      const error = await ask(account, name, input, { channel: 'mcp' }).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (!(error instanceof PaymentRequired)) throw error ?? new Error('nothing was to be paid')
      const [offer] = (error.parts.structured?.accepts ?? []) as Requirements[]
      if (!offer) throw new Error('no offer')
      return offer
    }

    const bring = (account: string, name: string, input: object, payment: Payload) =>
      ask(account, name, input, {
        channel: 'mcp',
        evidence: { headers: {}, meta: { 'x402/payment': payment } },
      })

    /** Asks, pays what is asked for as a stock client does, and asks again. */
    const paying = async (payer: Person, name: string, input: object, account = payer.id) =>
      bring(account, name, input, await pay(payer.account, await offerFor(account, name, input)))

    /** A task that somebody is assigned to, whose money is on the chain. */
    const assigned = async (publisher: Person, worker: { id: string }, more: object = {}) => {
      const { task_id } = await town.taskIn('published', {
        publisher: publisher.id,
        more: { ...smallTask, ...more },
      })
      await ask(worker.id, 'register_worker', { kind: 'human', name: 'Worker' })
      await ask(worker.id, 'apply_to_task', { task_id })
      await paying(publisher, 'assign_worker', { task_id, executor_id: worker.id })
      return task_id
    }

    const submitted = async (publisher: Person, worker: { id: string }) => {
      const task_id = await assigned(publisher, worker)
      await ask(worker.id, 'start_work', { task_id })
      const evidence = [{ type: 'text_response', value: 'It is open.' }]
      const { submission_id } = await ask(worker.id, 'submit_work', { task_id, evidence })
      return { task_id, submission_id }
    }

    const steps = async (task: string) => {
      const { rows } = await stepsIn(store).find({ index: 'task', where: { task }, limit: 100 })
      return rows
    }

    /** Carries out what is due until nothing more happens. */
    const carry = async () => {
      for (let turn = 0; turn < 10; turn++) {
        await advanceDueSteps(deps, nobody)
        if ((await stepsIn(store).count({ index: 'due', where: { open: true } })) === 0) return
        town.later(6_000)
      }
    }

    const held = async (task: string) => {
      const escrow = await escrowsIn(store).get(task)
      if (!escrow) throw new Error(`${task} is not on the chain`)
      return { escrow, state: await readState(await base.reader(), escrow.contract, escrow.hash) }
    }

    return {
      ...town,
      registries,
      deps,
      offerFor,
      bring,
      paying,
      assigned,
      submitted,
      steps,
      carry,
      carryOnce: () => advanceDueSteps(deps, nobody),
      returnOrphans: () => returnOrphans(deps, nobody),
      held,
      task: async (id: string) => {
        const task = await tasksIn(store).get(id)
        if (!task) throw new Error(`no task ${id}`)
        return task
      },
    }
  }

  return {
    base,
    anvil,
    house,
    person,
    openTown,
    operatorKey: keys.facilitator,
    rpc: async () => (await devnet.network('base')).rpc,
    usdc: (address: string) => balanceOf(base, address),
    send: async (from: Person, { to, data }: { to: string; data: string }) => {
      const reader = await base.reader()
      return reader.waitForTransactionReceipt({ hash: await from.send(data as Hex, to as Hex) })
    },
    close,
  }
}

export type TownChain = Awaited<ReturnType<typeof openTownChain>>
export type ChainTown = Awaited<ReturnType<TownChain['openTown']>>
