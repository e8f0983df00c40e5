import { createTestClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { start } from '../../app/start.ts'
import { openDevnet } from '../../mcp/ports/devnet/devnet.ts'
import { openRpcProxy } from '../../test/payment/rpc-proxy.ts'
import { contest } from '../contestant.ts'
import { newFolder } from '../folders.ts'

/** The whole program on a configured network, whose node is behind a proxy that counts the questions and may be slow. */
const devnet = openDevnet({ dir: await newFolder(), binary: process.env.ANVIL || undefined })
const { rpc } = await devnet.network('base')
const proxy = await openRpcProxy(rpc)
const key = generatePrivateKey()
const { address } = privateKeyToAccount(key)
await createTestClient({ mode: 'anvil', transport: http(rpc) }).setBalance({ address, value: 10n ** 20n })
const settings = {
  PORT: '0',
  OCTAGENT_DATA: await newFolder(),
  OCTAGENT_RATE_LIMIT: '1000000000',
  OCTAGENT_NETWORKS: `base=${proxy.url}`,
  OCTAGENT_PAY_TO: privateKeyToAccount(generatePrivateKey()).address,
  OCTAGENT_FACILITATOR_KEY: key,
}
const app = await start(readConfig(settings, services))

contest(
  app.url,
  {
    chain: async () => ({ rpc, key: (await devnet.keys()).demo }),
    delay: (ms: number) => {
      proxy.knobs.delayMs = ms
    },
    /** The questions since the last time. */
    calls: () => proxy.take(),
  },
  async () => {
    await app.stop(true)
    await proxy.close()
    await devnet.close()
  },
)
