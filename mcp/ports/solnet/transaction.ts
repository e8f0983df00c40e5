import { base58 } from './base58.ts'

/** One instruction with its accounts resolved to addresses. */
export type Instruction = { program: string; accounts: string[]; data: Buffer }

/** A Solana transaction as it is on the wire. A signature that is still to come is 64 zero bytes. */
export type SolanaTransaction = {
  signatures: Buffer[]
  /** Signed part: everything after the signatures. */
  message: Buffer
  /** Addresses; the first `signatures.length` of them sign, the very first pays the fee. */
  accounts: string[]
  blockhash: string
  instructions: Instruction[]
}

/** The most bytes that a transaction may have, so that it fits into one packet. */
const maxBytes = 1_232

class Unreadable extends Error {}

const openReader = (bytes: Buffer) => {
  let at = 0
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw new Unreadable()
    at += count
    return bytes.subarray(at - count, at)
  }
  const byte = (): number => take(1).readUInt8()
  // Compact-u16. A second byte of zero would be another spelling of the same number.
  const count = (): number => {
    const low = byte()
    if (low < 0x80) return low
    const high = byte()
    if (high === 0 || high >= 0x80) throw new Unreadable()
    return (low & 0x7f) | (high << 7)
  }
  const times = <T>(maxCount: number, readItem: () => T): T[] => {
    const length = count()
    if (length > maxCount) throw new Unreadable()
    return Array.from({ length }, readItem)
  }
  return { take, byte, count, times, at: () => at, peek: () => bytes[at] ?? 0 }
}

type Reader = ReturnType<typeof openReader>

const readInstruction = (reader: Reader, accounts: readonly string[]): Instruction => {
  const account = (): string => {
    const address = accounts[reader.byte()]
    if (address === undefined) throw new Unreadable()
    return address
  }
  const program = account()
  return { program, accounts: reader.times(256, account), data: Buffer.from(reader.take(reader.count())) }
}

const readAll = (bytes: Buffer): SolanaTransaction => {
  const reader = openReader(bytes)
  const signatures = reader.times(16, () => Buffer.from(reader.take(64)))
  const message = bytes.subarray(reader.at())
  const versioned = reader.peek() >= 0x80
  if (versioned && reader.byte() !== 0x80) throw new Unreadable()
  const signers = reader.byte()
  reader.take(2)
  const accounts = reader.times(64, () => base58(reader.take(32)))
  const blockhash = base58(reader.take(32))
  const instructions = reader.times(64, () => readInstruction(reader, accounts))
  // Accounts from lookup tables cannot be told from the message alone.
  if (versioned && reader.count() !== 0) throw new Unreadable()
  const whole = reader.at() === bytes.length
  if (!whole || signers === 0 || signers !== signatures.length || signers > accounts.length)
    throw new Unreadable()
  return { signatures, message: Buffer.from(message), accounts, blockhash, instructions }
}

/**
 * Reads a transaction strictly, legacy or version 0 without lookup tables; undefined for anything else, bytes too many
 * and second spellings included.
 */
export const readTransaction = (bytes: Buffer): SolanaTransaction | undefined => {
  if (bytes.length > maxBytes) return undefined
  try {
    return readAll(bytes)
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}
