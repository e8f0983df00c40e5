import { settings, toSecret } from '../../kernel/setting.ts'
import { absoluteUrl, list } from '../../lib/setting-texts.ts'

const rpcList = list
  .transform((urls, context) =>
    urls.map(url => {
      const rpc = absoluteUrl.safeParse(url)
      if (!rpc.success) context.addIssue({ code: 'custom', message: 'absolute http(s) URLs' })
      return toSecret(rpc.data ?? '')
    }),
  )
  .refine(urls => urls.length > 0, 'at least one URL')

const nodes = <const variable extends string>(variable: variable, chain: string, hosts: string) => ({
  variable,
  schema: rpcList,
  description: `JSON-RPC nodes that ${chain} is read from, in order of preference.`,
  default: hosts.replace(/\S+/g, 'https://$&').replaceAll(' ', ','),
  // Addresses of nodes may hold keys.
  secret: 'parts' as const,
})

/** Addresses by chain, in order of preference. */
export const evmSettings = settings({
  eth: nodes(
    'OCTAGENT_RPC_ETH',
    'Ethereum',
    'ethereum-rpc.publicnode.com eth.drpc.org public.1rpc.io/eth eth.merkle.io eth.meowrpc.com',
  ),
  base: nodes(
    'OCTAGENT_RPC_BASE',
    'Base',
    'mainnet.base.org base-rpc.publicnode.com base.drpc.org public.1rpc.io/base base.meowrpc.com',
  ),
  arbitrum: nodes(
    'OCTAGENT_RPC_ARBITRUM',
    'Arbitrum One',
    'arb1.arbitrum.io/rpc arbitrum-one-rpc.publicnode.com arbitrum.drpc.org public.1rpc.io/arb',
  ),
  optimism: nodes(
    'OCTAGENT_RPC_OPTIMISM',
    'OP Mainnet',
    'mainnet.optimism.io optimism-rpc.publicnode.com optimism.drpc.org public.1rpc.io/op',
  ),
  polygon: nodes(
    'OCTAGENT_RPC_POLYGON',
    'Polygon PoS',
    'polygon-bor-rpc.publicnode.com polygon.drpc.org public.1rpc.io/matic polygon.meowrpc.com',
  ),
  'base-sepolia': nodes(
    'OCTAGENT_RPC_BASE_SEPOLIA',
    'Base Sepolia',
    'sepolia.base.org base-sepolia-rpc.publicnode.com base-sepolia.drpc.org',
  ),
  arc: nodes('OCTAGENT_RPC_ARC', 'Arc', 'rpc.mainnet.arc.io'),
})
