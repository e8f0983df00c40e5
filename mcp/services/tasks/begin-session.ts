import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { newId } from '../../lib/new-id.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Tx } from '../../ports/store/port.ts'
import { addressOf } from './account.ts'
import type { ChannelNetwork, Channels } from './channel/channels.ts'
import { computeBountyFee, parseUsd, usdInput } from './money.ts'
import { loadTaskAs, taskId } from './public-task.ts'
import {
  activeSession,
  type ChannelTerms,
  maxCap,
  minDeposit,
  type Session,
  type SessionNetwork,
  sessionNetworks,
  sessionsIn,
  type TimeUnit,
  unitMs,
} from './session.ts'
import type { SessionDeps } from './session-steps.ts'
import type { Task } from './task.ts'
import { refuseSession, type SessionOpening, type SessionTopUp } from './voucher.ts'

const units = Object.keys(unitMs) as [TimeUnit, ...TimeUnit[]]

/** A publisher's offer for the time of a worker. */
export const termsInput = {
  task_id: taskId,
  rate_usd: usdInput({ min: '0.000001', max: '100' }).describe(
    'What the worker gets for a unit of time, in USD',
  ),
  unit: z.enum(units).default('minute').describe('The unit of time; each is paid when it begins'),
  cap_usdc: usdInput({ min: '0.10', max: '100' }).describe(
    'The most that you authorise for the session, fee included, 0.10 to 100 USDC',
  ),
  network: z.enum(sessionNetworks).default('base').describe('Where the USDC is'),
}

export const TermsInput = z.object(termsInput)

export type Terms = { rate: bigint; fee: bigint; price: bigint; unit: TimeUnit; cap: bigint }

/** The price of a unit and the cap, as numbers. Throws `invalid_input` for a cap below one unit. */
export const computeTerms = (
  { rate_usd, unit, cap_usdc }: Pick<z.output<typeof TermsInput>, 'rate_usd' | 'unit' | 'cap_usdc'>,
  feeBps: number,
): Terms => {
  const rate = parseUsd(rate_usd)
  const fee = computeBountyFee(rate, feeBps)
  const [price, cap] = [rate + fee, parseUsd(cap_usdc)]
  if (price <= cap && cap <= maxCap) return { rate, fee, price, unit, cap }
  throw new ToolError('invalid_input', `cap_usdc: a ${unit} costs ${formatUsd(price)} USD, fee included.`, {
    issues: [{ path: 'cap_usdc', message: `${formatUsd(price)} USD at least` }],
  })
}

/** The task, if its publisher may pay for time on it: work is under way, and no other session pays for it. */
export const requirePayableTask = async (
  tx: Tx,
  task_id: string,
  publisher: string,
): Promise<{ task: Task; worker: string }> => {
  const task = await loadTaskAs(tx, task_id, publisher, 'publisher')
  if (task.status !== 'in_progress' || task.worker === null)
    throw new ToolError('conflict', 'Time is paid while a worker is at work on the task.', {
      reason: 'task_not_in_progress',
      params: { status: task.status },
    })
  const active: Session | undefined = await activeSession(tx, task_id)
  if (active)
    throw new ToolError('conflict', 'The task has a session already.', {
      reason: 'session_exists',
      params: { session_id: active.id, channel_id: active.channel_id },
      next: ['get_session'],
    })
  return { task, worker: task.worker }
}

/** Seconds that an authorization must still be good for, so that it reaches the chain in time. */
const minValidSeconds = 20

const invalid = (path: string, message: string): ToolError =>
  new ToolError('invalid_input', `${path}: ${message}.`, { issues: [{ path, message }] })

/** Refuses an authorization that is not what the escrow takes now. */
const checkAuthorization = (
  { authorization }: Pick<SessionOpening, 'authorization'>,
  { escrow, nonce, now }: { escrow: string; nonce: string; now: Date },
): void => {
  const seconds = BigInt(Math.floor(now.getTime() / 1000))
  if (authorization.to !== escrow) throw invalid('authorization.to', `the escrow is ${escrow}`)
  if (authorization.nonce !== nonce)
    throw invalid('authorization.nonce', `it is made of the channel: ${nonce}`)
  if (BigInt(authorization.validAfter) > seconds)
    throw invalid('authorization.validAfter', 'it must be good now')
  if (BigInt(authorization.validBefore) < seconds + BigInt(minValidSeconds))
    throw invalid('authorization.validBefore', `it must be good for ${minValidSeconds} seconds more at least`)
}

export const toChannelTerms = (
  { network, chain_id, escrow, token, payee }: ChannelNetwork,
  { payer, authorized_signer, salt }: Pick<ChannelTerms, 'payer' | 'authorized_signer' | 'salt'>,
): ChannelTerms => ({ network, chain_id, escrow, token, payee, payer, authorized_signer, salt })

type Opening = { task_id: string; network: SessionNetwork; terms: Terms; payload: SessionOpening }

