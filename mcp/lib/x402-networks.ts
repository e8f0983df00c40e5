/**
 * Networks as x402 version 1 names them. A client of it refuses a whole quote for one name that is not in its list, so a
 * network without a name there is not offered in version 1.
 */
export const networksV1 = {
  base: 'eip155:8453',
  'base-sepolia': 'eip155:84532',
  polygon: 'eip155:137',
  'polygon-amoy': 'eip155:80002',
  avalanche: 'eip155:43114',
  'avalanche-fuji': 'eip155:43113',
  sei: 'eip155:1329',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana-devnet': 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
} as const

const networks = new Map<string, string>(Object.entries(networksV1))
const names = new Map<string, string>([...networks].map(([name, network]) => [network, name]))

/** The name of a CAIP-2 network in version 1; undefined for one that it does not know. */
export const toNameV1 = (network: string): string | undefined => names.get(network)

/** The CAIP-2 network of a name in version 1; undefined for a stranger. */
export const fromNameV1 = (name: string): string | undefined => networks.get(name)
