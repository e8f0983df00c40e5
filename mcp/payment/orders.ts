import type { Tx } from '../../store/index.ts'
import { collection } from '../kernel/collection.ts'

/** The name of money under a nonce, whoever pays: as `identify` of a method, without the payer. */
type Order = { network: string; asset: string; nonce: string }

const ordersIn = collection<{ id: string }>({
  name: 'payment.orders',
  bounded: 'As many as were paid for.',
})

const toOrderId = ({ network, asset, nonce }: Order): string =>
  `${network}|${asset.toLowerCase()}|${nonce.toLowerCase()}`

/** Keeps a nonce for the order that it was made for: a transfer under it pays no other call. */
export const expectOrder = (tx: Pick<Tx, 'collection'>, order: Order): Promise<void> =>
  ordersIn(tx).put({ id: toOrderId(order) })

/** True when money, by its identity, moved under the nonce of an order. */
export const isOrdered = async (tx: Pick<Tx, 'collection'>, identity: string): Promise<boolean> => {
  const [network = '', asset = '', , nonce = ''] = identity.split('|')
  return (await ordersIn(tx).get(toOrderId({ network, asset, nonce }))) !== undefined
}
