import type { Hex, Log } from 'viem'
import type { Authorization } from './eip3009.ts'
import { usdcAbi } from './evm-abi.ts'

/** Blocks that public nodes search at once. */
export const logSpan = 9_000n

/** A question of JSON-RPC to a node, as viem's clients put it. */
export type AskNode = (question: { method: string; params: unknown }) => Promise<unknown>

/** Logs that are looked for: whose, and their topics. */
export type WantedLogs = { address: string; topics: readonly (Hex | readonly Hex[] | null)[] }

/** A log as nodes write it, of a block. */
type MinedLog = { topics: readonly Hex[]; transactionHash: Hex; blockNumber: Hex }

const isMined = (log: unknown): log is MinedLog => {
  const { transactionHash, blockNumber } = (log ?? {}) as Partial<MinedLog>
  return typeof transactionHash === 'string' && typeof blockNumber === 'string'
}

type Range = { first: bigint; last: bigint; maxSpans: number; span?: bigint }

/** The newest log that fits, searched backwards from the block `last` to `first` in at most `maxSpans` ranges. */
export const findLog = async (
  ask: AskNode,
  wanted: WantedLogs,
  { first, last, maxSpans, span = logSpan }: Range,
): Promise<MinedLog | undefined> => {
  const { numberToHex } = await import('viem')
  for (let to = last, spans = 0; spans < maxSpans && to >= first; spans++) {
    const from = to - span > first ? to - span : first
    const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
    const logs = await ask({ method: 'eth_getLogs', params: [{ ...wanted, ...range }] })
    const log = Array.isArray(logs) ? logs.at(-1) : undefined
    if (isMined(log)) return log
    to = from - 1n
  }
  return undefined
}

/** What logs say of an authorization: on the chain a used one and a cancelled one look alike but for them. */
export const authorizationLogs = async (
  token: string,
  { from, nonce }: Pick<Authorization, 'from' | 'nonce'>,
): Promise<{ wanted: WantedLogs; isCancelled: (log: MinedLog) => boolean }> => {
  const { pad, toEventSelector } = await import('viem')
  const cancelled = toEventSelector('AuthorizationCanceled(address,bytes32)')
  const events = [toEventSelector('AuthorizationUsed(address,bytes32)'), cancelled]
  return {
    wanted: { address: token, topics: [events, pad(from), nonce] },
    isCancelled: ({ topics }) => topics[0] === cancelled,
  }
}

/** The use of an authorization in a transaction, and the transfer that the token logs right behind it. */
export type LoggedUse = {
  authorizer: Hex
  nonce: Hex
  transfer: { from: Hex; to: Hex; value: bigint; logIndex: number } | undefined
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** Uses of authorizations in the logs of a transaction; only those of the token count. */
export const listUses = async (logs: readonly unknown[], token: string): Promise<LoggedUse[]> => {
  const { parseEventLogs } = await import('viem')
  const own = (logs as readonly Log[]).filter(({ address }) => isSame(address, token))
  const events = parseEventLogs({ abi: usdcAbi, logs: own })
  return events.flatMap((event, at) => {
    if (event.eventName !== 'AuthorizationUsed') return []
    const next = events[at + 1]
    const transfer = next?.eventName === 'Transfer' ? { ...next.args, logIndex: next.logIndex } : undefined
    return [{ ...event.args, transfer }]
  })
}

/** Finds what an authorization did among the uses of a transaction. */
export const findLoggedUse = (
  uses: readonly LoggedUse[],
  { from, nonce }: Pick<Authorization, 'from' | 'nonce'>,
): LoggedUse | undefined => uses.find(use => isSame(use.authorizer, from) && isSame(use.nonce, nonce))

/** True when the money went as it was signed. */
export const isCarriedOut = (
  use: LoggedUse | undefined,
  { from, to, value }: Pick<Authorization, 'from' | 'to' | 'value'>,
): use is LoggedUse & { transfer: NonNullable<LoggedUse['transfer']> } =>
  use?.transfer !== undefined &&
  isSame(use.transfer.from, from) &&
  isSame(use.transfer.to, to) &&
  use.transfer.value === value
