import { timingSafeEqual } from 'node:crypto'
import {
  type BoundParameters,
  decodeParameter,
  encodeParameter,
  type PaymentChallenge,
  type PaymentCredential,
  toBoundParameters,
  toBoundText,
} from '../../../lib/payment-auth.ts'
import type { Keys } from '../../../ports/keys/port.ts'
import type { ChannelNetwork } from '../channel/channels.ts'
import { computeUnitPrice, type Session } from './session.ts'
import type { Terms } from './terms.ts'

/** Seconds that a challenge can be answered in. */
const openSeconds = 300
const voucherSeconds = 3_600

type Hasher = Pick<Keys, 'hash'>

const sign = (keys: Hasher, bound: BoundParameters): string =>
  keys.hash(`tasks session challenge ${toBoundText(bound)}`)

const issue = (keys: Hasher, fields: Omit<PaymentChallenge, 'id'>): PaymentChallenge => ({
  id: sign(keys, toBoundParameters(fields)),
  ...fields,
})

type Place = { realm: string; now: Date; account: string }

const expiry = (now: Date, seconds: number): string =>
  new Date((Math.floor(now.getTime() / 1000) + seconds) * 1000).toISOString()

/** Challenge for a session on a task: the price of a unit, and where to put the deposit. */
export const offerSession = (
  keys: Hasher,
  { realm, now, account }: Place,
  { task, terms, network }: { task: string; terms: Terms; network: ChannelNetwork },
): PaymentChallenge =>
  issue(keys, {
    realm,
    method: 'evm',
    intent: 'session',
    request: {
      amount: terms.price.toString(),
      unitType: terms.unit,
      suggestedDeposit: terms.cap.toString(),
      currency: network.token,
      recipient: network.payee,
      externalId: task,
      methodDetails: {
        chainId: network.chain_id,
        escrowContract: network.escrow,
        feePayer: true,
        credentialTypes: ['authorization'],
        minVoucherDelta: terms.price.toString(),
      },
    },
    expires: expiry(now, openSeconds),
    opaque: encodeParameter({
      account,
      task,
      network: network.network,
      rate: terms.rate.toString(),
      fee: terms.fee.toString(),
      unit: terms.unit,
      cap: terms.cap.toString(),
    }),
  })

/** Challenge for the next voucher of a session. */
export const offerVoucher = (
  keys: Hasher,
  { realm, now, account }: Place,
  session: Session,
): PaymentChallenge => {
  const { channel, unit, cap, task, channel_id } = session
  const price = computeUnitPrice(session).toString()
  return issue(keys, {
    realm,
    method: 'evm',
    intent: 'session',
    request: {
      amount: price,
      unitType: unit,
      suggestedDeposit: cap,
      currency: channel.token,
      recipient: channel.payee,
      externalId: task,
      methodDetails: {
        chainId: channel.chain_id,
        escrowContract: channel.escrow,
        channelId: channel_id,
        feePayer: true,
        credentialTypes: ['authorization'],
        minVoucherDelta: price,
      },
    },
    expires: expiry(now, voucherSeconds),
    opaque: encodeParameter({ account, task, session: session.id }),
  })
}

/** Subject of our challenge, as its credential brings it back. */
export type ChallengeSubject = {
  account: string
  task: string
  session?: string
  terms?: Terms
  network?: string
}

const isText = (value: unknown): value is string => typeof value === 'string'

const readTerms = (fields: Readonly<Record<string, unknown>>): Terms | undefined => {
  const { rate, fee, unit, cap } = fields
  if (!isText(rate) || !isText(fee) || !isText(cap)) return undefined
  return {
    rate: BigInt(rate),
    fee: BigInt(fee),
    price: BigInt(rate) + BigInt(fee),
    unit: unit as Terms['unit'],
    cap: BigInt(cap),
  }
}

/** Reads the challenge that a credential answers; undefined for one not ours, changed or expired. */
export const readAnswered = (
  keys: Hasher,
  { id, bound }: Pick<PaymentCredential, 'id' | 'bound'>,
  now: Date,
): ChallengeSubject | undefined => {
  const [theirs, ours] = [Buffer.from(id), Buffer.from(sign(keys, bound))]
  if (theirs.length !== ours.length || !timingSafeEqual(theirs, ours)) return undefined
  if (!(Date.parse(bound.expires) > now.getTime())) return undefined
  const fields = decodeParameter(bound.opaque) ?? {}
  const { account, task, session, network } = fields
  if (!isText(account) || !isText(task)) return undefined
  const terms = readTerms(fields)
  return {
    account,
    task,
    ...(isText(session) && { session }),
    ...(terms && { terms }),
    ...(isText(network) && { network }),
  }
}
