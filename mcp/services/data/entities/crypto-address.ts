import { createHash } from 'node:crypto'
import { base58, bech32, bech32m } from '@scure/base'
import type { Cover, TextSpan } from '../../../lib/text/amount/span.ts'

export type FoundCryptoAddress = TextSpan & {
  key: string
  raw: string
  address: string
  network: string
  valid: boolean | null
}

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** The version byte of an address in Base58Check; undefined when its checksum does not fit. */
const readBase58Check = (address: string): number | undefined => {
  const bytes = base58.decode(address)
  if (bytes.length !== 25) return undefined
  const sum = sha256(sha256(bytes.subarray(0, 21))).subarray(0, 4)
  return sum.equals(bytes.subarray(21)) ? bytes[0] : undefined
}

/** Networks by the version byte of their addresses in Base58Check. */
const versions: Readonly<Record<number, string>> = {
  0: 'bitcoin',
  5: 'bitcoin',
  30: 'dogecoin',
  48: 'litecoin',
  50: 'litecoin',
  65: 'tron',
}

/** True when the last characters of a segwit address fit the others: Bech32 for version 0, Bech32m after it (BIP 173, BIP 350). */
const isSegwit = (address: string): boolean => {
  const plain = address.toLowerCase()
  if (address !== plain && address !== address.toUpperCase()) return false
  const zero = bech32.decodeUnsafe(plain, 90)
  if (zero) return zero.words[0] === 0
  return (bech32m.decodeUnsafe(plain, 90)?.words[0] ?? 0) > 0
}

const edge = '(?<![A-Za-z0-9_/.=&-])'
const evmLike = new RegExp(`${edge}0x[0-9a-fA-F]{40}(?![A-Za-z0-9])`, 'g')
const segwitLike = new RegExp(
  `${edge}(?:bc1|BC1|ltc1|LTC1)[02-9ac-hj-np-zAC-HJ-NP-Z]{8,87}(?![A-Za-z0-9])`,
  'g',
)
const base58Like = new RegExp(`${edge}[13DLMT][1-9A-HJ-NP-Za-km-z]{25,34}(?![A-Za-z0-9])`, 'g')

type ToChecksum = (address: `0x${string}`) => string

const loadChecksum = async (): Promise<ToChecksum> => (await import('viem/utils')).getAddress

/**
 * Addresses of Bitcoin, Litecoin, Dogecoin and Tron with their checksums, and of EVM chains with that of ERC-55; `valid` is
 * null for an EVM address in one case, which carries none. A word in Base58 counts only when its checksum fits.
 */
export const findCryptoAddresses = async (text: string, cover: Cover): Promise<FoundCryptoAddress[]> => {
  const addresses: FoundCryptoAddress[] = []
  const keep = (start: number, raw: string, network: string, valid: boolean | null, address = raw) => {
    const entry = { key: address, raw, address, network, valid, start, end: start + raw.length }
    if (cover.take(entry)) addresses.push(entry)
  }
  const evm = [...text.matchAll(evmLike)]
  const isMixed = (raw: string) => /[a-f]/.test(raw.slice(2)) && /[A-F]/.test(raw)
  const toChecksum = evm.some(([raw]) => isMixed(raw)) ? await loadChecksum() : undefined
  for (const { 0: raw, index } of evm) {
    const isSame = toChecksum && isMixed(raw) ? toChecksum(`0x${raw.slice(2).toLowerCase()}`) === raw : null
    keep(index, raw, 'evm', isSame)
  }
  for (const { 0: raw, index } of text.matchAll(segwitLike))
    keep(index, raw, /^l/i.test(raw) ? 'litecoin' : 'bitcoin', isSegwit(raw), raw.toLowerCase())
  for (const { 0: raw, index } of text.matchAll(base58Like)) {
    const version = readBase58Check(raw)
    const network = version === undefined ? undefined : versions[version]
    if (network !== undefined) keep(index, raw, network, true)
  }
  return addresses
}
