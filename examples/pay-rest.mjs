// Pays ten cents for a feed over REST: PRIVATE_KEY=0x… node examples/pay-rest.mjs [base]
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const base = process.argv[2] ?? process.env.OCTAGENT_URL ?? `http://127.0.0.1:${process.env.PORT ?? 8402}`

const account = privateKeyToAccount(process.env.PRIVATE_KEY)
const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
const pay = wrapFetchWithPayment(fetch, client)
const response = await pay(`${base}/cat/api/feed`, { method: 'POST' })
console.log(await response.json())
