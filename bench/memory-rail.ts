import { randomUUID } from 'node:crypto'
import type { Found, Offer, Payload, Rail } from '../mcp/payment/rail.ts'

const network = 'eip155:8453'

const nonceOf = ({ payload }: Payload): string => String(payload.nonce)

/** A rail whose chain is a Map: it believes every payment and settles at once, so that what is measured is the gate. */
export const openMemoryRail = (): Rail => {
  const settled = new Map<string, Found>()
  return {
    network,
    name: 'base',
    devnet: true,
    offer: async usd => ({
      scheme: 'exact',
      network,
      amount: String(Math.round(Number(usd) * 1e6)),
      asset: 'usdc',
      payTo: 'till',
      maxTimeoutSeconds: 300,
      extra: {},
    }),
    identity: payload => `${network}|usdc|payer|${nonceOf(payload)}`,
    verify: async () => ({ ok: true, payer: 'payer' }),
    settle: async payload => {
      const nonce = nonceOf(payload)
      const transfer = { state: 'settled', transaction: nonce, payer: 'payer', log: nonce } as const
      settled.set(nonce, transfer)
      return transfer
    },
    find: async payload => settled.get(nonceOf(payload)) ?? { state: 'unused' },
    refund: async id => id,
    close: async () => undefined,
  }
}

/** A payment for an offer that the rail has not seen yet. */
export const paymentFor = (accepted: Offer): Payload => ({
  x402Version: 2,
  accepted,
  payload: { nonce: randomUUID() },
})
