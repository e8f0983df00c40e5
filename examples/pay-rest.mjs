// Pays ten cents for a feed over REST with the stock client: PRIVATE_KEY=0x… node examples/pay-rest.mjs [base]
import { setTimeout } from 'node:timers/promises'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const base = process.argv[2] ?? process.env.OCTAGENT_URL ?? `http://127.0.0.1:${process.env.PORT ?? 8402}`

const account = privateKeyToAccount(process.env.PRIVATE_KEY)
const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
const pay = wrapFetchWithPayment(fetch, client)
let response = await pay(`${base}/cat/api/feed`, { method: 'POST' })
// On a slow chain: the answer is collected where Location says. Calling again would sign, and pay, again.
while (response.status === 202) {
  await setTimeout(1000 * Number(response.headers.get('retry-after') ?? 2))
  response = await fetch(response.headers.get('location'))
}
console.log(await response.json())
