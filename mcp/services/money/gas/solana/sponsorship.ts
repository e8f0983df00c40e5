import { collection } from '../../../../kernel/collection.ts'
import { ToolError } from '../../../../kernel/error.ts'
import type { Call, Price } from '../../../../kernel/tool.ts'
import { formatUsd } from '../../../../lib/usd.ts'
import type { Clock } from '../../../../ports/clock/port.ts'
import type { Store } from '../../../../ports/store/port.ts'
import { type CoinPrice, minPrice } from '../price.ts'
import { newOperationId, noOperation } from '../records.ts'
import type { SponsorCluster } from './cluster.ts'
import { type Reviewed, reviewTransaction } from './review.ts'

/** State of a sponsored transaction: `credited` was not carried out, and its money pays for another one. */
export type SolanaRow = {
  id: string
  state: 'sent' | 'mined' | 'failed' | 'credited'
  signature: string | null
  /** The signed transaction, base64, written down before anybody has it. */
  wire: string | null
  blockhash: string | null
  fee: string
  /** Sum paid for it, in the smallest unit of USDC. */
  paid: string
  /** When it is to be looked at next; null once it has ended. */
  due: string | null
  failure: string | null
  created: string
}

type Deps = { store: Store; clock: Clock; cluster: SponsorCluster; coinPrice: () => Promise<CoinPrice> }
type Input = { transaction: string; id?: string | undefined }

const indexes = [
  { name: 'signature', fields: ['signature'], unique: true },
  { name: 'due', fields: ['due'] },
]

export const solanaRowsIn = collection<SolanaRow>({
  name: 'money.gas.solana',
  indexes,
  bounded: 'As many as were paid for.',
})

const confirmMs = 20_000
const dueMs = 30_000

const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor

/** max(0.03, 1.3 × fee) in USDC, in the smallest unit, rounded up: a coin has 9 digits. */
export const priceForLamports = (lamports: bigint, { answer, decimals }: CoinPrice): bigint => {
  const price = divideUp(lamports * answer * 10n ** 6n * 13n, 10n ** BigInt(9 + decimals) * 10n)
  return price > minPrice ? price : minPrice
}

const refuseNow = (reason: string, detail: string): ToolError =>
  new ToolError('conflict', detail, {
    reason,
    issues: [{ path: 'transaction', message: detail }],
    hint: 'Nothing was sent.',
  })

/** Everything that can stand against a transaction before it is signed. */
const check = async ({ cluster }: Deps, { transaction }: Input): Promise<Reviewed> => {
  const reviewed = await reviewTransaction(transaction, cluster.sponsor.address)
  const [isValid, failure, balance] = await Promise.all([
    cluster.isValid(reviewed.blockhash),
    cluster.simulate(transaction),
    cluster.balance(),
  ])
  if (!isValid)
    throw refuseNow('blockhash_expired', 'The blockhash is not a recent one: it lives for about a minute.')
  if (failure !== undefined) throw refuseNow('would_fail', `The dry run fails: ${failure}.`)
  // The account has to keep what exempts it from rent.
  if (balance < 10n * reviewed.fee + 1_000_000n)
    throw new ToolError(
      'unavailable',
      `Gas cannot be sponsored on ${cluster.title} now: its funds are low.`,
      {
        reason: 'sponsor_funds_low',
        retryAfter: 300,
      },
    )
  return reviewed
}

const loadCredit = async ({ store }: Pick<Deps, 'store'>, id: string): Promise<SolanaRow> => {
  const row = await solanaRowsIn(store).get(id)
  if (!row) throw noOperation()
  if (row.state === 'credited') return row
  throw new ToolError('conflict', `The transaction ${id} left nothing to pay with: it is ${row.state}.`, {
    reason: 'not_credited',
    hint: 'Nothing was charged.',
  })
}

/** The record of a transaction, by its name on the chain. */
const findSent = async ({ store }: Pick<Deps, 'store'>, signature: string): Promise<SolanaRow | undefined> =>
  (await solanaRowsIn(store).find({ index: 'signature', where: { signature }, limit: 1 })).rows[0]

