import { createHash } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1'
import { bech32 } from '@scure/base'

/** Content of an invoice (BOLT 11), as far as it is needed to pay it. */
export type DecodedInvoice = {
  /** `bc`, `tb`, `bcrt`. */
  currency: string
  /** Undefined where the payer chooses. */
  msat: bigint | undefined
  /** Hex. */
  paymentHash: string
  /** Hex. */
  paymentSecret: string
  description: string
  createdAt: Date
  expiresAt: Date
  /** Public key of the node that signed it, hex. */
  node: string
}

type InvoiceFacts = {
  currency: string
  msat: bigint
  paymentHash: Uint8Array
  paymentSecret: Uint8Array
  description: string
  expirySeconds: number
  createdAt: Date
  key: Uint8Array
}

const tags = {
  paymentHash: 1,
  features: 5,
  expiry: 6,
  description: 13,
  paymentSecret: 16,
  node: 19,
  minFinalDelta: 24,
}

/** Picobitcoin (a tenth of a millisatoshi) in one unit of each multiplier. */
const multipliers = { m: 1_000_000_000n, u: 1_000_000n, n: 1000n, p: 1n } as const
const picoPerBitcoin = 1_000_000_000_000n
const picoPerMsat = 10n

/** An amount as the prefix of an invoice has it, in the largest unit that it is whole in. */
const amountText = (msat: bigint): string => {
  const pico = msat * picoPerMsat
  if (pico % picoPerBitcoin === 0n) return `${pico / picoPerBitcoin}`
  const [unit, size] =
    (Object.entries(multipliers) as [string, bigint][]).find(([, size]) => pico % size === 0n) ??
    (['p', 1n] as const)
  return `${pico / size}${unit}`
}

const toWords = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => Math.floor(value / 32 ** (count - 1 - at)) % 32)

const numberWords = (value: number): number[] => {
  const count = Math.max(1, Math.ceil((Math.log2(value + 1) || 1) / 5))
  return toWords(value, count)
}

const fromWords = (words: readonly number[]): number => words.reduce((sum, word) => sum * 32 + word, 0)

const field = (tag: number, words: readonly number[]): number[] => [
  tag,
  ...toWords(words.length, 2),
  ...words,
]

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Groups of five bits as bytes, the last one filled with zeros: what an invoice is signed over. */
const toPaddedBytes = (words: readonly number[]): Uint8Array => {
  const bits = words.map(word => word.toString(2).padStart(5, '0')).join('')
  const bytes = bits.match(/.{1,8}/g) ?? []
  return Uint8Array.from(bytes, byte => Number.parseInt(byte.padEnd(8, '0'), 2))
}

const signedHash = (prefix: string, words: readonly number[]): Uint8Array =>
  createHash('sha256').update(prefix).update(toPaddedBytes(words)).digest()

/** Payment secret and variable-length onions are required, as every wallet of today expects. */
const featureBits = 2 ** 8 + 2 ** 14

/** Writes and signs an invoice. */
export const encodeInvoice = ({ currency, msat, key, createdAt, ...facts }: InvoiceFacts): string => {
  const prefix = `ln${currency}${amountText(msat)}`
  const words = [
    ...toWords(Math.floor(createdAt.getTime() / 1000), 7),
    ...field(tags.paymentHash, bech32.toWords(facts.paymentHash)),
    ...field(tags.paymentSecret, bech32.toWords(facts.paymentSecret)),
    ...field(tags.description, bech32.toWords(Buffer.from(facts.description))),
    ...field(tags.expiry, numberWords(facts.expirySeconds)),
    ...field(tags.minFinalDelta, numberWords(18)),
    ...field(tags.features, numberWords(featureBits)),
  ]
  const signature = secp256k1.sign(signedHash(prefix, words), key, { lowS: true })
  const signed = Uint8Array.from([...signature.toCompactRawBytes(), signature.recovery])
  return bech32.encode(prefix, [...words, ...bech32.toWords(signed)], false)
}

