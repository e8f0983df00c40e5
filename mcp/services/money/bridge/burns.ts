import { encodeFunctionData, type Hex, isAddressEqual, parseEventLogs, zeroAddress } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import { simulateCalls } from '../calldata/simulate.ts'
import { cctpAbi } from './abi.ts'
import { toText } from './amount.ts'
import type { Bridge } from './bridge.ts'
import type { Burn } from './burn-fields.ts'
import { type BridgeChain, chainOfDomain, transmitterAddress } from './chains.ts'
import type { IrisMessage } from './iris.ts'
import { readBurnMessage } from './message.ts'

/** Messages as the burn itself wrote them, before Circle has filled in what is its. */
const sentMessages = async (
  bridge: Bridge,
  from: BridgeChain,
  hash: Hex,
  signal: AbortSignal,
): Promise<Hex[] | undefined> => {
  const reader = await bridge.reader(from, signal)
  if (!reader) return undefined
  const receipt = await reader.getTransactionReceipt({ hash }).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'TransactionReceiptNotFoundError') return undefined
    throw error
  })
  if (!receipt)
    throw new ToolError(
      'not_found',
      `There is no transaction ${hash} on ${from.title}, or it is not mined yet.`,
      {
        retryAfter: 5,
        hint: 'Check the hash and the chain it is on.',
      },
    )
  return parseEventLogs({
    abi: cctpAbi,
    eventName: 'MessageSent',
    logs: receipt.logs.filter(({ address }) => isAddressEqual(address, transmitterAddress)),
  }).map(({ args }) => args.message)
}

const readMinted = async (bridge: Bridge, to: BridgeChain | undefined, nonce: Hex, signal: AbortSignal) => {
  const reader = to && (await bridge.reader(to, signal))
  if (!reader) return undefined
  const used = await reader.readContract({
    address: transmitterAddress,
    abi: cctpAbi,
    functionName: 'usedNonces',
    args: [nonce],
  })
  return { reader, isMinted: used !== 0n, head: await reader.getBlockNumber({ cacheTime: 0 }) }
}

const relayMs = 10 * 60_000

/** The call that carries a message; simulated, and refused in words where it would revert. */
const buildRelay = async (
  bridge: Bridge,
  to: BridgeChain,
  { message, attestation }: { message: Hex; attestation: Hex },
  signal: AbortSignal,
): Promise<Pick<Burn, 'relay' | 'relay_reason'>> => {
  const burn = readBurnMessage(message)
  const reader = await bridge.reader(to, signal)
  if (!burn || !reader) return { relay: null, relay_reason: `${to.title} cannot be read here.` }
  const isForAnybody = /^0x0+$/.test(burn.destinationCaller)
  const account: Hex = isForAnybody ? burn.recipient : `0x${burn.destinationCaller.slice(26)}`
  const data = encodeFunctionData({
    abi: cctpAbi,
    functionName: 'receiveMessage',
    args: [message, attestation],
  })
  try {
    const simulated = await simulateCalls(reader, {
      account: account === zeroAddress ? transmitterAddress : account,
      calls: [{ to: transmitterAddress, data }],
      now: bridge.now(),
    })
    return {
      relay: {
        chainId: to.chainId,
        calls: simulated.calls,
        expect: { recipient: burn.recipient, amount: toText(burn.amount - burn.fee) },
        simulation: simulated.simulation,
        expires_at: new Date(bridge.now().getTime() + relayMs).toISOString(),
      },
      relay_reason: isForAnybody ? null : `Only ${account} may send it.`,
    }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return { relay: null, relay_reason: error.message }
  }
}

const describeBurn = async (
  bridge: Bridge,
  sent: Hex | undefined,
  answer: IrisMessage | undefined,
  signal: AbortSignal,
): Promise<Burn | undefined> => {
  const message = answer?.message ?? sent
  const burn = message === undefined || message === null ? undefined : readBurnMessage(message)
  if (!burn) return undefined
  const to = chainOfDomain(burn.destination)
  const nonce = answer?.nonce ?? null
  const attested =
    answer?.message && answer.attestation
      ? { message: answer.message, attestation: answer.attestation }
      : undefined
  const there = nonce ? await readMinted(bridge, to, nonce, signal) : undefined
  const forwarded = answer?.forwardState?.toUpperCase() === 'COMPLETE'
  const isMinted = there?.isMinted ?? forwarded
  const isExpired = burn.expirationBlock > 0n && there !== undefined && there.head >= burn.expirationBlock
  const state = isMinted ? 'minted' : attested ? (isExpired ? 'expired' : 'attested') : 'burned'
  const facts = {
    nonce,
    to: to?.name ?? null,
    destination_domain: burn.destination,
    recipient: burn.recipient,
    amount: toText(burn.amount),
    fee: toText(burn.fee),
    state,
    forward: answer?.forwardState ?? null,
    mint: answer?.forwardTransaction ?? null,
    delay_reason: answer?.delayReason ?? null,
  } as const
  if (state === 'minted') return { ...facts, relay: null, relay_reason: 'It is minted.' }
  if (!attested) return { ...facts, relay: null, relay_reason: 'Circle has not attested it yet.' }
  if (!to)
    return { ...facts, relay: null, relay_reason: 'Its destination is not in the table of this bridge.' }
  return { ...facts, ...(await buildRelay(bridge, to, attested, signal)) }
}

/** Every burn of a transaction, whoever made it: how far each is, and how to carry it oneself. */
export const readBurns = async (
  bridge: Bridge,
  from: BridgeChain,
  hash: Hex,
  signal: AbortSignal,
): Promise<Burn[]> => {
  const [messages, answers] = await Promise.all([
    sentMessages(bridge, from, hash, signal),
    bridge.iris().then(iris => iris.messages(from.domain, hash)),
  ])
  const count = Math.max(messages?.length ?? 0, answers.length)
  const burns = await Promise.all(
    Array.from({ length: count }, (_, at) => describeBurn(bridge, messages?.[at], answers[at], signal)),
  )
  return burns.filter(burn => burn !== undefined)
}
