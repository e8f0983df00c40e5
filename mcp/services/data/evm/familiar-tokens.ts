import type { Hex } from 'viem'
import type { EvmChain } from '../../../ports/index.ts'

/** A token that others like to pass for. Some symbols have two: the issuer's own and the one of a bridge. */
export type FamiliarToken = { symbol: string; name: string; address: Hex }

const token = (symbol: string, name: string, address: Hex): FamiliarToken => ({ symbol, name, address })

/** Tokens with the most value on each chain, at the addresses that their issuers publish. */
export const familiarTokens: Readonly<Record<EvmChain, readonly FamiliarToken[]>> = {
  eth: [
    token('USDC', 'USD Coin', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
    token('USDT', 'Tether USD', '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
    token('WETH', 'Wrapped Ether', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'),
    token('DAI', 'Dai Stablecoin', '0x6B175474E89094C44Da98b954EedeAC495271d0F'),
    token('USDS', 'USDS Stablecoin', '0xdC035D45d973E3EC169d2276DDab16f1e407384F'),
    token('WBTC', 'Wrapped BTC', '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599'),
    token('stETH', 'Liquid staked Ether 2.0', '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84'),
    token('wstETH', 'Wrapped liquid staked Ether 2.0', '0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0'),
    token('LINK', 'ChainLink Token', '0x514910771AF9Ca656af840dff83E8264EcF986CA'),
    token('UNI', 'Uniswap', '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984'),
    token('SHIB', 'SHIBA INU', '0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE'),
    token('PEPE', 'Pepe', '0x6982508145454Ce325dDbE47a25d4ec3d2311933'),
    token('POL', 'Polygon Ecosystem Token', '0x455e53CBB86018Ac2B8092FdCd39d8444aFFC3F6'),
    token('cbBTC', 'Coinbase Wrapped BTC', '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf'),
  ],
  base: [
    token('USDC', 'USD Coin', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
    token('USDbC', 'USD Base Coin', '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA'),
    token('USDT', 'Tether USD', '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2'),
    token('WETH', 'Wrapped Ether', '0x4200000000000000000000000000000000000006'),
    token('DAI', 'Dai Stablecoin', '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb'),
    token('cbBTC', 'Coinbase Wrapped BTC', '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf'),
    token('cbETH', 'Coinbase Wrapped Staked ETH', '0x2Ae3F1Ec7F1F5012CFEab0185bfc7aa3cf0DEc22'),
    token('AERO', 'Aerodrome', '0x940181a94A35A4569E4529A3CDfB74e38FD98631'),
  ],
  arbitrum: [
    token('USDC', 'USD Coin', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
    token('USDC', 'USD Coin (Arb1)', '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8'),
    token('USDT', 'Tether USD', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
    token('WETH', 'Wrapped Ether', '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1'),
    token('DAI', 'Dai Stablecoin', '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1'),
    token('WBTC', 'Wrapped BTC', '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f'),
    token('ARB', 'Arbitrum', '0x912CE59144191C1204E64559FE8253a0e49E6548'),
    token('LINK', 'ChainLink Token', '0xf97f4df75117a78c1A5a0DBb814Af92458539FB4'),
  ],
  optimism: [
    token('USDC', 'USD Coin', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
    token('USDC', 'USD Coin (bridged)', '0x7F5c764cBc14f9669B88837ca1490cCa17c31607'),
    token('USDT', 'Tether USD', '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
    token('WETH', 'Wrapped Ether', '0x4200000000000000000000000000000000000006'),
    token('DAI', 'Dai Stablecoin', '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1'),
    token('WBTC', 'Wrapped BTC', '0x68f180fcCe6836688e9084f035309E29Bf0A2095'),
    token('OP', 'Optimism', '0x4200000000000000000000000000000000000042'),
  ],
  polygon: [
    token('USDC', 'USD Coin', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
    token('USDC', 'USD Coin (PoS)', '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174'),
    token('USDT', 'Tether USD', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
    token('WETH', 'Wrapped Ether', '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619'),
    token('DAI', 'Dai Stablecoin', '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063'),
    token('WBTC', 'Wrapped BTC', '0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6'),
    token('WPOL', 'Wrapped Polygon Ecosystem Token', '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270'),
    token('LINK', 'ChainLink Token', '0x53E0bca35eC356BD5ddDFebbD1Fc0fD03FaBad39'),
  ],
}
