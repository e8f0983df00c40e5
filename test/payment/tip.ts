import { encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { openChain } from '../../mcp/ports/chain/chain.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { openDevnetKeys } from '../../mcp/ports/devnet/keys.ts'
import { abi } from './evm-chain.ts'

type App = { dir: string; devnetRpc(name: 'base'): Promise<string | undefined> }

type Tip = { amount?: bigint; to?: Hex; token?: Hex }

/** Sends USDC of the demo wallet to the cat's wallet on the local Base, and resolves to the mined transaction's hash. */
export const sendTip = async (
  { dir, devnetRpc }: App,
  { amount = 100_000n, to, token }: Tip = {},
): Promise<Hex> => {
  const rpc = await devnetRpc('base')
  if (rpc === undefined) throw new Error('there is no local Base')
  const { demo, payTo } = await openDevnetKeys(dir)
  const chain = openChain({ network: networks.base, rpc, devnet: true })
  const recipient = to ?? privateKeyToAccount(payTo).address
  const data = encodeFunctionData({ abi, functionName: 'transfer', args: [recipient, amount] })
  const hash = await (await chain.wallet(demo)).send({ to: token ?? networks.base.token.address, data })
  await (await chain.reader()).waitForTransactionReceipt({ hash })
  return hash
}
