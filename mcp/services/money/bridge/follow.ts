import { type Hex, isAddressEqual, parseEventLogs, type TransactionReceipt, toEventSelector } from 'viem'
import { stablecoinBridge } from '../../../../contracts/stablecoin-bridge.ts'
import { ToolError } from '../../../kernel/error.ts'
import { usdcAbi } from '../../../lib/evm-abi.ts'
import { cctpAbi } from './abi.ts'
import { type Bridge, requireNamed } from './bridge.ts'
import { type BridgeRoute, messengerAddress, transmitterAddress } from './chains.ts'
import { finishTransfer, returnTransfer } from './finish.ts'
import type { IrisMessage } from './iris.ts'
import { findRecentLog } from './logs.ts'
import { readBurnMessage } from './message.ts'
import { requireOwnAddress } from './payer.ts'
import {
  authorizationNonce,
  type BridgeTransfer,
  isLate,
  laneKey,
  laneOf,
  saveTransfer,
  type TransferTerms,
  transfersIn,
} from './transfer.ts'
import { findTransferUse } from './use.ts'

type Patch = Partial<TransferTerms>

const bridgedTopic = toEventSelector('Bridged(bytes32,address,uint256,uint256,uint256,address)')
const returnedTopic = toEventSelector('Returned(bytes32,address,uint256)')
const messageReceivedTopic = toEventSelector('MessageReceived(address,uint32,bytes32,bytes32,uint32,bytes)')

/** After a day without its money moving, nobody carries an authorization of five minutes any more. */
const forgetMs = 24 * 3_600_000

/** Milliseconds that Circle's forwarder has before we carry a message ourselves, where we can. */
const forwardMs = 10 * 60_000

/** Milliseconds between two transactions of our own for one transfer, whichever replica sends them. */
const sendMs = 30_000

const secondsSince = (bridge: Bridge, time: string): number =>
  (bridge.now().getTime() - Date.parse(time)) / 1000

/** True for one caller of all replicas. What is sent takes effect once anyhow; this spares the gas of a second one. */
const claimSending = (bridge: Bridge, { id }: BridgeTransfer, what: string): Promise<boolean> =>
  bridge.store.claim(`money.transfer:${what}:${id}`, new Date(bridge.now().getTime() + sendMs))

/** Looks for the burn of a transfer that is paid, or may be. */
const lookForBurn = async (bridge: Bridge, route: BridgeRoute, transfer: BridgeTransfer): Promise<Patch> => {
  const { from } = route
  const chain = bridge.source(from.name)
  const reader = await chain.reader()
  const address = laneOf(transfer)
  const key = await laneKey(transfer)
  const now = bridge.now()
  const isBridged = await reader.readContract({
    address,
    abi: stablecoinBridge.abi,
    functionName: 'bridged',
    args: [key],
  })
  if (isBridged) {
    const depth = { seconds: secondsSince(bridge, transfer.created) + 3_600, blockMs: chain.network.blockMs }
    const log = await findRecentLog(reader, { address, topics: [[bridgedTopic, returnedTopic], key] }, depth)
    if (!log) return { reason: 'The burn is there, and the node does not show it yet.' }
    if (log.topics[0] === returnedTopic) {
      const reason = `A stranger carried the payment past us, and it went back to its payer on ${from.title} in ${log.transactionHash}.`
      return { state: 'returned', open: false, sent: null, reason }
    }
    const burnedAt = now.toISOString()
    return { state: 'burned', burn: log.transactionHash, burnedAt, sent: null, reason: null }
  }
  const isUsed = await reader.readContract({
    address: from.usdc,
    abi: usdcAbi,
    functionName: 'authorizationState',
    args: [transfer.payer as Hex, authorizationNonce(transfer)],
  })
  if (!isUsed) {
    const age = now.getTime() - Date.parse(transfer.created)
    if (age < forgetMs) return { state: 'quoted' }
    return { state: 'refused', open: false, reason: 'The payment never moved.' }
  }
  const use = await findTransferUse(bridge, route, transfer)
  if (use.state === 'unknown')
    return { reason: 'The payment was used, and the node does not show where yet.' }
  if (use.state === 'elsewhere')
    return { state: 'refused', open: false, reason: 'The payment was cancelled, or went to somebody else.' }
  return finishDelivered(bridge, route, transfer, use)
}

