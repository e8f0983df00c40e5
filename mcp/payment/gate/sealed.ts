import type { Attempt, Offer, PaymentMethod } from '../method.ts'
import type { Encryption } from './encryption.ts'
import type { PaymentRow } from './record.ts'

/** A payment as it came, with the method that knows what became of it. */
export type Unsealed = { method: PaymentMethod; attempt: Attempt; offer: Offer }

type Deps = { methods: readonly PaymentMethod[]; encryption: Encryption }

/** Keeps a payment with its record, for nobody else to read. */
export const sealPayment = (encryption: Encryption, attempt: Attempt, offer: Offer): string =>
  encryption.close(JSON.stringify({ attempt, offer }))

/** The payment of a record; undefined where it is kept no more, or its method is not configured here. */
export const unsealPayment = ({ methods, encryption }: Deps, row: PaymentRow): Unsealed | undefined => {
  const method = methods.find(({ id, network }) => id === row.method && network === row.network)
  const text = row.sealed === null ? undefined : encryption.open(row.sealed)
  if (!method || text === undefined) return undefined
  return { method, ...(JSON.parse(text) as { attempt: Attempt; offer: Offer }) }
}
