import { collection } from '../../../kernel/collection.ts'
import type { Store } from '../../../ports/store/port.ts'
import type { Observation } from './twap-source.ts'
import type { Asset } from './window.ts'

type Row = { id: string; start: number } & Observation

const averagesIn = collection<Row>({
  name: 'money.averages',
  indexes: [{ name: 'start', fields: ['start'] }],
  bounded: 'One for each asset and window of two days.',
})

/** Seconds that averages are remembered: a day more than anybody needs for a window that still runs. */
const keptSeconds = 2 * 86_400

const rowId = (asset: Asset, start: number): string => `${asset}:${start}`

/** Keeps what decided each window in the store: a restart, or another replica, knows what one of them has heard. */
export const openMemory = (store: Store, now: () => number) => {
  const averages = () => averagesIn(store)
  return {
    async find(asset: Asset, start: number): Promise<Observation | undefined> {
      const row = await averages().get(rowId(asset, start))
      return row && { at: row.at, price: row.price, source: row.source }
    },
    /** Remembers what decided a window, and forgets what is old. The first word counts. */
    async keep(asset: Asset, start: number, { at, price, source }: Observation): Promise<void> {
      const isNew = await averages().insert({ id: rowId(asset, start), start, at, price, source })
      if (!isNew) return
      const where = { start: { lt: now() / 1000 - keptSeconds } }
      const { rows } = await averages().find({ index: 'start', where, limit: 100 })
      for (const { id } of rows) await averages().delete(id)
    },
  }
}