/** The transfer once its payment has settled in a transaction, which has burned it too unless a stranger sent it. */
export const noteBurn = async (
  bridge: Bridge,
  transfer: BridgeTransfer,
  transaction: string,
): Promise<BridgeTransfer> => {
  if (transfer.state !== 'quoted') return transfer
  const { from } = requireNamed(transfer.route)
  const reader = await bridge.source(from.name).reader()
  const hash = transaction as Hex
  const receipt = await reader.getTransactionReceipt({ hash }).catch(() => undefined)
  const key = await laneKey(transfer)
  const isBurn = receipt?.logs.some(
    ({ address, topics }) =>
      isAddressEqual(address, laneOf(transfer)) && topics[0] === bridgedTopic && topics[1] === key,
  )
  if (!isBurn) return transfer
  const burned = { state: 'burned', burn: hash, burnedAt: bridge.now().toISOString() } as const
  return saveTransfer(bridge.store, transfer, burned)
}

/** Why what was delivered cannot be minted to its payer's address; undefined where it can. */
const findObstacle = (
  bridge: Bridge,
  route: BridgeRoute,
  { payer }: BridgeTransfer,
): Promise<string | undefined> =>
  requireOwnAddress(bridge, route, payer as Hex).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ToolError && error.code === 'conflict') return error.message
      throw error
    },
  )

/** A stranger carried the payment to its purse: it is burned with a proof, or goes back by it where that cannot be. */
const finishDelivered = async (
  bridge: Bridge,
  route: BridgeRoute,
  transfer: BridgeTransfer,
  use: Parameters<typeof finishTransfer>[3],
): Promise<Patch> => {
  const obstacle = await findObstacle(bridge, route, transfer)
  const paid = {
    state: 'paid',
    reason:
      obstacle === undefined
        ? 'A stranger carried the payment past us; it is burned with a proof.'
        : `A stranger carried the payment past us, and it goes back to its payer: ${obstacle}`,
  } as const
  if (!(await claimSending(bridge, transfer, 'finish'))) return paid
  const before = await saveTransfer(bridge.store, transfer, paid)
  const onSigned = async (hash: string) => {
    await transfersIn(bridge.store).update(before.id, row => ({ ...row, sent: hash }))
  }
  if (obstacle === undefined && (await finishTransfer(bridge, route, before, use, onSigned))) return paid
  const isOverdue = isLate(before, bridge.now())
  if (obstacle === undefined && !isOverdue) return paid
  if (await returnTransfer(bridge, route, before, use, onSigned)) return paid
  if (!isOverdue) return paid
  const reason =
    'A stranger carried the payment past us, and neither a burn nor its return can be proved any more. The operator gives it back.'
  return { state: 'stuck', reason }
}

/** The message of a transfer's own burn; what else the transaction burned is somebody else's. */
const ownMessage = (messages: readonly IrisMessage[], transfer: BridgeTransfer): IrisMessage | undefined => {
  if (messages.length < 2) return messages[0]
  return messages.find(({ message }) => {
    const burn = message ? readBurnMessage(message) : undefined
    return (
      burn?.recipient.toLowerCase() === transfer.payer.toLowerCase() &&
      burn.messageSender.toLowerCase() === laneOf(transfer).toLowerCase()
    )
  })
}

const isOnChain = async (bridge: Bridge, { from }: BridgeRoute, hash: Hex): Promise<boolean> => {
  const reader = await bridge.source(from.name).reader()
  return reader.getTransactionReceipt({ hash }).then(
    ({ status }) => status === 'success',
    (error: unknown) => {
      if (error instanceof Error && error.name === 'TransactionReceiptNotFoundError') return false
      throw error
    },
  )
}

