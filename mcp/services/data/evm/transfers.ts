import { formatUnits, type Hex } from 'viem'
import type { z } from 'zod'
import { numberIn, returnedText } from '../../../lib/evm-words.ts'
import { callAll } from './calls.ts'
import { type CallChain, orNullIfUnanswered } from './chain.ts'
import { addressIn } from './code.ts'
import { ChecksumAddress } from './quantity.ts'
import { maxDecimals } from './token.ts'
import type { EventLog } from './transaction.ts'
import type { TokenTransferFields } from './transaction-fields.ts'

/** Transfers listed; all are counted. */
export const maxTransfers = 200

/** Tokens that are asked for symbol and decimals. */
const maxTokens = 20

/** Bytes that all of them may answer with. */
const maxBytes = 64 << 10

/** Topics of Transfer(address,address,uint256) and of the two events of ERC-1155. */
const topics = {
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  single: '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  batch: '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
}

type Transfer = {
  standard: z.output<typeof TokenTransferFields>['standard']
  token: Hex
  from: Hex
  to: Hex
  raw: bigint | null
  token_id: bigint | null
}

const nobody: Hex = '0x0000000000000000000000000000000000000000'

const readWord = (data: string, index: number): bigint | null =>
  numberIn(`0x${data.slice(2 + index * 64, 66 + index * 64)}`)

const party = (topic: string | undefined): Hex => addressIn(topic ?? null) ?? nobody

/** The standard that a log speaks of; undefined for other logs. */
const detectStandard = ({
  topics: { 0: kind, length },
  data,
}: EventLog): Transfer['standard'] | undefined => {
  if (kind === topics.transfer && length === 4) return 'ERC-721'
  if (kind === topics.transfer && length === 3 && data.length >= 66) return 'ERC-20'
  return (kind === topics.single || kind === topics.batch) && length === 4 ? 'ERC-1155' : undefined
}

const readTransfer = (log: EventLog, standard: Transfer['standard']): Transfer => {
  const [kind, first, second, third] = log.topics
  const token = ChecksumAddress.parse(log.address)
  if (standard === 'ERC-1155') {
    const isSingle = kind === topics.single
    const [tokenId, raw] = isSingle ? [readWord(log.data, 0), readWord(log.data, 1)] : [null, null]
    return { standard, token, from: party(second), to: party(third), raw, token_id: tokenId }
  }
  const between = { standard, token, from: party(first), to: party(second) }
  return standard === 'ERC-721'
    ? { ...between, raw: null, token_id: numberIn(third as Hex) }
    : { ...between, raw: readWord(log.data, 0), token_id: null }
}

type Unit = { symbol: string | null; decimals: number | null }

const readUnits = async (chain: CallChain, tokens: readonly Hex[]): Promise<Map<Hex, Unit>> => {
  const calls = tokens.flatMap(to => [
    { to, data: '0x95d89b41' as const },
    { to, data: '0x313ce567' as const },
  ])
  const results = (await orNullIfUnanswered(callAll(chain, calls, maxBytes))) ?? []
  return new Map(
    tokens.map((token, index) => {
      const decimals = numberIn(results[index * 2 + 1] ?? null)
      const isNumber = decimals !== null && decimals <= maxDecimals
      return [
        token,
        { symbol: returnedText(results[index * 2] ?? null), decimals: isNumber ? Number(decimals) : null },
      ]
    }),
  )
}

/** Token transfers in the logs of a transaction, with symbols and amounts where the tokens tell them. */
export const findTokenTransfers = async (
  chain: CallChain,
  logs: readonly EventLog[],
): Promise<{ count: number; transfers: z.output<typeof TokenTransferFields>[] }> => {
  const logEntries = logs.flatMap(log => {
    const standard = detectStandard(log)
    return standard === undefined ? [] : [{ log, standard }]
  })
  const listedTransfers = logEntries
    .slice(0, maxTransfers)
    .map(({ log, standard }) => readTransfer(log, standard))
  const tokens = [...new Set(listedTransfers.map(({ token }) => token))].slice(0, maxTokens)
  const units = await readUnits(chain, tokens)
  const transfers = listedTransfers.map(({ raw, token_id: tokenId, ...transfer }) => {
    const { symbol = null, decimals = null } = units.get(transfer.token) ?? {}
    const isAmount = transfer.standard === 'ERC-20' && raw !== null && decimals !== null
    return {
      ...transfer,
      symbol,
      amount: isAmount ? formatUnits(raw, decimals) : null,
      raw: raw === null ? null : String(raw),
      token_id: tokenId === null ? null : String(tokenId),
    }
  })
  return { count: logEntries.length, transfers }
}
