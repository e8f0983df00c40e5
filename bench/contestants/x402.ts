import { x402Client } from '@x402/core/client'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme as Client } from '@x402/evm/exact/client'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { openDevnet } from '../../mcp/ports/devnet/devnet.ts'
import { openRpcProxy } from '../../test/payment/rpc-proxy.ts'
import { contest } from '../contestant.ts'
import { newFolder } from '../folders.ts'

/**
 * Payments on a local chain with @x402 and viem alone: no server, no store, nobody who looks the chain over. With an argument its
 * node takes so many milliseconds for each answer.
 */
const devnet = openDevnet({ dir: await newFolder(), binary: process.env.ANVIL || undefined })
const { rpc: node } = await devnet.network('base')
const [, , delay] = process.argv
const proxy = delay === undefined ? undefined : await openRpcProxy(node)
if (proxy) proxy.knobs.delayMs = Number(delay)
const rpc = proxy?.url ?? node
const keys = await devnet.keys()
const { id, token } = networks.base

const wallet = createWalletClient({
  account: privateKeyToAccount(keys.facilitator),
  chain: base,
  transport: http(rpc),
  cacheTime: 0,
  pollingInterval: 25,
}).extend(publicActions)
type Asked = Parameters<typeof toFacilitatorEvmSigner>[0]
const signer = toFacilitatorEvmSigner({ ...wallet, address: wallet.account.address } as unknown as Asked)
const facilitator = new x402Facilitator().register(id, new ExactEvmScheme(signer))
const payer = new x402Client().register('eip155:*', new Client(privateKeyToAccount(keys.demo)))

const offer: PaymentRequirements = {
  scheme: 'exact',
  network: id,
  amount: '100000',
  asset: token.address,
  payTo: privateKeyToAccount(keys.payTo).address,
  maxTimeoutSeconds: 300,
  extra: { name: token.name, version: token.version },
}
const quote = { x402Version: 2, resource: { url: 'http://127.0.0.1/feed' }, accepts: [offer] }

contest(
  undefined,
  {
    /** Signs, verifies and settles one payment; the milliseconds it took. */
    pay: async () => {
      const began = performance.now()
      const payload = await payer.createPaymentPayload(quote)
      const { isValid, invalidReason } = await facilitator.verify(payload, offer)
      if (!isValid) throw new Error(`not valid: ${invalidReason}`)
      const { success, errorReason } = await facilitator.settle(payload, offer)
      if (!success) throw new Error(`not settled: ${errorReason}`)
      return performance.now() - began
    },
  },
  async () => {
    await proxy?.close()
    await devnet.close()
  },
)
