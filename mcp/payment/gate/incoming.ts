import { randomBytes } from 'node:crypto'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import type { Store } from '../../ports/store/port.ts'
import { all } from '../ledger/audit.ts'
import type { IncomingTransfer, PaymentMethod } from '../method.ts'
import { digest } from './digest.ts'
import { type PaymentRow, paymentRows, toOwed } from './record.ts'
import { isSpent, spendLog } from './spent.ts'

/** A transfer to the till that nothing was known of when it was seen; `own`: the operator says that it is money of theirs. */
type Seen = Omit<IncomingTransfer, 'log' | 'at'> & {
  id: string
  method: string
  network: string
  at: string
  own?: true
}

const seenIn = collection<Seen>({
  name: 'payment.incoming',
  indexes: [{ name: 'at', fields: ['at'] }],
  bounded: 'Transfers to the till that no record explains; dropped once one does.',
})

/** Up to where the transfers of a method were seen, in words of its own. */
const marksIn = collection<{ id: string; upTo: string }>({
  name: 'payment.incoming-marks',
  bounded: 'One for each method and network.',
})

/** Money at the till that no record explains, as the operator sees it. `id` names the transfer, for `octagent owe`. */
export type Unexplained = Pick<
  Seen,
  'id' | 'method' | 'network' | 'asset' | 'payer' | 'amount' | 'transaction' | 'at'
> & { words: string }

/** How long a transfer may be on its way to its record: a call that settles it, or that is retried. */
const graceMs = 5 * 60_000

/** Lists money no record explains by now; that of the last minutes is left out. */
export async function* unexplainedIn(store: Store, now: Date): AsyncGenerator<Seen> {
  for await (const seen of all(seenIn(store), 'at')) {
    if (seen.own || now.getTime() - Date.parse(seen.at) < graceMs) continue
    if (!(await isSpent(store, seen.id))) yield seen
  }
}

/** Steps of one scan; what is left comes with the next. */
const maxSteps = 500

type Options = { store: Store; methods: readonly PaymentMethod[]; now: () => Date }

/**
 * The other way of the audit: what came to the till, whoever sent it and for whatever. A transfer that no record, tip or order has
 * spent is unexplained until its payer brings the payment, or the operator makes it owed or calls it theirs.
 */
export const openIncoming = ({ store, methods, now }: Options) => {
  const scanOne = async (method: PaymentMethod): Promise<void> => {
    const { incoming } = method
    if (!incoming) return
    const mark = `${method.id} ${method.network}`
    for (let step = 0; step < maxSteps; step++) {
      const before = await marksIn(store).get(mark)
      const { upTo, transfers, isMore } = await incoming(before?.upTo)
      await store.transaction(async tx => {
        for (const { log, at, ...transfer } of transfers) {
          if ((await isSpent(tx, log)) || (await seenIn(tx).get(log))) continue
          await seenIn(tx).put({
            ...transfer,
            id: log,
            method: method.id,
            network: method.network,
            at: at.toISOString(),
          })
        }
        if (upTo !== before?.upTo) await marksIn(tx).put({ id: mark, upTo })
      })
      if (!isMore) return
    }
  }

  const get = async (id: string): Promise<Seen> => {
    const seen = await seenIn(store).get(id)
    if (seen) return seen
    throw new ToolError('not_found', 'No unexplained transfer has this name.', {
      hint: 'octagent audit lists them.',
    })
  }

  return {
    /** Looks for what has come since; resolves to the networks that could not be asked. */
    async scan(): Promise<readonly string[]> {
      const failed: string[] = []
      for await (const { id } of all(seenIn(store), 'at'))
        if (await isSpent(store, id)) await seenIn(store).delete(id)
      for (const method of methods) await scanOne(method).catch(() => failed.push(method.network))
      return failed
    },

    async list(): Promise<Unexplained[]> {
      const found: Unexplained[] = []
      for await (const seen of unexplainedIn(store, now())) {
        const { id, method, network, asset, payer, amount, transaction, at } = seen
        const words =
          methods.find(each => each.id === method && each.network === network)?.toWords?.(amount) ??
          `${amount} of ${asset} on ${network}`
        found.push({ id, method, network, asset, payer, amount, transaction, at, words })
      }
      return found
    },

    /** Makes a transfer owed to whoever sent it; resolves to the receipt, for `octagent refund`. Throws `conflict` for one that was spent. */
    async owe(id: string): Promise<string> {
      const { method, network, asset, payTo, amount, payer, transaction, at } = await get(id)
      const { movements } = methods.find(each => each.id === method && each.network === network) ?? {}
      const moved = movements && ((await movements(transaction, payTo)) ?? [])
      if (moved && !moved.some(({ log }) => log === id)) {
        await seenIn(store).delete(id)
        throw new ToolError('conflict', 'The chain has this transfer no more.', {
          hint: 'octagent audit lists what is left.',
        })
      }
      const receipt = randomBytes(16).toString('hex')
      const time = now().toISOString()
      const row: PaymentRow = {
        id: digest('stray', id),
        receipt,
        claim: null,
        request: '',
        service: 'octagent',
        tool: 'owe',
        state: 'owed',
        isStray: true,
        settle: 'before',
        method,
        dialect: '',
        network,
        asset,
        payTo,
        amount,
        payer,
        transaction,
        log: id,
        spentElsewhere: false,
        reverted: null,
        watch: null,
        watchEnd: null,
        offer: JSON.stringify({ extra: {} }),
        sealed: null,
        answer: null,
        runner: null,
        lease: null,
        rate: null,
        refund: null,
        created: at,
        updated: time,
      }
      await store.transaction(async tx => {
        if (!(await spendLog(tx, id, `payment:${row.id}`)))
          throw new ToolError('conflict', 'A record explains this transfer by now.', {
            hint: 'octagent audit lists what is left.',
          })
        if (!(await paymentRows(tx).insert(await toOwed(tx, row))))
          throw new ToolError('conflict', 'This transfer is owed already.', {
            hint: 'octagent owed lists it.',
          })
        await seenIn(tx).delete(id)
      })
      return receipt
    },

    /** Notes that a transfer is the operator's own money, such as a deposit. */
    async own(id: string): Promise<void> {
      await get(id)
      await seenIn(store).update(id, seen => ({ ...seen, own: true }))
    },
  }
}