const askForMessage = async (bridge: Bridge, { from }: BridgeRoute, transfer: BridgeTransfer) => {
  const iris = await bridge.iris()
  return ownMessage(await iris.messages(from.domain, transfer.burn ?? ''), transfer)
}

/** Waits for the attestation of a burn, and sees a source that takes the burn back. */
const lookForAttestation = async (
  bridge: Bridge,
  route: BridgeRoute,
  transfer: BridgeTransfer,
): Promise<Patch> => {
  const attempt = await askForMessage(bridge, route, transfer).then(
    message => ({ message }),
    (failure: unknown) => ({ message: undefined, failure }),
  )
  const { message } = attempt
  if (message?.attestation && message.nonce) {
    const attestedAt = bridge.now().toISOString()
    const attested = { state: 'attested', nonce: message.nonce, attestedAt, reason: null } as const
    const minted = await readForwarded(bridge, route, transfer, message).catch(() => undefined)
    return { ...attested, ...minted }
  }
  if (!(await isOnChain(bridge, route, transfer.burn as Hex)))
    return {
      state: 'quoted',
      burn: null,
      burnedAt: null,
      reason: `${route.from.title} has taken the burn back; the payment is carried out again.`,
    }
  if ('failure' in attempt) throw attempt.failure
  return { reason: message?.delayReason ? `Circle waits: ${message.delayReason}.` : null }
}

/** Reads a transaction's mint for a transfer's payer; undefined where it did not carry this message. */
const readMintIn = (
  receipt: TransactionReceipt,
  { payer }: BridgeTransfer,
  nonce: string,
): { amount: bigint | undefined } | undefined => {
  const logs = receipt.logs.filter(
    ({ address }) => isAddressEqual(address, transmitterAddress) || isAddressEqual(address, messengerAddress),
  )
  const carried = parseEventLogs({ abi: cctpAbi, eventName: 'MessageReceived', logs }).find(
    ({ args }) => args.nonce === nonce,
  )
  if (!carried) return undefined
  // The messenger mints before the transmitter says that it has taken the message.
  const mints = parseEventLogs({ abi: cctpAbi, eventName: 'MintAndWithdraw', logs }).filter(
    ({ args, logIndex }) => isAddressEqual(args.mintRecipient, payer as Hex) && logIndex < carried.logIndex,
  )
  return { amount: mints.at(-1)?.args.amount }
}

/** The mint of Circle's forwarder, where it names its transaction and the destination shows it. */
const readForwarded = async (
  bridge: Bridge,
  { to }: BridgeRoute,
  transfer: BridgeTransfer,
  { forwardTransaction: hash, nonce }: IrisMessage,
): Promise<Patch | undefined> => {
  const reader = hash && (await bridge.reader(to))
  if (!reader || !nonce) return undefined
  const mint = readMintIn(await reader.getTransactionReceipt({ hash }), transfer, nonce)
  return (
    mint && { ...toMinted(bridge, hash), received: mint.amount === undefined ? null : String(mint.amount) }
  )
}

const toMinted = (bridge: Bridge, mint: string | null) =>
  ({
    state: 'minted',
    open: false,
    mint,
    mintedAt: bridge.now().toISOString(),
    sent: null,
    reason: null,
  }) as const

/** Reads what was minted, and in which transaction, once the destination has taken the message. */
const readMint = async (
  bridge: Bridge,
  { to }: BridgeRoute,
  transfer: BridgeTransfer,
  message: IrisMessage | undefined,
): Promise<Patch | undefined> => {
  const reader = await bridge.reader(to)
  if (!reader || !transfer.nonce) return undefined
  const isUsed = await reader.readContract({
    address: transmitterAddress,
    abi: cctpAbi,
    functionName: 'usedNonces',
    args: [transfer.nonce as Hex],
  })
  if (isUsed === 0n) return undefined
  const depth = {
    seconds: secondsSince(bridge, transfer.attestedAt ?? transfer.created) + 600,
    blockMs: 1_000,
  }
  const topics = [messageReceivedTopic, null, transfer.nonce as Hex]
  const log = await findRecentLog(reader, { address: transmitterAddress, topics }, depth).catch(
    () => undefined,
  )
  const hash = log?.transactionHash ?? message?.forwardTransaction ?? null
  const receipt = hash && (await reader.getTransactionReceipt({ hash }).catch(() => undefined))
  const amount = receipt ? readMintIn(receipt, transfer, transfer.nonce)?.amount : undefined
  return { ...toMinted(bridge, hash), received: amount === undefined ? null : String(amount) }
}

