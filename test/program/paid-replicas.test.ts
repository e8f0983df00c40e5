import { rm } from 'node:fs/promises'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSigningKey } from '../../mcp/ports/sign/sign.ts'
import { anvilClient, balanceOf, canPay, makePayer, openTestDevnet } from '../payment/evm-chain.ts'
import { postgresIsHere, withDatabase } from '../store/database.ts'
import { folder, type Running, serve } from './run.ts'

describe.runIf(canPay && postgresIsHere)('two servers on one PostgreSQL with one facilitator key', () => {
  const database = withDatabase()
  const dirs = [folder(), folder()]
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let servers: Running[] = []
  const payTo = privateKeyToAccount(generatePrivateKey()).address

  beforeAll(async () => {
    net = await openTestDevnet()
    const { rpc } = await net.devnet.network('base')
    const facilitator = generatePrivateKey()
    const { address } = privateKeyToAccount(facilitator)
    await (await anvilClient(net.devnet.chain('base'))).setBalance({ address, value: 10n ** 18n })
    const shared = {
      DATABASE_URL: database(),
      OCTAGENT_PEPPER: 'p'.repeat(43),
      OCTAGENT_SIGNING_KEY: makeSigningKey(),
      OCTAGENT_NETWORKS: `base=${rpc}`,
      OCTAGENT_PAY_TO: payTo,
      OCTAGENT_FACILITATOR_KEY: facilitator,
    }
    servers = await Promise.all(dirs.map(dir => serve({ ...shared, OCTAGENT_DATA: dir })))
    const quote = ({ url }: Running) => fetch(`${url}/cat/api/feed`, { method: 'POST' })
    // A machine that is busy may take longer than the first look at the network waits.
    for (const server of servers)
      while ((await quote(server)).status !== 402) await new Promise(resolve => setTimeout(resolve, 500))
  })
  afterAll(async () => {
    for (const { child, exit } of servers) {
      child.kill('SIGTERM')
      expect(await exit).toBe(0)
    }
    await net.close()
    for (const dir of dirs) await rm(dir, { recursive: true, force: true })
  })

  test.each([['as they come'], ['while blocks are slow']])(
    'settle twelve payments at once, one debit each, %s',
    async pace => {
      const chain = net.devnet.chain('base')
      const anvil = await anvilClient(chain)
      const before = await balanceOf(chain, payTo)
      const payers = await Promise.all(Array.from({ length: 12 }, () => makePayer(chain, 250_000n)))
      if (pace !== 'as they come') await anvil.setIntervalMining({ interval: 1 })
      const answers = await Promise.all(
        payers.map(async ({ account }, nth) => {
          const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
          const paying = wrapFetchWithPayment(fetch, client)
          const response = await paying(`${servers[nth % 2]?.url}/cat/api/feed`, { method: 'POST' })
          const { transaction } = (await response.json()) as { transaction?: string }
          return { status: response.status, transaction }
        }),
      )
      await anvil.setIntervalMining({ interval: 0 })
      await anvil.setAutomine(true)
      expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
      expect(new Set(answers.map(({ transaction }) => transaction)).size).toBe(12)
      expect(await Promise.all(payers.map(({ address }) => balanceOf(chain, address)))).toEqual(
        Array(12).fill(150_000n),
      )
      expect((await balanceOf(chain, payTo)) - before).toBe(1_200_000n)
    },
  )
})
