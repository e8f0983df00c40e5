import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { type Context, credits, free, type Price, usd } from '../../../kernel/tool.ts'
import { countText } from '../../../lib/text/count.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { type Account, accountsIn } from '../account/account.ts'
import { reissueKey } from '../account/open-account.ts'
import { findPayer, type PayingAccount } from '../account/payer.ts'
import { rememberWallet } from '../account/wallets.ts'
import { topUpFor, topUps, toUsd } from './fees.ts'
import { addCredits, loadCredits, takeFee } from './wallet.ts'

export type MeterPorts = 'store' | 'clock' | 'ledger' | 'keys'
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

type Fee = { id: string; account: string; credits: number; memo: string }

/** Takes a fee of the caller. The quote said that it is there; if it went meanwhile, the call must be quoted anew. */
export const charge = async (tx: Tx, ledger: Ports['ledger'], fee: Fee): Promise<void> => {
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
