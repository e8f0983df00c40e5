import { readConfig } from '../app/config.ts'
import { services } from '../app/services.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { readArguments } from './arguments.ts'

/**
 * `octagent wallets <network=url>`: new wallets for the till, for gas and for a buyer, as the settings of a server that is paid on this
 * network. Settings go to the output, to be kept in a file, addresses to whoever reads along.
 */
export const makeWallets = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, {})
  const [network] = positionals
  if (network === undefined)
    throw new ToolError('invalid_input', 'Name the network with its node.', {
      hint: 'Such as: octagent wallets base=https://mainnet.base.org > live.env',
    })
  const { generatePrivateKey, privateKeyToAccount } = await import('viem/accounts')
  const [till, gas, buyer] = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()]
  const address = (key: typeof till) => privateKeyToAccount(key).address
  const settings = {
    OCTAGENT_NETWORKS: network,
    OCTAGENT_PAY_TO: address(till),
    OCTAGENT_REFUND_KEY: till,
    OCTAGENT_FACILITATOR_KEY: gas,
    BUYER_KEY: buyer,
  }
  // What a start would refuse is refused here.
  readConfig({ ...settings, OCTAGENT_DATA: process.env.OCTAGENT_DATA }, services)
  if (values.json) console.log(JSON.stringify(settings, null, 2))
  else for (const [name, value] of Object.entries(settings)) console.log(`${name}=${value}`)
  console.error(`till  ${address(till)}\ngas   ${address(gas)}\nbuyer ${address(buyer)}`)
  return 0
}
