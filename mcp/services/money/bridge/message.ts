import { type Hex, hexToBigInt, hexToNumber, size, slice } from 'viem'

/** A message of CCTP V2 whose body is a burn. */
export type BurnMessage = {
  source: number
  destination: number
  nonce: Hex
  /** The only one that may carry it; zero for anybody. */
  destinationCaller: Hex
  recipient: Hex
  amount: bigint
  messageSender: Hex
  maxFee: bigint
  fee: bigint
  /** Block of the destination from which on a fast attestation counts no more; 0 for never. */
  expirationBlock: bigint
  hookData: Hex
}

const head = 148
const minBody = 228

const address = (message: Hex, at: number): Hex => slice(message, at + 12, at + 32)

/** Reads a message; undefined for what is no burn of version 1 of the format, which CCTP V2 has. */
export const readBurnMessage = (message: Hex): BurnMessage | undefined => {
  if (size(message) < head + minBody || hexToNumber(slice(message, 0, 4)) !== 1) return undefined
  const number = (at: number, end: number) => hexToNumber(slice(message, at, end))
  const word = (at: number) => hexToBigInt(slice(message, head + at, head + at + 32))
  return {
    source: number(4, 8),
    destination: number(8, 12),
    nonce: slice(message, 12, 44),
    destinationCaller: slice(message, 108, 140),
    recipient: address(message, head + 36),
    amount: word(68),
    messageSender: address(message, head + 100),
    maxFee: word(132),
    fee: word(164),
    expirationBlock: word(196),
    hookData: size(message) > head + minBody ? slice(message, head + minBody) : '0x',
  }
}