const checkOpening = async (
  open: Channels,
  { network, terms, payload }: Opening,
  now: Date,
): Promise<ChannelTerms> => {
  const { authorization, authorizedSigner, salt, channelId, cumulativeAmount, voucherSignature } = payload
  const facts = await open.network(network)
  const channel = toChannelTerms(facts, {
    payer: authorization.from,
    authorized_signer: authorizedSigner,
    salt,
  })
  const id = open.channelId(channel)
  if (channelId !== id) throw invalid('channelId', `these terms make the channel ${id}`)
  checkAuthorization(payload, { escrow: facts.escrow, nonce: open.openNonce(channel), now })
  const deposit = BigInt(authorization.value)
  const least = terms.price > minDeposit ? terms.price : minDeposit
  if (deposit < least) throw invalid('authorization.value', `${least} atomic units at least`)
  if (deposit > terms.cap)
    throw invalid('authorization.value', `more than the cap of ${formatUsd(terms.cap)} USDC`)
  const cumulative = BigInt(cumulativeAmount)
  if (cumulative > deposit)
    throw refuseSession('amount_exceeds_deposit', 'The first voucher says more than the deposit.', {
      channelId,
    })
  if (!(await open.isVoucherSigned(channel, channelId, cumulative, voucherSignature)))
    throw refuseSession(
      'invalid_signature',
      'The first voucher is not signed by who signs for the channel.',
      {
        channelId,
      },
    )
  return channel
}

/**
 * Writes a session down whose deposit is signed for, before the chain is asked: whoever finds it goes on with it. The same opening
 * again is the same session.
 */
export const beginSession = async (
  deps: SessionDeps,
  publisher: string,
  opening: Opening,
): Promise<Session> => {
  const { store, clock, channels, sessionIdle } = deps
  const { task_id, terms, payload } = opening
  const before = await activeSession(store, task_id)
  if (before && before.publisher === publisher && before.channel_id === payload.channelId) return before
  await requirePayableTask(store, task_id, publisher)
  const open = await channels.open()
  const now = clock.now()
  const channel = await checkOpening(open, opening, now)
  const { authorization, cumulativeAmount, voucherSignature, salt, signature } = payload
  const at = now.toISOString()
  return store.transaction(async tx => {
    const { worker } = await requirePayableTask(tx, task_id, publisher)
    if (addressOf(worker) === channel.payer)
      throw new ToolError('forbidden', 'A wallet cannot pay for its own time.', { reason: 'self_payment' })
    const session: Session = {
      id: newId('ses', now),
      task: task_id,
      active_task: task_id,
      publisher,
      worker,
      state: 'opening',
      ended: false,
      channel_id: payload.channelId,
      channel,
      unit: terms.unit,
      rate: terms.rate.toString(),
      fee: terms.fee.toString(),
      cap: terms.cap.toString(),
      deposit: '0',
      accepted: cumulativeAmount,
      voucher: voucherSignature,
      voucher_index: 0,
      spent: '0',
      running_since: null,
      begun: 0,
      challenge: payload.challenge ?? null,
      is_voucher_asked: false,
      pending: {
        kind: 'open',
        from: authorization.from,
        value: authorization.value,
        valid_after: authorization.validAfter,
        valid_before: authorization.validBefore,
        nonce: authorization.nonce,
        signature,
        salt,
      },
      closing: null,
      sent: [],
      settled: null,
      refunded: null,
      earned: null,
      fee_taken: null,
      credited: null,
      transactions: { open: null, close: null },
      problem: null,
      tries: 0,
      // Not before the call that began it is over.
      due: new Date(now.getTime() + 30_000).toISOString(),
      idle_at: new Date(now.getTime() + sessionIdle * 1000).toISOString(),
      watch_at: at,
      created_at: at,
      ended_at: null,
    }
    if (await sessionsIn(tx).insert(session)) return session
    throw new ToolError('conflict', 'This channel was used before: take another salt.', {
      reason: 'channel_exists',
    })
  })
}

/** Writes a top-up down that is signed for, before the chain is asked. */
export const beginTopUp = async (
  { store, clock, channels }: SessionDeps,
  session: Session,
  payload: SessionTopUp,
): Promise<Session> => {
  const open = await channels.open()
  const { authorization, additionalDeposit, salt, signature } = payload
  const { channel, channel_id } = session
  const amount = BigInt(additionalDeposit)
  if (authorization.value !== additionalDeposit)
    throw invalid('additionalDeposit', 'it must be the value of the authorization')
  if (amount < minDeposit) throw invalid('additionalDeposit', `${minDeposit} atomic units at least`)
  const nonce = open.topUpNonce(channel_id, amount, authorization.from, salt)
  checkAuthorization(payload, { escrow: channel.escrow, nonce, now: clock.now() })
  return store.transaction(async tx => {
    const now = clock.now()
    const current = await sessionsIn(tx).get(session.id)
    if (current?.state !== 'open')
      throw refuseSession('channel_finalized', 'The session takes no money any more.', {
        channelId: channel_id,
      })
    if (current.pending)
      throw new ToolError('conflict', 'Another top-up is on its way.', {
        reason: 'top_up_pending',
        retryAfter: 5,
      })
    if (BigInt(current.deposit) + amount > maxCap)
      throw invalid('additionalDeposit', `${formatUsd(maxCap)} USDC is the most for a session`)
    const next: Session = {
      ...current,
      pending: {
        kind: 'topUp',
        from: authorization.from,
        value: additionalDeposit,
        valid_after: authorization.validAfter,
        valid_before: authorization.validBefore,
        nonce: authorization.nonce,
        signature,
        salt,
      },
      sent: [],
      tries: 0,
      problem: null,
      due: new Date(now.getTime() + 30_000).toISOString(),
    }
    await sessionsIn(tx).put(next)
    return next
  })
}
