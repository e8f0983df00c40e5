import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { markPaid } from '../../kernel/origin.ts'
import { type Context, credits, free, type Price, usd } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Tx } from '../../ports/store/port.ts'
import {
  type Account,
  accountsIn,
  findPayer,
  type PayingAccount,
  reissueKey,
  rememberWallet,
} from './account.ts'
import { emitEvent } from './event.ts'

/** Every price of the broker, in credits; a credit is 500 millionths of a USD, so 20,000 credits are 10.00. */
export const fees = {
  /** A page of the feed, one listing. */
  meteredRead: 1,
  /** Posting a listing, on top of the metered call. */
  listing: 200,
  /** A sealed deal, from each side. */
  deal: 2000,
} as const

/** Credits for proof of control of a domain, once. */
export const domainGrant = 20_000

/** Listings that an account without any funds ever may post for nothing. */
export const freeListings = 3

const microPerCredit = 500n

/** Credits as USD: `2000` is `1.00`, `1` is `0.0005`. */
export const toUsd = (credits: number): string => {
  const micro = BigInt(credits) * microPerCredit
  const fraction = (micro % 1_000_000n)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,4}$/, '')
  return `${micro / 1_000_000n}.${fraction}`
}

/** Top-ups for sale by x402, by name: USD and the credits it brings. */
export const topUps = {
  '0.50': 1000,
  '1.00': 2000,
  '5.00': 10_000,
  '10.00': 20_000,
  '50.00': 100_000,
} as const satisfies Record<string, number>

type TopUp = keyof typeof topUps

const sizes = Object.entries(topUps) as [TopUp, number][]

/** The smallest top-up that covers a cost. */
const topUpFor = (credits: number): TopUp => sizes.find(([, brings]) => brings >= credits)?.[0] ?? '50.00'

export const Charges = z
  .array(
    z.object({
      what: z.string().describe('What it is for'),
      credits: z.number().int().describe('Credits'),
      usd: z.string().describe('The same in USD'),
    }),
  )
  .describe('What the call costs, or would cost in a dry run')

export const dryRunField = z
  .boolean()
  .default(false)
  .describe('Do all but write and charge; answers what would be')

export const dryRan = z.boolean().describe('True when nothing was written or charged')

/** Charges as answers list them; those of nothing are left out. */
export const toCharges = (fees: Readonly<Record<string, number>>): z.output<typeof Charges> =>
  Object.entries(fees)
    .filter(([, credits]) => credits > 0)
    .map(([what, credits]) => ({ what, credits, usd: toUsd(credits) }))

type Ledger = Ports['ledger']

const amount = (credits: number) => ({ unit: 'credit' as const, value: BigInt(credits) })

/** An account's name in the ledger. */
export const creditWallet = (account: string) => `agent:broker:${account}` as const

const house = {
  fees: 'house:broker-fees',
  grants: 'house:broker-grants',
  sales: 'world:broker-x402',
} as const

/** Credits of an account: what it has, what is on hold of it, and what it can spend. */
export const loadCredits = async (tx: Tx, ledger: Ledger, account: string) => {
  const { total, held, available } = await ledger.balance(tx, 'credit', creditWallet(account))
  return { total: Number(total.value), held: Number(held.value), available: Number(available.value) }
}

type Move = { id: string; account: string; credits: number; memo: string }

/** Takes a fee, once per id, which pays for what is written after it. Throws InsufficientBalance (`conflict`) when the account has less to spend. */
const takeFee = async (tx: Tx, ledger: Ledger, { id, account, credits, memo }: Move): Promise<void> => {
  if (credits === 0) return
  const postings = [
    { account: creditWallet(account), amount: amount(-credits) },
    { account: house.fees, amount: amount(credits) },
  ]
  await ledger.post(tx, { id, unit: 'credit', memo, postings })
  markPaid(tx)
}

