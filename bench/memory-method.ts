import { randomUUID } from 'node:crypto'
import type { Payload, Requirements } from '../mcp/payment/dialects/x402/payload.ts'
import type { Attempt, FindResult, PaymentMethod } from '../mcp/payment/method.ts'

const network = 'eip155:8453'

const readNonce = ({ data }: Attempt): string => String(data.nonce)

/** A method whose chain is a Map: it believes every payment and settles at once, so that what is measured is the gate. */
export const openMemoryMethod = (): PaymentMethod => {
  const settlements = new Map<string, FindResult>()
  return {
    id: 'memory',
    kind: 'eip3009',
    network,
    name: 'base',
    moves: 'us',
    takes: ({ unit }) => unit === 'usd',
    offer: async ({ price }) => ({
      method: 'memory',
      kind: 'eip3009',
      words: `${price.amount} USDC`,
      network,
      amount: String(Math.round(Number(price.amount) * 1e6)),
      asset: 'usdc',
      payTo: 'till',
      maxTimeoutSeconds: 300,
      extra: {},
    }),
    identify: attempt => `${network}|usdc|payer|${readNonce(attempt)}`,
    verify: async () => ({ ok: true, payer: 'payer' }),
    settle: async attempt => {
      const nonce = readNonce(attempt)
      const transfer = { state: 'settled', transaction: nonce, payer: 'payer', log: nonce } as const
      settlements.set(nonce, transfer)
      return transfer
    },
    find: async attempt => settlements.get(readNonce(attempt)) ?? { state: 'unused' },
    refund: async id => ({ state: 'sent', transaction: id }),
    close: async () => undefined,
  }
}

/** A payment for an offer that the method has not seen yet. */
export const paymentFor = (accepted: Requirements): Payload => ({
  x402Version: 2,
  accepted,
  payload: { nonce: randomUUID() },
})
