import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { start } from '../../app/start.ts'
import { anvilClient, balanceOf, makePayer, onAnvil, openTestDevnet } from './evm-chain.ts'

onAnvil('a network that is configured', () => {
  test('takes payments to the configured wallet, settled by the configured key, in public too', async () => {
    const { devnet, close } = await openTestDevnet()
    const { rpc } = await devnet.network('base')
    const chain = devnet.chain('base')
    const payer = await makePayer(chain)
    const facilitator = generatePrivateKey()
    const payTo = privateKeyToAccount(generatePrivateKey()).address
    await (await anvilClient(chain)).setBalance({
      address: privateKeyToAccount(facilitator).address,
      value: 10n ** 18n,
    })
    const dir = await mkdtemp(join(tmpdir(), 'octagent-network-'))
    const app = await start(
      readConfig(
        {
          PORT: '0',
          OCTAGENT_DATA: dir,
          OCTAGENT_LOG: 'silent',
          OCTAGENT_NETWORKS: `base=${rpc}`,
          OCTAGENT_PAY_TO: payTo,
          OCTAGENT_FACILITATOR_KEY: facilitator,
        },
        services,
      ),
    )
    const feed = `${app.url}/cat/api/feed`
    const { paymentRequired: quote } = (await (await fetch(feed, { method: 'POST' })).json()) as {
      paymentRequired: { accepts: { payTo: string; extra: object }[] }
    }
    expect(quote.accepts).toMatchObject([{ payTo }])
    expect(quote.accepts[0]?.extra).not.toHaveProperty('devnet')
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(payer.account))
    expect((await wrapFetchWithPayment(fetch, client)(feed, { method: 'POST' })).status).toBe(200)
    expect(await balanceOf(chain, payTo)).toBe(100_000n)
    const testnet = await fetch(`${feed}/testnet`, { method: 'POST' })
    expect([testnet.status, await testnet.text()]).toEqual([503, expect.stringContaining('no way to pay')])
    await app.stop()
    await close()
    await rm(dir, { recursive: true, force: true })
  })
})