/** Brings credits to an account, once per id, and makes it one that was funded. */
export const addCredits = async (
  tx: Tx,
  ledger: Ledger,
  { id, account, credits, memo, from }: Move & { from: 'grants' | 'sales' },
): Promise<void> => {
  const postings = [
    { account: creditWallet(account), amount: amount(credits) },
    { account: house[from], amount: amount(-credits) },
  ]
  if ((await ledger.post(tx, { id, unit: 'credit', memo, postings })) === 'duplicate') return
  await accountsIn(tx).update(account, row => ({ ...row, funded: true }))
  await emitEvent(tx, [account], { kind: 'credits_added', credits })
}

/** Keeps a fee back until `until`, once per id. */
export const holdFee = (tx: Tx, ledger: Ledger, { id, account, credits }: Omit<Move, 'memo'>, until: Date) =>
  ledger.hold(tx, { id, unit: 'credit', account: creditWallet(account), amount: amount(credits), until })

/** Takes what was kept back. */
export const captureFee = (tx: Tx, ledger: Ledger, hold: string, memo: string) =>
  ledger.capture(tx, hold, { to: house.fees, memo })

type MeterPorts = 'store' | 'clock' | 'ledger' | 'keys'
type Ctx = Context<MeterPorts>
type ComputeCost = (account: Account | undefined) => number

const lacking = (cost: number, available: number): Price => {
  const size = topUpFor(cost)
  return {
    ...usd(size),
    reason: {
      reason: 'insufficient_funds_self',
      detail: `This takes ${countText(cost, 'credit')} (${toUsd(cost)} USD) and the account has ${available} to spend. Pay one of the offers: it adds ${topUps[size]} credits, and the call goes on.`,
      params: { creditsRequired: cost, creditsRemaining: available, creditsAdded: topUps[size] },
    },
  }
}

type MeterOptions = {
  /** The cost of this caller's call. Default: `most`. */
  computeCost?: ComputeCost
  /** Throws whatever the handler would refuse, so that nobody is asked to pay for a refusal. */
  check?: (ctx: Ctx, input: never) => unknown
}

/**
 * The facts of a tool that is paid in credits, `most` of them. A caller who has them pays nothing else; whoever has not is
 * quoted a top-up by x402, which is added to the account before the fee is taken. `settle` is before, since it writes.
 */
export const meteredPrice = (maxCost: number, { computeCost = () => maxCost, check }: MeterOptions = {}) => ({
  price: credits(String(maxCost)),
  settle: 'before' as const,
  credits: true as const,
  ...(check && { check }),
  async quote(ctx: Ctx, input: object): Promise<Price> {
    if ('dry_run' in input && input.dry_run === true) return free
    const account = ctx.caller && (await accountsIn(ctx.store).get(ctx.caller.id))
    const cost = computeCost(account)
    if (cost === 0) return free
    const { available } = account ? await loadCredits(ctx.store, ctx.ledger, account.id) : { available: 0 }
    if (available >= cost) return free
    return lacking(cost, available)
  },
})

/** Adds what the call's payment bought, if it came with one. `most` is what the tool's facts say. */
export const admit = async (tx: Tx, ctx: Ctx, maxCost: number): Promise<PayingAccount> => {
  const payer = await findPayer(tx, ctx)
  const { receipt, ledger } = ctx
  if (!receipt) return payer
  const account = payer.account.id
  await rememberWallet(tx, account, receipt.payer)
  const topUp = topUps[topUpFor(maxCost)]
  await addCredits(tx, ledger, {
    id: `broker-topup:${receipt.id}`,
    account,
    credits: topUp,
    memo: 'x402',
    from: 'sales',
  })
  return { ...payer, account: { ...payer.account, funded: true } }
}

/** Takes a fee of the caller. The quote said that it is there; if it went meanwhile, the call must be quoted anew. */
export const charge = async (tx: Tx, ledger: Ledger, fee: Move): Promise<void> => {
  try {
    await takeFee(tx, ledger, fee)
  } catch (error) {
    throw spentMeanwhile(error, fee.credits)
  }
}