const hasExpired = async (bridge: Bridge, { to }: BridgeRoute, message: Hex): Promise<boolean> => {
  const expiration = readBurnMessage(message)?.expirationBlock ?? 0n
  if (expiration === 0n) return false
  const reader = await bridge.reader(to)
  return reader !== undefined && (await reader.getBlockNumber({ cacheTime: 0 })) >= expiration
}

/** True when we carry a message ourselves: nobody else was asked to, Circle has failed to, or takes too long. */
const isOurs = (bridge: Bridge, transfer: BridgeTransfer, message: IrisMessage): boolean => {
  const hook = message.message ? readBurnMessage(message.message)?.hookData : undefined
  if (hook === '0x' || message.forwardState?.toUpperCase() === 'FAILED') return true
  return secondsSince(bridge, transfer.attestedAt ?? transfer.created) * 1000 > forwardMs
}

/** Carries a message to the destination. What reverts there may have been carried by somebody else meanwhile. */
const relay = async (
  bridge: Bridge,
  { to }: BridgeRoute,
  transfer: BridgeTransfer,
  message: IrisMessage,
): Promise<Patch> => {
  const failed = {
    state: 'forward_failed',
    reason: `Circle's forwarder does not mint it. Anybody can: bridge_status has the call to send on ${to.title}.`,
  } as const
  const relayer = await bridge.relayer(to).catch(() => undefined)
  const reader = await bridge.reader(to)
  if (!relayer || !reader || !message.message || !message.attestation) return failed
  if ((await reader.getBalance({ address: relayer.address })) === 0n) return failed
  const ours = { state: 'self_relay', reason: 'It is minted by a transaction of this service.' } as const
  if (!(await claimSending(bridge, transfer, 'relay'))) return ours
  const before = await saveTransfer(bridge.store, transfer, ours)
  const { encodeFunctionData } = await import('viem')
  const args = [message.message, message.attestation] as const
  const data = encodeFunctionData({ abi: cctpAbi, functionName: 'receiveMessage', args })
  const onSigned = async ({ hash }: { hash: string }) => {
    await transfersIn(bridge.store).update(before.id, row => ({ ...row, sent: hash }))
  }
  await relayer.carry({ to: transmitterAddress, data, onSigned }, 20_000).catch(() => undefined)
  return ours
}

/** Looks for the mint of an attested transfer, and helps where it does not come by itself. */
const lookForMint = async (bridge: Bridge, route: BridgeRoute, transfer: BridgeTransfer): Promise<Patch> => {
  const early = await readMint(bridge, route, transfer, undefined)
  const message = await askForMessage(bridge, route, transfer).catch(error => {
    if (early) return undefined
    throw error
  })
  if (early) return early.mint ? early : ((await readMint(bridge, route, transfer, message)) ?? early)
  if (!message?.message || !message.nonce)
    return { state: 'burned', nonce: null, attestedAt: null, reason: 'Circle attests it anew.' }
  if (message.nonce !== transfer.nonce) return { nonce: message.nonce }
  if (message.forwardState?.toUpperCase() === 'COMPLETE' && !(await bridge.reader(route.to)))
    return toMinted(bridge, message.forwardTransaction)
  if (await hasExpired(bridge, route, message.message)) {
    if (await claimSending(bridge, transfer, 'reattest')) await (await bridge.iris()).reattest(message.nonce)
    return {
      reason: 'The attestation has expired before anybody carried it; Circle was asked for a new one.',
    }
  }
  if (!isOurs(bridge, transfer, message)) return { state: 'attested', reason: null }
  return relay(bridge, route, transfer, message)
}

