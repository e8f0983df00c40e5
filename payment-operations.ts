import { type Limits, overLimit } from './mcp/kernel/pipeline/limits.ts'
import { audit } from './mcp/payment/gate/audit.ts'
import { claimReceipt } from './mcp/payment/gate/claim.ts'
import { listOwed, refund } from './mcp/payment/gate/owed.ts'
import { loadReceipt } from './mcp/payment/gate/receipt.ts'
import type { PaymentMethod } from './mcp/payment/method.ts'
import type { Clock, Store } from './mcp/ports/index.ts'

type Options = { store: Store; methods: readonly PaymentMethod[]; limits: Limits; clock: Clock }

/** A smart account's signature is checked on its chain: guesses must not cost a call each. */
const claimsPerMinute = 10

/** What an operator does about payments, and what a payer does about receipts. */
export const openPaymentOperations = ({ store, methods, limits, clock }: Options) => {
  const now = () => clock.now()
  return {
    operator: {
      owed: () => listOwed(store, now(), methods),
      audit: (chain: boolean) => audit({ store, methods, chain }),
      refund: (id: string, to?: string, served?: boolean) => refund(store, methods, id, now, to, served),
    },
    receipts: {
      read: (id: string) => loadReceipt(store, id),
      claim: async (id: string, signature: string, address: string) => {
        const standing = await limits.take(`claim:${address}`, claimsPerMinute)
        if (!standing.ok) throw overLimit('Claiming receipts', standing)
        return claimReceipt({ store, methods, now }, id, signature, address)
      },
    },
  }
}
