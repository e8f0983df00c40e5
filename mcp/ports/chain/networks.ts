import { usdcByNetwork } from '../../lib/usd-tokens.ts'
import type { ChainName, Network, NetworkName } from './port.ts'

const network = (
  name: ChainName,
  title: string,
  chainId: number,
  blockMs: number,
  token: { address: `0x${string}`; name: string },
  coin: Network['coin'] = 'ETH',
): Network => ({
  name,
  title,
  chainId,
  id: `eip155:${chainId}`,
  token: { ...token, version: '2', decimals: 6 },
  coin,
  blockMs,
})

/** The addresses are those of Circle; the name of the token, which signatures cover, is not the same on each. */
export const networks: Readonly<Record<NetworkName, Network>> = {
  'base-sepolia': network('base-sepolia', 'Base Sepolia', 84532, 2_000, {
    address: usdcByNetwork['eip155:84532'],
    name: 'USDC',
  }),
  base: network('base', 'Base', 8453, 2_000, {
    address: usdcByNetwork['eip155:8453'],
    name: 'USD Coin',
  }),
  arbitrum: network('arbitrum', 'Arbitrum One', 42161, 250, {
    address: usdcByNetwork['eip155:42161'],
    name: 'USD Coin',
  }),
  arc: {
    ...network('arc', 'Arc', 5042, 500, { address: usdcByNetwork['eip155:5042'], name: 'USDC' }, 'USDC'),
    isNamedOnly: true,
  },
}

/** Every network that this program sends transactions on. */
export const chainNetworks: Readonly<Record<ChainName, Network>> = {
  ...networks,
  polygon: network('polygon', 'Polygon', 137, 2_000, {
    address: usdcByNetwork['eip155:137'],
    name: 'USD Coin',
  }),
}
