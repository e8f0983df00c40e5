import { encodeDeployData, type Hex } from 'viem'
import { z } from 'zod'
import { basketOracle } from '../../../../contracts/basket-oracle.ts'
import { basketVault } from '../../../../contracts/basket-vault.ts'
import { basketVaultFactory } from '../../../../contracts/basket-vault-factory.ts'
import { slipstreamVenue } from '../../../../contracts/slipstream-venue.ts'
import { addressOf } from '../../../lib/contract.ts'
import { deployment, parameterAddress } from '../../../lib/deployment.ts'
import { moneySettings, type Stock } from '../config.ts'

const seconds = z.number().int().min(1)

type Four = readonly [Hex, Hex, Hex, Hex]

/** Vaults of the basket: the venue, the oracle, the code of all vaults and the factory that opens them. */
export const vaultDeployment = deployment({
  networks: ['base'],
  parameters: z.strictObject({
    router: parameterAddress.describe(
      'Router of the pools that vaults trade in: Slipstream, with a pool of USDC for each stock of MONEY_STOCKS.',
    ),
    tickSpacing: z.number().int().min(1).describe('Which of its pools: they are told apart by this.'),
    sequencer: parameterAddress.describe(
      'Chainlink feed that says whether the sequencer of the chain is up; the zero address where there is none.',
    ),
    stablecoinFeed: parameterAddress.describe('Chainlink feed USDC / USD.'),
    stablecoinMaxAge: seconds.describe(
      'Seconds after which its price is taken no more: its heartbeat and an hour.',
    ),
    stockMaxAge: seconds.describe(
      'The same for the feeds of stocks: they hold the last close over a long weekend.',
    ),
    slippageBps: z
      .number()
      .int()
      .min(1)
      .max(500)
      .describe("How far a trade may fall short of the oracle's price, in hundredths of a percent."),
  }),
  defaults: () => ({
    router: '0x698Cb2b6dd822994581fEa6eA4Fc755d1363A92F',
    tickSpacing: 10,
    sequencer: '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433',
    stablecoinFeed: '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B',
    stablecoinMaxAge: 25 * 3_600,
    stockMaxAge: 4 * 86_400,
    slippageBps: 100,
  }),
  plan: (values, { usdc, config }) => {
    const stocks = config[moneySettings.stocks.variable] as readonly Stock[]
    const [tokens, feeds] = [stocks.map(({ token }) => token), stocks.map(({ feed }) => feed)]
    const venueCode = encodeDeployData({ ...slipstreamVenue, args: [values.router, values.tickSpacing] })
    const ages = feeds.map(() => BigInt(values.stockMaxAge))
    const { sequencer, stablecoinFeed } = values
    const oracleCode = encodeDeployData({
      ...basketOracle,
      args: [sequencer, stablecoinFeed, BigInt(values.stablecoinMaxAge), feeds, ages],
    })
    const [oracle, venue] = [addressOf(oracleCode), addressOf(venueCode)]
    const vaultCode = encodeDeployData({
      ...basketVault,
      args: [
        usdc,
        tokens as unknown as Four,
        feeds as unknown as Four,
        oracle,
        venue,
        BigInt(values.slippageBps),
      ],
    })
    const factoryCode = encodeDeployData({ ...basketVaultFactory, args: [addressOf(vaultCode)] })
    return {
      needs: [
        ['router', values.router],
        ['feed USDC / USD', stablecoinFeed],
        ...(BigInt(sequencer) === 0n ? [] : [['feed of the sequencer', sequencer] as const]),
        ...stocks.flatMap(({ symbol, token, feed }) => [
          [`stock ${symbol}`, token] as const,
          [`feed of ${symbol}`, feed] as const,
        ]),
      ],
      steps: [
        { title: 'venue', code: slipstreamVenue, initCode: venueCode },
        { title: 'oracle', code: basketOracle, initCode: oracleCode },
        { title: 'vault', code: basketVault, initCode: vaultCode },
        { title: 'factory of vaults', code: basketVaultFactory, initCode: factoryCode },
      ],
      settings: {
        [moneySettings.vaultFactory.variable]: addressOf(factoryCode),
        [moneySettings.vaultVenue.variable]: venue,
      },
    }
  },
})
