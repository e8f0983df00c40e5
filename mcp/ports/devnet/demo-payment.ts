import { openDevnetKeys } from './keys.ts'

/** Signs a quote of x402 from the demo wallet of one data folder's local chains; resolves to the value of PAYMENT-SIGNATURE. */
export const openDemoPayment =
  (dir: string) =>
  async (quote: object): Promise<string> => {
    const { x402Client } = await import('@x402/fetch')
    const { ExactEvmScheme } = await import('@x402/evm/exact/client')
    const { privateKeyToAccount } = await import('viem/accounts')
    const account = privateKeyToAccount((await openDevnetKeys(dir)).demo)
    const client = x402Client.fromConfig({
      schemes: [{ network: 'eip155:*', client: new ExactEvmScheme(account) }],
    })
    const payload = await client.createPaymentPayload(
      quote as Parameters<typeof client.createPaymentPayload>[0],
    )
    return Buffer.from(JSON.stringify(payload)).toString('base64')
  }
