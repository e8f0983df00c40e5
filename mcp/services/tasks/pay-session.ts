import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { endpoint } from '../../kernel/endpoint.ts'
import { PaymentRequired, ToolError } from '../../kernel/error.ts'
import { issueText } from '../../lib/issue-text.ts'
import { parseRecord } from '../../lib/json.ts'
import {
  type BoundParameters,
  decodeCredential,
  decodeParameter,
  encodeParameter,
  findCredentials,
  type PaymentChallenge,
  type PaymentCredential,
  readPaymentCredential,
  toBoundParameters,
  toBoundText,
  toChallengeHeader,
  toReceiptHeader,
} from '../../lib/payment-auth.ts'
import type { Keys } from '../../ports/keys/port.ts'
import {
  beginSession,
  beginTopUp,
  computeTerms,
  requirePayableTask,
  type Terms,
  TermsInput,
} from './begin-session.ts'
import type { ChannelNetwork } from './channel/channels.ts'
import { channels } from './channel/port.ts'
import { tasksSettings } from './config.ts'
import { toPublicSession, toReceipt } from './public-session.ts'
import { activeSession, computeUnitPrice, type Session, type SessionNetwork, sessionsIn } from './session.ts'
import { advanceSession } from './session-steps.ts'
import {
  acceptVoucher,
  endSession,
  faultIn,
  OpenPayload,
  refuseSession,
  TopUpPayload,
  VoucherPayload,
} from './voucher.ts'

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
const offerSession = (
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
const offerVoucher = (keys: Hasher, { realm, now, account }: Place, session: Session): PaymentChallenge => {
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
type ChallengeSubject = {
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
const readAnswered = (
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

const problems = 'https://paymentauth.org/problems/session'

const type = { type: z.literal('authorization').describe('How the deposit is signed') }

const Payload = z.discriminatedUnion('action', [
  OpenPayload.extend({ action: z.literal('open'), ...type }),
  TopUpPayload.extend({ action: z.literal('topUp'), ...type }),
  VoucherPayload.extend({ action: z.literal('voucher') }),
  VoucherPayload.extend({ action: z.literal('close') }),
])

type Payload = z.output<typeof Payload>

const readPayload = (value: unknown): Payload => {
  const parsed = Payload.safeParse(value, { error: issueText })
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: ['payload', ...path].join('.'),
    message,
  }))
  throw new ToolError('malformed', `The payload of the credential cannot be read: ${issues[0]?.path}.`, {
    issues,
  })
}

const readTermsBody = (bytes: Uint8Array, task_id: string): z.output<typeof TermsInput> => {
  const body = parseRecord(Buffer.from(bytes).toString('utf8') || '{}')
  if (!body) throw new ToolError('malformed', 'The body is not a JSON object.')
  const parsed = TermsInput.strict().safeParse({ ...body, task_id }, { error: issueText })
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  throw new ToolError('invalid_input', `${issues[0]?.path}: ${issues[0]?.message}`, { issues })
}

/** A refusal as the scheme has it: 402 with a fresh challenge; what is no matter of payment stays as it is. */
const withChallenge = (error: ToolError, challenge: PaymentChallenge): ToolError => {
  const fault = faultIn(error)
  if (!fault || error.code !== 'payment_required') return error
  const { reason: _, params, ...extra } = error.extra
  const parts = {
    challenges: [toChallengeHeader(challenge)],
    body: { type: `${problems}/${fault.replaceAll('_', '-')}`, reason: fault, ...params },
  }
  return new PaymentRequired(parts, error.message, extra)
}

const findCredential = (authorization: string | undefined): PaymentCredential | undefined => {
  const [text, second] = findCredentials(authorization)
  if (text === undefined) return undefined
  if (second !== undefined) throw new ToolError('malformed', 'Two payments came with one request.')
  const credential = readPaymentCredential(decodeCredential(text))
  if (credential) return credential
  throw new ToolError(
    'malformed',
    'Authorization: Payment is no credential: base64url of {challenge, payload}.',
  )
}

/** A session that ended, or never was, is 410 to the scheme; its problem says which. */
const goneAnswer = (error: ToolError) => ({
  kind: 'json' as const,
  status: error.status,
  headers: { 'Content-Type': 'application/problem+json' },
  body: {
    ...error.toProblem(),
    type: `${problems}/${(faultIn(error) ?? '').replaceAll('_', '-')}`,
    ...error.extra.params,
  },
})

export default endpoint({
  name: 'pay_session',
  title: 'Pay a session by the Payment scheme',
  description:
    'Paid time as evm/session of the Payment HTTP scheme (MPP): asks for a deposit, then for vouchers, with 402 and WWW-Authenticate: Payment; takes open, topUp, voucher and close as Authorization: Payment. Body of the first request: rate_usd, unit, cap_usdc, network.',
  method: 'POST',
  path: '/api/v1/streams/:task_id/session',
  body: 'raw',
  maxBytes: 16_384,
  answers: ['application/json'],
  needs: ['store', 'clock', 'ledger', 'keys', channels, tasksSettings.feeBps, tasksSettings.sessionIdle],
  auth: ['erc8128', 'apiKey'],
  limits: [{ perMinute: 1200, per: 'client' }],
}).run(async (ctx, { bytes, headers, params }) => {
  const { store, clock, keys, feeBps, caller, base } = ctx
  const account = caller.id
  const { task_id = '' } = params
  const place = { realm: new URL(base).host, now: clock.now(), account }

  const findSession = async (): Promise<Session | undefined> => {
    const active = await activeSession(store, task_id)
    return active?.publisher === account ? active : undefined
  }

  /** Challenge for what is due now. */
  const offer = async (asked?: ChallengeSubject): Promise<PaymentChallenge> => {
    const session = await findSession()
    if (session) return offerVoucher(keys, place, session)
    await requirePayableTask(store, task_id, account)
    const body =
      asked?.terms && asked.network
        ? { terms: asked.terms, network: asked.network as SessionNetwork }
        : undefined
    const input = body ?? readTermsBody(bytes, task_id)
    const terms = 'terms' in input ? input.terms : computeTerms(input, feeBps)
    const network = await (await ctx.channels.open()).network(input.network)
    return offerSession(keys, place, { task: task_id, terms, network })
  }

  const answer = (session: Session, challengeId: string) => ({
    kind: 'json' as const,
    status: session.state === 'opening' || session.state === 'draining' ? 202 : 200,
    headers: { 'Payment-Receipt': toReceiptHeader(toReceipt(session, { challengeId, at: clock.now() })) },
    body: toPublicSession(session, clock.now()),
  })

  /** The session that a credential pays: by its channel, whatever became of the one of the task. */
  const loadPaid = async (
    { channelId }: { channelId?: string | undefined },
    asked: ChallengeSubject,
  ): Promise<Session> => {
    const where = channelId === undefined ? undefined : { channel_id: channelId }
    const session = where
      ? (await sessionsIn(store).find({ index: 'channel', where, limit: 1 })).rows[0]
      : asked.session === undefined
        ? undefined
        : await sessionsIn(store).get(asked.session)
    if (session?.publisher === account && session.task === task_id) return session
    throw refuseSession('channel_not_found', 'There is no such channel of this task.', {
      ...(channelId !== undefined && { channelId }),
    })
  }

  const pay = async (payload: Payload, asked: ChallengeSubject, challenge: string): Promise<Session> => {
    if (payload.action === 'open') {
      const { action: _, type: __, ...opening } = payload
      if (!asked.terms || asked.network === undefined)
        throw refuseSession('challenge_not_found', 'This challenge asks for a voucher, not for a deposit.')
      const { terms } = asked
      const network = asked.network as SessionNetwork
      const begun = await beginSession(ctx, account, {
        task_id,
        network,
        terms,
        payload: { ...opening, challenge },
      })
      const session = begun.state === 'opening' ? await advanceSession(ctx, begun.id) : begun
      if (session.state !== 'errored') return session
      const isShort = session.problem?.includes('less USDC') === true
      throw refuseSession(
        isShort ? 'insufficient_balance' : 'transaction_reverted',
        session.problem ?? 'The deposit did not go.',
        { channelId: session.channel_id },
      )
    }
    const session = await loadPaid(payload, asked)
    if (payload.action === 'voucher') return acceptVoucher(ctx, session, { ...payload, challenge })
    if (payload.action === 'topUp') {
      await beginTopUp(ctx, session, payload)
      const advanced = await advanceSession(ctx, session.id)
      if (advanced.pending === null && advanced.deposit === session.deposit)
        throw refuseSession('transaction_reverted', advanced.problem ?? 'The top-up did not go.', {
          channelId: session.channel_id,
        })
      return advanced
    }
    if (session.ended)
      throw refuseSession('channel_finalized', 'The channel is closed.', { channelId: session.channel_id })
    return endSession(ctx, session, { reason: 'closed by the payer', voucher: payload })
  }

  const credential = findCredential(headers.authorization)
  if (!credential) {
    const challenge = await offer()
    const parts = { challenges: [toChallengeHeader(challenge)], body: { challenge } }
    throw new PaymentRequired(parts, 'Answer the challenge with Authorization: Payment.')
  }
  const order = readAnswered(keys, credential, place.now)
  try {
    if (!order || order.account !== account || order.task !== task_id)
      throw refuseSession(
        'challenge_not_found',
        'The challenge is not one of this server for you, or it has expired.',
      )
    return answer(await pay(readPayload(credential.payload), order, credential.id), credential.id)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    if (faultIn(error) && error.code !== 'payment_required') return goneAnswer(error)
    if (!faultIn(error)) throw error
    throw withChallenge(error, await offer(order))
  }
})
