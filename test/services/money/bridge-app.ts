import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SpendControls, x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { createPublicClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createApp } from '../../../app/app.ts'
import { readConfig } from '../../../app/config.ts'
import { testUsdc } from '../../../contracts/test-usdc.ts'
import { openChain } from '../../../mcp/ports/chain/chain.ts'
import { networks } from '../../../mcp/ports/chain/networks.ts'
import money from '../../../mcp/services/money/service.ts'
import { anvilBinary } from '../../payment/evm-chain.ts'

/** The money service alone on a free port, with local chains, and a wallet with money and a raised spend limit. */
export const startBridgeApp = async (environment: Record<string, string> = {}) => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-bridge-'))
  const config = readConfig(
    {
      PORT: '0',
      OCTAGENT_DATA: dir,
      OCTAGENT_LOG: 'silent',
      OCTAGENT_RATE_LIMIT: '1000000',
      ...(anvilBinary && { ANVIL: anvilBinary }),
      ...environment,
    },
    [money],
  )
  const app = await createApp({ services: [money], config })
  const url = `${await app.listen()}/money`
  const keysOf = async () =>
    JSON.parse(await readFile(join(dir, 'devnet.json'), 'utf8')) as Record<
      'demo' | 'payTo' | 'facilitator',
      Hex
    >

  const chain = (name: 'base' | 'arc') =>
    openChain({ network: networks[name], devnet: true, rpc: async () => (await app.devnetRpc(name)) ?? '' })

  const balance = async (name: 'base' | 'arc', account: Hex): Promise<bigint> => {
    const reader = createPublicClient({ transport: http(await app.devnetRpc(name)), cacheTime: 0 })
    const { address } = networks[name].token
    const functionName = 'balanceOf'
    return reader.readContract({ address, abi: testUsdc.abi, functionName, args: [account] })
  }

  /** `fetch` of the demo wallet with the stock client, as its owner has set its spend controls. */
  const payer = async (controls?: SpendControls) => {
    const account = privateKeyToAccount((await keysOf()).demo)
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
    if (controls) client.setSpendControls(controls)
    return { account, client, fetch: wrapFetchWithPayment(fetch, client) }
  }

  return {
    app,
    url,
    dir,
    chain,
    balance,
    payer,
    keysOf,
    async stop() {
      await app.close(true)
      await rm(dir, { recursive: true, force: true })
    },
  }
}
