import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChains } from '../../../mcp/ports/chain/chains.ts'
import { gasNetworks } from '../../../mcp/services/money/gas/networks.ts'
import { describeGas, openSponsorChains } from '../../../mcp/services/money/gas/sponsor-chains.ts'
import { onAnvil, openTestDevnet } from '../../payment/evm-chain.ts'
import { type Gas, shop, signSold, startGas } from './gas.ts'

let net: Awaited<ReturnType<typeof openTestDevnet>>
let gas: Gas
beforeAll(async () => {
  net = await openTestDevnet()
  gas = await startGas()
})
afterAll(async () => {
  await gas.stop()
  await net.close()
})

const key = (digit: string) => ({ reveal: () => `0x${digit.repeat(64)}` as const })
const none = { reveal: () => '' as const }
const clock = { now: () => new Date() }
const feed = '0x00000000000000000000000000000000000000fe'

onAnvil('where gas cannot be sponsored', () => {
  test.each([
    ['no signer', none, none, '', 'MONEY_GAS_SIGNER_KEY is not set'],
    ['no submitter', key('1'), none, '', 'MONEY_GAS_SUBMITTER_KEY is not set'],
    ['one key for both', key('1'), key('1'), '', 'the same key'],
    ['no sponsor', key('1'), key('2'), '', 'MONEY_GAS_SPONSOR is not set'],
    ['no EntryPoint on the chain', key('1'), key('2'), shop, 'no EntryPoint v0.8 at 0x4337'],
  ] as const)(
    '%s is the reason of the chain, and no crash',
    async (_, signer, submitter, sponsor, reason) => {
      const { rpc } = await net.devnet.network('base')
      const chains = openSponsorChains({
        chains: openChains({
          devnet: undefined,
          node: () => rpc,
          shared: () => undefined,
          relayerKey: undefined,
        }),
        clock,
        sponsor,
        signer,
        submitter,
        feeds: { base: feed, polygon: feed },
        maxAgeSeconds: 60,
        owners: [],
      })
      const facts = await describeGas(chains)
      expect(facts.state).toBe('off')
      expect(facts.chains[0]).toMatchObject({ state: 'off', reason: expect.stringContaining(reason) })
      const [base] = gasNetworks
      if (!base) throw new Error('no network')
      await expect(chains.open(base)).rejects.toMatchObject({
        code: 'unavailable',
        extra: { reason: 'gas_off' },
      })
      expect(JSON.stringify(facts)).not.toContain('1'.repeat(64))
    },
  )
})

onAnvil('Polygon', () => {
  test('carries operations that are paid for on Base', async () => {
    const user = await gas.makeUser()
    const request = { sender: user.address, calls: [{ to: shop, data: '0x' }], chainId: 137 }
    const sold = await gas.post(request, user.fetch)
    expect(sold.body).toMatchObject({ chainId: 137, state: 'paid', authorization: { chainId: 137 } })
    const done = await gas.post(await signSold(user.account, sold.body))
    expect(done.body).toMatchObject({ state: 'mined', success: true, chainId: 137 })
  })
})