/** The exact price of a transaction, checked and tried out. */
export const priceTransaction = async (deps: Deps, input: Input): Promise<Price> => {
  const credit = input.id === undefined ? 0n : BigInt((await loadCredit(deps, input.id)).paid)
  const { fee, transaction } = await check(deps, input)
  const { signature } = await deps.cluster.sign(transaction)
  if (await findSent(deps, signature))
    throw refuseNow('already_sent', 'This very transaction was sent before.')
  const price = priceForLamports(fee, await deps.coinPrice())
  const rest = price > credit ? price - credit : 0n
  return {
    amount: formatUsd(rest),
    unit: 'usd',
    network: 'solana',
    note: {
      hint: 'A blockhash lives for about a minute: pay and repeat the call at once.',
      params: {
        quote: {
          price: formatUsd(rest),
          credit: formatUsd(credit),
          fee_lamports: String(fee),
          sponsor: deps.cluster.sponsor.address,
        },
      },
    },
  }
}

const toSolanaStatus = ({ id, state, signature, fee, paid, failure }: SolanaRow) => ({
  id,
  state,
  signature,
  fee_lamports: fee,
  credit: state === 'credited' ? formatUsd(BigInt(paid)) : null,
  detail: failure,
})

/** The same as gas_status tells it. */
export const toStatusFields = (row: SolanaRow) => {
  const { id, state, signature, credit, detail } = toSolanaStatus(row)
  return {
    id,
    state: state === 'sent' ? ('submitted' as const) : state,
    chainId: null,
    user_op_hash: null,
    transaction_hash: signature,
    success: state === 'mined' ? true : state === 'failed' ? false : null,
    block_number: null,
    gas_used: null,
    gas_cost_wei: null,
    revert_reason: null,
    credit,
    expires_at: null,
    detail,
  }
}

const toState = (landed: 'done' | 'failed') => (landed === 'done' ? ('mined' as const) : ('failed' as const))

/**
 * Looks at a transaction that was sent: in a block, or in none any more once its blockhash is over. It is sent again while it may
 * still land.
 */
const followTransaction = async (
  { store, clock, cluster }: Pick<Deps, 'store' | 'clock' | 'cluster'>,
  row: SolanaRow,
  waitMs = 0,
): Promise<SolanaRow> => {
  const { signature, wire, blockhash } = row
  if (row.state !== 'sent' || signature === null || wire === null) return row
  const settle = async (change: Partial<SolanaRow>) =>
    (await solanaRowsIn(store).update(row.id, now => (now.state === 'sent' ? { ...now, ...change } : now))) ??
    row
  const landed = await cluster.wait(signature, waitMs)
  if (landed !== 'none')
    return settle({
      state: toState(landed),
      due: null,
      failure: landed === 'failed' ? 'It failed on the chain: its fee is used.' : null,
    })
  const isValid = await cluster.isValid(blockhash ?? '')
  if (isValid) {
    await cluster.send(wire)
    return settle({ due: new Date(clock.now().getTime() + dueMs).toISOString() })
  }
  // What landed at the last moment is there by now.
  const last = await cluster.status(signature)
  if (last !== 'none') return settle({ state: toState(last), due: null })
  return settle({
    state: 'credited',
    signature: null,
    wire: null,
    due: null,
    failure: 'It was in no block before its blockhash was over.',
  })
}

/** Writes a transaction down, before anybody has it. One that was there before is gone on with. */
const journal = async (
  { store, clock }: Deps,
  facts: Pick<SolanaRow, 'signature' | 'wire' | 'blockhash' | 'fee' | 'paid'>,
  creditId: string | undefined,
): Promise<SolanaRow> => {
  const now = clock.now()
  const due = new Date(now.getTime() + dueMs).toISOString()
  const fresh: SolanaRow = {
    ...facts,
    id: creditId ?? newOperationId(),
    state: 'sent',
    due,
    failure: null,
    created: now.toISOString(),
  }
  return store.transaction(async tx => {
    const rows = solanaRowsIn(tx)
    const { rows: before } = await rows.find({
      index: 'signature',
      where: { signature: facts.signature },
      limit: 1,
    })
    if (before[0]) return before[0]
    if (creditId === undefined) {
      await rows.insert(fresh)
      return fresh
    }
    const credit = await rows.get(creditId)
    if (credit?.state !== 'credited')
      throw new ToolError('conflict', 'What an earlier transaction left was used meanwhile.', {
        reason: 'not_credited',
      })
    await rows.put(fresh)
    return fresh
  })
}

