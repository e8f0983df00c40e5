import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { isRecord, type JsonRecord, parseRecord } from '../mcp/lib/json.ts'

/** All that will be signed: a claim always makes the same signature, so a payment may be sent again, never twice. */
export type PaymentClaim = {
  id: string
  /** When it was claimed, Unix milliseconds. */
  at: number
  /** The process that claimed it. */
  pid: number
  /** The address that pays. */
  wallet: string
  /** Millionths of a USD. */
  micros: bigint
  /** Which call it pays for: a digest of server, tool and arguments. */
  call: string
  tool: string
  server: string
  /** Of the quote: x402 version, the offer that is accepted as it came, and the resource. */
  version: 1 | 2
  accepted: JsonRecord
  resource: unknown
  /** EIP-3009; times in Unix seconds. */
  authorization: { to: string; value: string; validAfter: string; validBefore: string; nonce: string }
}

/**
 * What is known of a claim; `owed` is one that moved money for work that failed and may be asked for again. Only `released` gives its
 * money back to the budget: whatever may have been signed counts as spent.
 */
export type ClaimState = 'claimed' | 'settled' | 'owed' | 'answered' | 'refused' | 'unanswered' | 'released'

export type ClaimRow = { claim: PaymentClaim; state: ClaimState; transaction?: string; reason?: string }

/** Limits of a claim. `since` is where the 24 hours of the budget begin. */
export type Ceiling = { budget: bigint; total: bigint | undefined; since: number }

/** Amount spent before a claim was refused, in millionths of a USD. */
export type OverLimit = { over: 'budget' | 'total'; spent: bigint }

/** The record of payments of one folder: append-only lines, shared by processes without a lock. */
export type PaymentRecord = {
  /**
   * Claims money before anything is signed. The claim is on the disk first, and then those before it are counted: of processes that
   * race for the rest of a budget, none goes over it.
   */
  claim(claim: Omit<PaymentClaim, 'id' | 'at' | 'pid'>, ceiling: Ceiling): PaymentClaim | OverLimit
  mark(
    id: string,
    state: Exclude<ClaimState, 'claimed'>,
    about?: { transaction?: string; reason?: string },
  ): void
  /** Every claim, in the order of the file. */
  rows(): ClaimRow[]
  /** Spending of a wallet since a time, and in all. */
  spent(wallet: string, since: number): { window: bigint; total: bigint }
  close(): void
}

const states = new Set(['settled', 'owed', 'answered', 'refused', 'unanswered', 'released'])

const readClaim = (row: JsonRecord): PaymentClaim | undefined => {
  const { id, at, pid, wallet, micros, call, tool, server, version, accepted, resource, authorization } = row
  if (typeof id !== 'string' || typeof at !== 'number' || typeof wallet !== 'string') return undefined
  if (typeof micros !== 'string' || !/^\d{1,30}$/.test(micros)) return undefined
  if (!isRecord(accepted) || !isRecord(authorization)) return undefined
  return {
    id,
    at,
    pid: Number(pid),
    wallet,
    micros: BigInt(micros),
    call: String(call),
    tool: String(tool),
    server: String(server),
    version: version === 1 ? 1 : 2,
    accepted,
    resource,
    authorization: authorization as PaymentClaim['authorization'],
  }
}

/** Reads a row into what is known: a claim, or what became of one. Anything else is a torn line, whose claim was never signed. */
const applyRow = (claims: Map<string, ClaimRow>, line: string): void => {
  const row = parseRecord(line)
  if (!row) return
  if (row.event === 'claimed') {
    const claim = readClaim(row)
    if (claim && !claims.has(claim.id)) claims.set(claim.id, { claim, state: 'claimed' })
    return
  }
  const entry = typeof row.id === 'string' ? claims.get(row.id) : undefined
  if (!entry || typeof row.event !== 'string' || !states.has(row.event)) return
  // What was settled stays so, whatever somebody says later.
  if (entry.state === 'settled') return
  entry.state = row.event as ClaimState
  if (typeof row.transaction === 'string') entry.transaction = row.transaction
  if (typeof row.reason === 'string') entry.reason = row.reason
}

const sumClaims = (
  rows: Iterable<ClaimRow>,
  wallet: string,
  since: number,
): { window: bigint; total: bigint } => {
  const sum = { window: 0n, total: 0n }
  for (const { claim, state } of rows) {
    if (state === 'released' || claim.wallet !== wallet) continue
    sum.total += claim.micros
    // A clock that was set back makes claims of the future, which count.
    if (claim.at > since) sum.window += claim.micros
  }
  return sum
}

export const recordFile = (folder: string): string => join(folder, 'payments.jsonl')

/** Opens the record of a folder, and makes both where they are not there. Throws what the file system says. */
export const openPaymentRecord = (folder: string, now: () => number = Date.now): PaymentRecord => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = recordFile(folder)
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR
  const fd = openSync(file, flags, 0o600)
  const buffer = Buffer.alloc(65_536)
  const claims = new Map<string, ClaimRow>()
  const decoder = new StringDecoder('utf8')
  let offset = 0
  let rest = ''

  const catchUp = (): void => {
    for (;;) {
      const count = readSync(fd, buffer, 0, buffer.length, offset)
      if (count === 0) return
      offset += count
      const lines = (rest + decoder.write(buffer.subarray(0, count))).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) applyRow(claims, line)
    }
  }

  const append = (row: object): void => {
    // The line end in front closes what another process left torn; the write is one, so that lines of processes do not mix.
    const bytes = Buffer.from(`\n${JSON.stringify(row)}\n`)
    if (writeSync(fd, bytes) !== bytes.length) throw new Error(`${file} took only a part of a line.`)
  }

  const before = (id: string): ClaimRow[] => {
    const rows = [...claims.values()]
    const own = rows.findIndex(({ claim }) => claim.id === id)
    // The file was changed under our hands: nothing that it says can be relied on.
    if (own < 0 || fstatSync(fd).nlink === 0) throw new Error(`${file} does not hold what was written to it.`)
    return rows.slice(0, own)
  }

  const mark: PaymentRecord['mark'] = (id, event, about = {}) => append({ event, id, at: now(), ...about })

  return {
    claim(fields, { budget, total, since }) {
      const claim: PaymentClaim = { ...fields, id: randomUUID(), at: now(), pid: process.pid }
      append({ event: 'claimed', ...claim, micros: String(claim.micros) })
      // Of what became of a claim nothing is lost that matters: without its row it counts.
      fsyncSync(fd)
      catchUp()
      const sum = sumClaims(before(claim.id), claim.wallet, since)
      const isOverTotal = total !== undefined && sum.total + claim.micros > total
      if (!isOverTotal && sum.window + claim.micros <= budget) return claim
      mark(claim.id, 'released', { reason: 'over the limit' })
      return isOverTotal ? { over: 'total', spent: sum.total } : { over: 'budget', spent: sum.window }
    },
    mark,
    rows() {
      catchUp()
      return [...claims.values()]
    },
    spent(wallet, since) {
      catchUp()
      return sumClaims(claims.values(), wallet, since)
    },
    close: () => closeSync(fd),
  }
}
