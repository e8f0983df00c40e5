import { ToolError } from '../../../../kernel/error.ts'
import { port } from '../../../../kernel/port.ts'
import type { CoinPrice } from '../price.ts'
import { gasSettings } from '../settings.ts'
import { feedAbi, openPriceFeed } from '../sponsor-chains.ts'
import type { SponsorCluster } from './cluster.ts'

/** Payer of fees on Solana, and what they are worth. */
export type SolanaSponsor = {
  /** Throws `unavailable` with what is missing. */
  open(): Promise<SponsorCluster>
  /** Dollars for a SOL. Throws `unavailable` where nobody says it, or not lately. */
  coinPrice(): Promise<CoinPrice>
}

/** Worth of a SOL on local clusters. */
const localPrice: CoinPrice = { answer: 200_00000000n, decimals: 8 }

const { gasSolanaKey, gasFeedSol, gasFeedAge } = gasSettings

/** The sponsor on Solana, by the settings. */
export const solanaSponsor = port({
  name: 'solanaSponsor',
  needs: ['solana', 'chains', 'clock', gasSolanaKey, gasFeedSol, gasFeedAge],
}).open(
  ({
    solana,
    chains,
    clock,
    gasSolanaKey: key,
    gasFeedSol: feed,
    gasFeedAge: maxAgeSeconds,
  }): SolanaSponsor => {
    let cluster: Promise<SponsorCluster> | undefined
    let price: Promise<() => Promise<CoinPrice>> | undefined

    const openPrice = async () => {
      const reader = await chains.open('base').reader()
      const description = await reader
        .readContract({ address: feed, abi: feedAbi, functionName: 'description' })
        .catch(() => '')
      if (!/^SOL \/ USD$/.test(description))
        throw new ToolError(
          'unavailable',
          `Gas is not sponsored on Solana: ${feed} on Base is no feed of SOL.`,
          {
            reason: 'gas_off',
          },
        )
      return openPriceFeed(reader, { title: solana.title, coin: 'SOL' }, feed, { clock, maxAgeSeconds })
    }

    return {
      open() {
        cluster ??= import('./cluster.ts')
          .then(({ openSponsorCluster }) => openSponsorCluster(solana, key.reveal()))
          .catch(error => {
            cluster = undefined
            throw error
          })
        return cluster
      },
      async coinPrice() {
        if (solana.local) return localPrice
        price ??= openPrice().catch(error => {
          price = undefined
          throw error
        })
        return (await price)()
      },
    }
  },
)
