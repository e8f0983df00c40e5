import { ToolError } from '../../../kernel/error.ts'
import type { Store } from '../../../ports/store/port.ts'
import type { Account } from '../../ledger/account.ts'
import type { Amount } from '../../ledger/amount.ts'
import { capturePrefix } from '../../ledger/hold.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Attempt, Offer, PaymentMethod } from '../../method.ts'
import { type Spending, SpendingRefused } from '../../spending.ts'
import { type BalanceUnit, formatBalance, parseBalance, priceUnits } from './amount.ts'

type Options = {
  unit: BalanceUnit
  ledger: Ledger
  store: Store
  now?: () => Date
  /** Limits of what clients spend for people; without them such a client pays nothing. */
  spending?: Spending | undefined
}

/** Sales paid from balances; what callers put into them comes from accounts of the world. */
const sales: Account = 'house:sales'

/**
 * How long money stays held for work that nobody has ended. What a process leaves behind is freed much sooner, when its lease is over;
 * no work may take longer than this.
 */
const holdMs = 24 * 60 * 60 * 1000

const readAccount = ({ data }: Attempt): Account => String(data.account) as Account

/** Whose money it is, where it was set aside from a balance. */
const readOwner = ({ data }: Attempt): Account => String(data.owner ?? data.account) as Account

/**
 * Prepaid balances in the ledger, one per account and unit. Money is held with the record of the call and taken in the transaction of
 * its work, so that what fails costs nothing and what was done is paid for, whenever a process ends.
 */
export const openBalanceMethod = ({
  unit,
  ledger,
  store,
  now = () => new Date(),
  spending,
}: Options): PaymentMethod => {
  const network = `ledger:${unit}`
  const toWords = (amount: string) => formatBalance({ unit, value: BigInt(amount) })
  const toAmount = (amount: string): Amount<BalanceUnit> => ({ unit, value: BigInt(amount) })

  return {
    id: 'balance',
    kind: 'account',
    network,
    name: network,
    moves: 'book',
    // Credits are spent by their service, and terms of a call name a wallet.
    takes: ({ unit: priceUnit, terms }) => priceUnit !== 'credit' && terms === undefined,
    async offer({ price }, rates): Promise<Offer> {
      const { amount: text, rate } = await rates.convert(price, priceUnits[unit])
      const amount = String(parseBalance(text, unit).value)
      return {
        method: 'balance',
        kind: 'account',
        network,
        asset: unit,
        payTo: sales,
        amount,
        words: `${toWords(amount)} from a prepaid balance`,
        maxTimeoutSeconds: 300,
        extra: { price: text, ...(rate && { rate }) },
      }
    },
    identify: ({ data }) => `account|${String(data.account)}|${String(data.id)}`,
    // Whether it is enough is decided where it is held: what is read before may be spent by then.
    verify: async attempt => ({ ok: true, payer: readOwner(attempt) }),
    settle: async () => ({ state: 'failed', reason: 'settlement_failed' }),
    find: async () => ({ state: 'unused' }),
    async refund(id, payer, amount) {
      const entry = `refund:${id}`
      await store.transaction(tx =>
        ledger.post(tx, {
          id: entry,
          unit,
          memo: 'refund',
          postings: [
            { account: sales, amount: toAmount(String(-BigInt(amount))) },
            { account: payer as Account, amount: toAmount(amount) },
          ],
        }),
      )
      return { state: 'credited', entry }
    },
    toWords,
    book: {
      unit,
      async hold(tx, id, attempt, { amount }) {
        const until = new Date(now().getTime() + holdMs)
        const { spender, service, tool } = attempt.data
        if (spender !== undefined) {
          if (!spending) throw new Error(`nothing says what ${String(spender)} may spend`)
          const refusal = await spending.take(tx, {
            id,
            spender: String(spender),
            account: readAccount(attempt),
            service: String(service),
            tool: String(tool),
            amount: BigInt(amount),
          })
          if (refusal) throw new SpendingRefused(refusal)
        }
        await ledger.hold(tx, { id, unit, account: readAccount(attempt), amount: toAmount(amount), until })
      },
      async capture(tx, id, memo, part) {
        try {
          await ledger.capture(tx, id, { to: sales, memo, ...(part && { amount: toAmount(part.amount) }) })
          if (part) await spending?.giveBack(tx, id, BigInt(part.rest))
        } catch (cause) {
          if (!(cause instanceof ToolError) || cause.code !== 'gone') throw cause
          throw new ToolError(
            'timeout',
            'The work took longer than the balance is held for; nothing was charged.',
            {
              cause,
            },
          )
        }
      },
      async release(tx, id) {
        await spending?.giveBack(tx, id)
        await ledger.release(tx, id)
      },
      entry: id => `${capturePrefix}${id}`,
      async available(account) {
        const { available } = await ledger.balance(store, unit, account as Account)
        return { amount: formatBalance(available).split(' ')[0] ?? '0', words: formatBalance(available) }
      },
    },
    close: async () => undefined,
  }
}
