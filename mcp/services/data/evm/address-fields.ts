import { z } from 'zod'
import { ChainOutput, chainId } from './chains.ts'

const address = (what: string) => z.string().nullable().describe(what)

const ProxyFields = z
  .object({
    kind: z
      .enum(['eip1967', 'eip1967-beacon', 'eip1167', 'eip1822', 'oz-legacy', 'safe'])
      .describe('How it keeps the address'),
    implementation: address('Contract whose code it runs'),
    beacon: address('Contract that names the implementation'),
    admin: address('Account that may change it, where it is kept by EIP-1967'),
  })
  .nullable()
  .describe('What it passes its calls on to; null when it is no known kind of proxy')

const Token = z
  .object({
    standard: z.enum(['ERC-20', 'ERC-721', 'ERC-1155']).describe('Token standard'),
    name: z.string().nullable().describe('Name'),
    symbol: z.string().nullable().describe('Symbol'),
    decimals: z.number().int().nullable().describe('Decimals'),
  })
  .nullable()
  .describe('Quick look at a token; token-metadata tells more')

/** Fields of the answer of evm-address-intel. */
export const AddressFields = z.object({
  address: z.string().describe('Address with its checksum (EIP-55)'),
  chain: ChainOutput,
  chain_id: chainId,
  type: z
    .enum(['wallet', 'contract', 'delegated-wallet', 'precompile'])
    .describe('delegated-wallet: a wallet with code of its choice (EIP-7702)'),
  is_contract: z.boolean().describe('False for wallets, delegated ones too'),
  bytecode_size: z.number().int().describe('Bytes of code'),
  balance: z
    .object({
      wei: z.string().describe('In the smallest unit'),
      formatted: z.string().describe('In coins'),
      symbol: z.string().describe('ETH or POL'),
    })
    .describe('Native coins it holds'),
  nonce: z.number().int().describe('Transactions a wallet has sent, or contracts a contract has made'),
  delegated_to: address('Contract whose code a delegated wallet runs'),
  proxy: ProxyFields,
  token: Token,
  ens: address('ENS name that leads here and back, for eth'),
  label: z.string().nullable().describe('What the address is known as: burn address, precompile, predeploy'),
  flags: z
    .array(z.enum(['zero_address', 'burn_address', 'native_placeholder', 'predeploy', 'unused']))
    .describe('What to watch for; unused: it has sent nothing and holds nothing'),
  block: z.number().int().nullable().describe('Latest block'),
})
