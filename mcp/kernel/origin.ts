import type { Store, Tx } from '../ports/store/port.ts'

/**
 * Who writes: a client by its address, the account of its key where it has one, and whether a payment stands behind the call. `room` is
 * the part of each total that the store has room for.
 */
export type Origin = { client: string; account?: string; isPaid: boolean; room: number }

type Writer = Pick<Tx, 'collection'>

const origins = new WeakMap<Writer, Origin>()

/** How often one network address may make somebody known in a UTC day, over all services. */
export const registrationsPerDay = 20

/** The network of an address: the /24 of an IPv4 address, mapped or not, the /48 of an IPv6 one. */
export const toNetwork = (client: string): string => {
  const four = /(?:^|:)(\d+\.\d+\.\d+)\.\d+$/.exec(client)
  if (four) return `${four[1]}.0/24`
  if (!client.includes(':')) return client
  const [head = '', tail] = (client.split(/[%/]/)[0] ?? '').toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0')
  return `${[...groups, ...zeros, ...rest].slice(0, 3).join(':')}::/48`
}

/** The origin of what is written through a store or a transaction; undefined for what the program writes by itself. */
export const originOf = (writer: Writer): Origin | undefined => origins.get(writer)

const withMark = <writer extends Writer>(writer: writer, origin: Origin): writer => {
  origins.set(writer, origin)
  return writer
}

/** The same store for what a stranger brings: budgets bind what is written through it, in and out of transactions. */
export const withOrigin = (store: Store, origin: Origin): Store =>
  withMark({ ...store, transaction: work => store.transaction(tx => work(withMark(tx, origin))) }, origin)

/** Counts what a transaction writes from now on as paid for: its call takes a fee from a balance within it. */
export const markPaid = (tx: Tx): void => {
  const origin = origins.get(tx)
  if (origin) origins.set(tx, { ...origin, isPaid: true })
}
