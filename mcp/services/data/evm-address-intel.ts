import { z } from 'zod'
import { AccountInput, addressKey } from './evm/account-input.ts'
import { AddressFields } from './evm/address-fields.ts'
import { ChainInput } from './evm/chains.ts'
import { skill } from './skill.ts'

export default skill({
  id: 'evm-address-intel',
  argument: 'address',
  price: '0.003',
  tags: ['evm', 'blockchain', 'address'],
  keywords: ['smart', 'account', 'person', 'eoa', 'bytecode', 'owner'],
  openWorld: true,
  cacheSec: 15,
  key: ({ address, chain }) => ({ address: addressKey(address), chain }),
  title: 'Tell what an EVM address is',
  description:
    'Tells whether an address or ENS name on Ethereum, Base, Arbitrum, Optimism or Polygon is a wallet, a wallet with delegated code (EIP-7702), a contract or a precompile, with balance, nonce, code size, proxy implementation, token and ENS name. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({ address: AccountInput, chain: ChainInput }),
  output: AddressFields,
  needs: ['evm', 'fetch'],
  texts: ['evm-address-intel <address> <chain>'],
  examples: [
    { address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' },
    { address: '0x4200000000000000000000000000000000000006', chain: 'base' },
  ],
  summary: ({ address, type, chain, balance }) =>
    `${address} is a ${type.replace('-', ' ')} on ${chain} with ${balance.formatted} ${balance.symbol}.`,
}).run(async (ports, input) => {
  const { lookAtAddress } = await import('./evm/inspect-address.ts')
  return lookAtAddress(ports, input)
})
