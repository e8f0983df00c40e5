import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import type { Cache } from '../../../ports/cache/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'

type Hex = `0x${string}`

/** One question to the attestation service: what its HTTP API answers, as JSON. */
export type AskIris = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
) => Promise<{ status: number; body: unknown }>

/** Circle's fees on a transfer: hundredths of a percent of what is burned, and what its forwarder takes for the mint. */
export type CircleFees = { finality: 1000 | 2000; bps: number; forward: bigint }

/** A message of a burn. `message` and `attestation` are null until it is attested. */
export type IrisMessage = {
  nonce: Hex | null
  message: Hex | null
  attestation: Hex | null
  status: string
  forwardState: string | null
  forwardTransaction: Hex | null
  delayReason: string | null
}

/** A quote for fees that are paid at once. */
export type SignedQuote = { signedQuote: Hex; fee: bigint; expiresAt: Date | null }

/** Circle's attestation service, known as Iris. */
export type Iris = {
  fees(source: number, destination: number): Promise<CircleFees>
  /** Messages of a burn; none until it was seen. */
  messages(source: number, transaction: string): Promise<IrisMessage[]>
  /** Asks for a new attestation of a fast burn whose first one has expired. */
  reattest(nonce: string): Promise<void>
  /** A signed quote in USDC; undefined where none is given. */
  quote(
    source: number,
    destination: number,
    terms: { amount: bigint; usdc: Hex; hookData: Hex },
  ): Promise<SignedQuote | undefined>
}

const hex = z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/) as unknown as z.ZodType<Hex>

const amount = z
  .union([z.number().int().min(0), z.string().regex(/^\d{1,30}$/)])
  .transform(value => BigInt(value))

const FeeList = z.array(
  z.object({
    finalityThreshold: z.number(),
    minimumFee: z.number().min(0).max(1_000),
    forwardFee: z.object({ low: amount, med: amount, high: amount }).optional(),
  }),
)

const hexOrNull = hex.nullish().catch(null)
const text = z.string().max(200).nullish().catch(null)

const MessageList = z.object({
  messages: z.array(
    z.object({
      message: hexOrNull,
      attestation: hexOrNull,
      eventNonce: hexOrNull,
      status: z.string().max(100).catch(''),
      forwardState: text,
      forwardTxHash: hexOrNull,
      delayReason: text,
    }),
  ),
})

/** The names of the total differ between the pages of Circle's documentation; without any of them there is no quote. */
const QuoteAnswer = z.object({
  signedQuote: hex,
  totalFee: amount.optional(),
  feeAmount: amount.optional(),
  fee: amount.optional(),
  expiresAt: z.union([z.string(), z.number()]).optional(),
})

const away = (cause?: unknown) =>
  new ToolError('upstream', "Circle's attestation service does not answer just now.", {
    hint: 'Repeat the call in a few seconds.',
    retryAfter: 10,
    cause,
  })

/** Milliseconds without a question after Circle has said that there were too many: it blocks for as long. */
const blockMs = 300_000

/** HTTP through the guarded port. Questions of one process keep a distance, and stop after a 429. */
export const askOver = (fetch: Fetch, base: string, now: () => number): AskIris => {
  let blockedUntil = 0
  return async (method, path, body) => {
    if (now() < blockedUntil) throw away()
    const { status, text } = await fetch(`${base}${path}`, {
      method,
      accept: 'application/json',
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      maxBytes: 1 << 18,
      maxRedirects: 0,
      deadlineMs: 6_000,
      fresh: true,
      gapMs: 50,
      namedBy: 'operator',
    })
    if (status === 429) blockedUntil = now() + blockMs
    const read = (): unknown => {
      try {
        return JSON.parse(text().text)
      } catch {
        return undefined
      }
    }
    return { status, body: read() }
  }
}

const toDate = (value: string | number | undefined): Date | null => {
  if (value === undefined) return null
  const date = typeof value === 'number' ? new Date(value < 1e12 ? value * 1000 : value) : new Date(value)
  return Number.isNaN(date.getTime()) ? null : date
}

/** A 32-byte word, or null for one of zeros, which stands for none. */
const toNonce = (value: Hex | null | undefined): Hex | null =>
  value && /^0x[0-9a-f]{64}$/i.test(value) && !/^0x0+$/.test(value) ? value : null

const nonceIn = (message: Hex | null | undefined): Hex | null =>
  message && message.length >= 2 + 148 * 2 ? toNonce(`0x${message.slice(2 + 24, 2 + 88)}`) : null

/** Seconds that fees are kept: they are asked for with each quote. */
const feesSeconds = 30

/** Opens the service over its HTTP API (`/v2`). */
export const openIris = (ask: AskIris, cache: Cache | undefined): Iris => {
  const readFees = async (source: number, destination: number): Promise<CircleFees> => {
    const { status, body } = await ask('GET', `/v2/burn/USDC/fees/${source}/${destination}?forward=true`)
    const list = status === 200 ? FeeList.safeParse(body) : undefined
    if (!list?.success) throw away()
    const fast = list.data.find(({ finalityThreshold }) => finalityThreshold === 1000)
    const chosen = fast ?? list.data.find(({ finalityThreshold }) => finalityThreshold === 2000)
    if (!chosen?.forwardFee) throw away()
    return { finality: fast ? 1000 : 2000, bps: chosen.minimumFee, forward: chosen.forwardFee.high }
  }

  return {
    async fees(source, destination) {
      if (!cache) return readFees(source, destination)
      const { value } = await cache.take(`bridge:fees:${source}:${destination}`, async () => ({
        value: await readFees(source, destination),
        seconds: feesSeconds,
      }))
      return value
    },
    async messages(source, transaction) {
      const { status, body } = await ask('GET', `/v2/messages/${source}?transactionHash=${transaction}`)
      if (status === 404) return []
      const list = status === 200 ? MessageList.safeParse(body) : undefined
      if (!list?.success) throw away()
      return list.data.messages.map(given => {
        const isAttested = given.attestation && given.attestation.length > 2 && given.message
        const message = isAttested ? (given.message ?? null) : null
        return {
          nonce: nonceIn(message) ?? toNonce(given.eventNonce),
          message,
          attestation: isAttested ? (given.attestation ?? null) : null,
          status: given.status,
          forwardState: given.forwardState ?? null,
          forwardTransaction: given.forwardTxHash ?? null,
          delayReason: given.delayReason ?? null,
        }
      })
    },
    async reattest(nonce) {
      const { status } = await ask('POST', `/v2/reattest/${nonce}`)
      if (status >= 400) throw away()
    },
    async quote(source, destination, { amount, usdc, hookData }) {
      const { status, body } = await ask('POST', `/v2/quote/burn/usdc/${source}/${destination}`, {
        amount: String(amount),
        feeToken: usdc,
        requests: [{ type: 'FORWARD', hookData }, { type: 'PRE_FINALITY' }],
      })
      const quote = status === 200 || status === 201 ? QuoteAnswer.safeParse(body) : undefined
      if (!quote?.success) return undefined
      const fee = quote.data.totalFee ?? quote.data.feeAmount ?? quote.data.fee
      if (fee === undefined || quote.data.signedQuote.length < 4) return undefined
      return { signedQuote: quote.data.signedQuote, fee, expiresAt: toDate(quote.data.expiresAt) }
    },
  }
}
