import type { Charge } from '../charge.ts'
import { digest } from './digest.ts'
import type { PaymentRow, Sender } from './record.ts'

/** How long the network address alone stands for the sender, after the record last changed. */
export const addressMs = 120_000

/** A shorter key may be guessed. */
const minSecretLength = 16

const addressDigest = (id: string, address: string): string => digest('sender address', id, address)

/** The sender of a call as the record of a payment holds it. */
export const toSender = (id: string, { caller, sender }: Charge): Sender | null => {
  if (!sender) return null
  const secrets = [
    caller && ['caller', caller.id],
    sender.task !== undefined && ['task', sender.task],
    sender.idempotencyKey !== undefined &&
      sender.idempotencyKey.length >= minSecretLength && ['key', sender.idempotencyKey],
  ]
  return {
    address: addressDigest(id, sender.address),
    secrets: secrets.flatMap(secret => (secret ? [digest('sender secret', id, ...secret)] : [])),
  }
}

/** The same for a claim of the payer's, who has shown another proof. */
export const toClaimant = (row: PaymentRow, address: string, now: Date): Sender => ({
  address: addressDigest(row.id, address),
  secrets: row.sender?.secrets ?? [],
  until: new Date(now.getTime() + addressMs).toISOString(),
})

/** True when a call comes from whom the payment of a record came from: by a secret, or by the address for two minutes. */
export const isSameSender = (row: PaymentRow, charge: Charge, now: Date): boolean => {
  const before = row.sender
  const asking = toSender(row.id, charge)
  if (!before || !asking) return false
  if (asking.secrets.some(secret => before.secrets.includes(secret))) return true
  if (asking.address !== before.address) return false
  const { until = '' } = before
  return now.getTime() <= Date.parse(row.updated) + addressMs || now.toISOString() <= until
}