const steps = {
  quoted: lookForBurn,
  paid: lookForBurn,
  stuck: lookForBurn,
  burned: lookForAttestation,
  attested: lookForMint,
  forward_failed: lookForMint,
  self_relay: lookForMint,
} as const

const maxWaitMs = 60_000

/** When to look again: after 1 s, 2 s, 4 s … 60 s, from the start with each new state. */
const nextLook = (bridge: Bridge, tries: number): string => {
  const waitMs = bridge.local ? 250 : Math.min(maxWaitMs, 1_000 * 2 ** Math.min(tries, 6))
  return new Date(bridge.now().getTime() + waitMs).toISOString()
}

/** One look at a transfer, and what follows from it; all that is written can be found again on the chains. */
const advance = async (bridge: Bridge, transfer: BridgeTransfer): Promise<BridgeTransfer> => {
  if (transfer.state === 'minted' || transfer.state === 'returned' || transfer.state === 'refused')
    return transfer
  const patch = await steps[transfer.state](bridge, requireNamed(transfer.route), transfer)
  const current = (await transfersIn(bridge.store).get(transfer.id)) ?? transfer
  const isNew = patch.state !== undefined && patch.state !== transfer.state
  const tries = isNew ? 0 : current.tries + 1
  return saveTransfer(bridge.store, current, { ...patch, tries, due: nextLook(bridge, tries) })
}

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>(resolve => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })

/** Follows a transfer until it is minted, or for `ms`. A service that does not answer ends nothing: the job goes on later. */
export const followTransfer = async (
  bridge: Bridge,
  transfer: BridgeTransfer,
  ms: number,
  signal: AbortSignal,
): Promise<BridgeTransfer> => {
  const end = performance.now() + ms
  let current = transfer
  let waitMs = bridge.local ? 5 : 1_000
  while (current.open && !signal.aborted) {
    const next = await advance(bridge, current).catch(() => undefined)
    if (next && next.state !== current.state) {
      current = next
      waitMs = bridge.local ? 5 : 1_000
      continue
    }
    current = next ?? (await transfersIn(bridge.store).get(current.id)) ?? current
    const left = end - performance.now()
    if (left <= 0) break
    await wait(Math.min(waitMs, left), signal)
    waitMs = Math.min(waitMs * 2, bridge.local ? 100 : 4_000)
  }
  return current
}

const page = 100
const width = 4

/** Looks at every transfer that is due. */
export const advanceDue = async (bridge: Bridge, signal: AbortSignal): Promise<void> => {
  const due = { lte: bridge.now().toISOString() }
  const { rows } = await transfersIn(bridge.store).find({
    index: 'due',
    where: { open: true, due },
    limit: page,
  })
  const queue = [...rows]
  const faults: unknown[] = []
  const work = async () => {
    for (let row = queue.shift(); row && !signal.aborted; row = queue.shift()) {
      const transfer = row
      try {
        await advance(bridge, transfer)
      } catch (error) {
        faults.push(error)
        const tries = transfer.tries + 1
        await saveTransfer(bridge.store, transfer, { tries, due: nextLook(bridge, tries) })
      }
    }
  }
  await Promise.all(Array.from({ length: width }, work))
  if (faults.length > 0) throw faults[0]
}

/** Throws when money of payers is on its way for too long, so that the operator sees it. */
export const requireNoneLate = async (bridge: Bridge): Promise<void> => {
  const late: BridgeTransfer[] = []
  let after: string | undefined
  do {
    const more = after === undefined ? {} : { after }
    const { rows, next } = await transfersIn(bridge.store).find({
      index: 'due',
      where: { open: true },
      limit: 500,
      ...more,
    })
    late.push(...rows.filter(row => isLate(row, bridge.now())))
    after = next
  } while (after !== undefined)
  const [first] = late
  if (!first) return
  throw new ToolError(
    'upstream',
    `${late.length} transfers of the bridge are late, the first since ${first.created} (${first.id}, ${first.state}).`,
  )
}
