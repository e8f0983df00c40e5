import { z } from 'zod'
import type { PayResult } from '../lightning.ts'
import { type NwcClient, openClient, WalletError } from './client.ts'
import type { Connection } from './uri.ts'

type Options = Parameters<typeof openClient>[1]

const Invoice = z.object({ invoice: z.string() })
const Info = z.object({ pubkey: z.string().min(1) })
const Paid = z.object({ preimage: z.string().regex(/^[0-9a-f]{64}$/i) })

/** Errors of a wallet before it has sent anything: nothing was paid and nothing will be. */
const refusals: ReadonlySet<string> = new Set([
  'INSUFFICIENT_BALANCE',
  'QUOTA_EXCEEDED',
  'RATE_LIMITED',
  'RESTRICTED',
  'UNAUTHORIZED',
  'NOT_IMPLEMENTED',
  'UNSUPPORTED_ENCRYPTION',
  'RELAY',
])

/** Looks up a payment that the wallet did not report as paid; undefined where it does not know either. */
const lookUp = async ({ ask }: NwcClient, invoice: string): Promise<PayResult | 'pending' | undefined> => {
  const reply = await ask('lookup_invoice', { invoice }).catch(() => undefined)
  const paid = Paid.safeParse(reply)
  if (paid.success) return { state: 'paid', preimage: paid.data.preimage }
  const { data } = z.object({ state: z.string() }).safeParse(reply)
  if (data?.state === 'pending') return 'pending'
  return data?.state === 'failed' ? { state: 'failed', detail: 'the payment failed' } : undefined
}

const pay = async (client: NwcClient, invoice: string): Promise<PayResult> => {
  try {
    const { preimage } = Paid.parse(await client.ask('pay_invoice', { invoice }))
    return { state: 'paid', preimage }
  } catch (error) {
    const code = error instanceof WalletError ? error.code : ''
    const detail = error instanceof WalletError ? error.message : ''
    // An invoice that was paid before is refused as failed by some, and one that is being paid for want of money.
    const outcome = await lookUp(client, invoice)
    if (outcome === 'pending') throw error
    if (outcome) return outcome
    if (refusals.has(code) || code === 'PAYMENT_FAILED') return { state: 'failed', detail }
    throw error
  }
}

/** A wallet of the operator over Nostr Wallet Connect (NIP-47), in what a node must do for us. */
export const openNwc = async (connection: Connection, options: Options) => {
  const client = openClient(connection, options)
  // One that refuses to tell of itself answers all the same.
  const ping = () =>
    client.ask('get_info', {}).catch(error => {
      if (error instanceof WalletError) return undefined
      throw error
    })
  const info = await ping().catch(error => {
    client.close()
    throw error
  })
  const { data } = Info.safeParse(info)
  return {
    // A wallet that is not a node of its own has the key that it answers with.
    node: data?.pubkey ?? connection.wallet,
    ping,
    async create({ msat, memo, expirySeconds }: { msat: bigint; memo: string; expirySeconds: number }) {
      const params = { amount: Number(msat), description: memo, expiry: expirySeconds }
      return Invoice.parse(await client.ask('make_invoice', params)).invoice
    },
    pay: (invoice: string) => pay(client, invoice),
    find: async (invoice: string) => {
      const outcome = await lookUp(client, invoice)
      return outcome === 'pending' ? undefined : outcome
    },
    close: async () => client.close(),
  }
}