/** A balance that is too low, told as what it means for the caller: `payment_required` with a reason. */
export const spentMeanwhile = (error: unknown, neededCredits: number): unknown => {
  if (!(error instanceof ToolError) || error.name !== 'InsufficientBalance') return error
  return new ToolError(
    'payment_required',
    `This takes ${neededCredits} credits, more than the account has to spend.`,
    {
      reason: 'insufficient_funds_self',
      params: { creditsRequired: neededCredits },
      hint: 'Send the call again to be quoted a top-up, or add credits first.',
      next: ['add_credits'],
    },
  )
}

/**
 * Runs a metered call whose top-up may be settled. Where it is refused all the same, the top-up becomes credits of the account, and
 * the refusal says so: nothing is owed.
 */
export const orCredits = async <R>(ctx: Ctx, maxCost: number, work: () => Promise<R>): Promise<R> => {
  try {
    return await work()
  } catch (error) {
    if (!ctx.receipt || !(error instanceof ToolError) || error.status >= 500) throw error
    return ctx.decline(async tx => {
      const { account, api_key } = await admit(tx, ctx, maxCost)
      const { available } = await loadCredits(tx, ctx.ledger, account.id)
      const params = { creditsAdded: topUps[topUpFor(maxCost)], creditsRemaining: available }
      const opened = api_key === null ? undefined : { account_id: account.id, api_key }
      return { refusal: refusedAfterTopUp(error, params, opened), secret: opened !== undefined }
    })
  }
}

type Opened = { account_id: string; api_key: string }

/** A refusal with what became of the top-up that was paid for it. */
const refusedAfterTopUp = (
  { code, message, extra }: ToolError,
  credits: { creditsAdded: number; creditsRemaining: number },
  opened: Opened | undefined,
): ToolError => {
  const { reason, params } = extra
  const whose = opened ? 'a new account, whose key is in opened_account' : 'the account'
  return new ToolError(code === 'payment_required' ? 'conflict' : code, message, {
    ...(reason !== undefined && { reason }),
    hint: `The ${credits.creditsAdded} credits that were paid for this call are in ${whose}.`,
    params: { ...params, ...credits, ...(opened && { opened_account: opened }) },
  })
}

/**
 * A metered call whose payment opened an account, answered again with a new key for it. `read` makes the rest of the answer as it
 * is now; a refusal, of then or now, brings the key too.
 */
export const reissueMetered = async <R extends object>(
  ctx: Ctx,
  refused: ToolError | undefined,
  read: () => Promise<R>,
): Promise<R & { opened_account: Opened }> => {
  const rest = refused ?? (await read().catch(toRefusal))
  const opened = await ctx.store.transaction(async tx => {
    const { account, api_key } = await reissueKey(tx, ctx)
    return { account_id: account.id, api_key }
  })
  if (!(rest instanceof ToolError)) return { ...rest, opened_account: opened }
  throw new ToolError(rest.code, rest.message, {
    ...rest.extra,
    params: { ...rest.extra.params, opened_account: opened },
  })
}

const toRefusal = (error: unknown): ToolError => {
  if (error instanceof ToolError && error.status < 500) return error
  throw error
}

/** Fields of a metered read about its own cost. */
export const MeteredOut = {
  credits_spent: z.number().int().describe('Credits this call took'),
  opened_account: z
    .object({
      account_id: z.string().describe('The account that the payment of this call opened'),
      api_key: z.string().describe('Its key, shown this once'),
    })
    .nullable()
    .describe('Set when a payment without a key opened an account'),
}

/** Thrown to roll back what was only rehearsed. */
class RehearsalRollback extends Error {
  readonly answer: object
  constructor(answer: object) {
    super('a dry run writes nothing')
    this.answer = answer
  }
}

/** Commits `work`, or, for a dry run, does all of it, writes nothing, and answers what would have been. */
export const commitOr = async <R extends object>(
  { store, commit }: Context<'store'>,
  dryRun: boolean,
  work: (tx: Tx) => Promise<R>,
): Promise<R> => {
  if (!dryRun) return commit(work)
  try {
    return await store.transaction(async tx => {
      throw new RehearsalRollback(await work(tx))
    })
  } catch (error) {
    if (error instanceof RehearsalRollback) return error.answer as R
    throw error
  }
}