const isPassing = (error: unknown): boolean =>
  !(error instanceof ToolError) || ['upstream', 'unavailable', 'timeout'].includes(error.code)

/** Signs a transaction that was paid for, sends it and waits for its block. What cannot be sent any more becomes a credit. */
export const sellTransaction = async (
  deps: Deps,
  { commit, decline, receipt }: Pick<Call, 'commit' | 'decline' | 'receipt'>,
  input: Input,
) => {
  const { clock, cluster } = deps
  const isPaid = receipt !== undefined
  const credit = input.id === undefined ? undefined : await loadCredit(deps, input.id).catch(error => error)
  const before = credit && !(credit instanceof Error) ? BigInt(credit.paid) : 0n
  const toCredit = async (error: ToolError): Promise<never> => {
    if (!isPaid) throw error
    const id = newOperationId()
    return decline(async tx => {
      await solanaRowsIn(tx).insert({
        id,
        state: 'credited',
        signature: null,
        wire: null,
        blockhash: null,
        fee: '0',
        paid: String(minPrice),
        due: null,
        failure: error.message,
        created: clock.now().toISOString(),
      })
      const refusal = new ToolError(
        'conflict',
        `${error.message} The payment is kept for another transaction.`,
        {
          reason: 'credited',
          params: { id, cause: error.extra.reason ?? error.code },
          hint: `Send another transaction with "id": "${id}": what was paid counts for it.`,
        },
      )
      return { refusal }
    })
  }
  try {
    if (credit instanceof Error) throw credit
    const { transaction, fee, blockhash } = await reviewTransaction(
      input.transaction,
      cluster.sponsor.address,
    )
    const signed = await cluster.sign(transaction)
    // The answer of an earlier try was lost: it is gone on with, whatever a dry run would say now.
    const earlier = await findSent(deps, signed.signature)
    if (!earlier) await check(deps, input)
    const price = priceForLamports(fee, await deps.coinPrice())
    if (!isPaid && price > before)
      throw new ToolError(
        'conflict',
        'What an earlier transaction left does not pay for this one any more.',
        {
          reason: 'price_moved',
        },
      )
    const paid = price > before ? price : before
    const facts = { ...signed, blockhash, fee: String(fee), paid: String(paid) }
    const row = earlier ?? (await journal(deps, facts, input.id))
    if (row.wire !== null) await cluster.send(row.wire)
    const after = await followTransaction(deps, row, confirmMs)
    return await commit(async () => toSolanaStatus(after))
  } catch (error) {
    if (error instanceof ToolError && !isPassing(error)) return toCredit(error)
    throw error
  }
}

/** Reads the status of a transaction, by its id. Throws `not_found`. */
export const readSolanaStatus = async (
  deps: Pick<Deps, 'store' | 'clock' | 'cluster'>,
  id: string,
): Promise<SolanaRow> => {
  const row = await solanaRowsIn(deps.store).get(id)
  if (!row) throw noOperation()
  return followTransaction(deps, row)
}

/** Looks at every transaction whose turn it is. */
export const followDue = async (
  deps: Pick<Deps, 'store' | 'clock' | 'cluster'>,
  signal: AbortSignal,
): Promise<void> => {
  const { rows } = await solanaRowsIn(deps.store).find({
    index: 'due',
    where: { due: { gt: '', lt: deps.clock.now().toISOString() } },
    limit: 50,
  })
  for (const row of rows) {
    if (signal.aborted) return
    await followTransaction(deps, row).catch(() => undefined)
  }
}