const parseAmount = (text: string): bigint | undefined => {
  if (text === '') return undefined
  const [, digits = '', unit] = /^(\d{1,18})([munp])?$/.exec(text) ?? []
  const pico = BigInt(digits) * (unit ? multipliers[unit as keyof typeof multipliers] : picoPerBitcoin)
  if (digits === '' || pico % picoPerMsat !== 0n) throw new Error('the amount of the invoice is none')
  return pico / picoPerMsat
}

const readFields = (words: readonly number[]): Map<number, number[]> => {
  const fields = new Map<number, number[]>()
  for (let at = 0; at < words.length; ) {
    const [tag = 0, high = 0, low = 0] = words.slice(at, at + 3)
    const length = high * 32 + low
    const data = words.slice(at + 3, at + 3 + length)
    if (data.length < length) throw new Error('the invoice is cut off')
    if (!fields.has(tag)) fields.set(tag, data)
    at += 3 + length
  }
  return fields
}

/** Even bits that an invoice may have (BOLT 9, context `9`): who does not know one must not pay. */
const payableFeatures = new Set([8, 14, 16, 24, 36, 48])

/** The features that a payer must know and does not, by their bits. */
const findUnpayableFeatures = (words: readonly number[]): number[] =>
  words
    .toReversed()
    .flatMap((word, at) => [0, 1, 2, 3, 4].flatMap(bit => (word & (1 << bit) ? [at * 5 + bit] : [])))
    .filter(bit => bit % 2 === 0 && !payableFeatures.has(bit))

const timestampWords = 7
const signatureWords = 104
const defaultExpirySeconds = 3600

/** Reads an invoice and checks its signature. Throws an Error for what is none, and for what a payer must not pay. */
export const decodeInvoice = (text: string): DecodedInvoice => {
  if (text !== text.toLowerCase() && text !== text.toUpperCase())
    throw new Error('the invoice has letters of both cases')
  const { prefix, words } = bech32.decode(text.toLowerCase() as `${string}1${string}`, 4096)
  const [, currency, amount = ''] = /^ln([a-z]{2,6}?)(\d+[munp]?)?$/.exec(prefix) ?? []
  if (currency === undefined) throw new Error('it is no Lightning invoice')
  if (words.length < timestampWords + signatureWords) throw new Error('the invoice is cut off')
  const signed = words.slice(0, -signatureWords)
  const fields = readFields(signed.slice(timestampWords))
  const bytes = (tag: number, length: number): Uint8Array | undefined => {
    const data = fields.get(tag)
    return data?.length === Math.ceil((length * 8) / 5)
      ? bech32.fromWords(data).subarray(0, length)
      : undefined
  }
  const hash = bytes(tags.paymentHash, 32)
  if (!hash) throw new Error('the invoice has no payment hash')
  const secret = bytes(tags.paymentSecret, 32)
  if (!secret) throw new Error('the invoice has no payment secret')
  const [unknown] = findUnpayableFeatures(fields.get(tags.features) ?? [])
  if (unknown !== undefined) throw new Error(`the invoice needs feature ${unknown}, which is not known here`)
  const signature = bech32.fromWords(words.slice(-signatureWords))
  const compact = secp256k1.Signature.fromCompact(signature.subarray(0, 64)).addRecoveryBit(
    signature[64] ?? 0,
  )
  if (compact.hasHighS()) throw new Error('the signature of the invoice has a high S')
  const node = compact.recoverPublicKey(signedHash(prefix, signed)).toRawBytes(true)
  const named = bytes(tags.node, 33)
  if (named && hexOf(named) !== hexOf(node)) throw new Error('the invoice names another node than signed it')
  const createdAt = fromWords(words.slice(0, timestampWords)) * 1000
  const expiry = fields.get(tags.expiry)
  const expirySeconds = expiry ? fromWords(expiry) : defaultExpirySeconds
  const description = fields.get(tags.description)
  return {
    currency,
    msat: parseAmount(amount),
    paymentHash: hexOf(hash),
    paymentSecret: hexOf(secret),
    description: description ? Buffer.from(bech32.fromWordsUnsafe(description) ?? []).toString('utf8') : '',
    createdAt: new Date(createdAt),
    expiresAt: new Date(createdAt + expirySeconds * 1000),
    node: hexOf(node),
  }
}
